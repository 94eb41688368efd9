import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PublishedPackage } from '../../diagnosis/published-guides';

const PACKAGE_NAME = 'dead-letter-office';

interface OwnPackage {
  readonly root: string;
  readonly manifest: PublishedPackage;
}

/** What every construct asks for, and what does not change while an app is synthesized. */
let known: OwnPackage | undefined;

/** The first folder of this package at or above another, and its manifest. */
export function packageAbove(from: string): OwnPackage {
  const file = path.join(from, 'package.json');
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (manifest?.name === PACKAGE_NAME) return { root: from, manifest };
  const parent = path.dirname(from);
  if (parent === from) throw new Error(`no folder above ${__dirname} is the package ${PACKAGE_NAME}`);
  return packageAbove(parent);
}

function ownPackage(): OwnPackage {
  known ??= packageAbove(__dirname);
  return known;
}

export const ownManifest = (): PublishedPackage => ownPackage().manifest;

/** The folder of this package, whether the constructs run from source, from `dist/lib`, or as an installed package. */
export const packageRoot = (): string => ownPackage().root;
