import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PublishedPackage } from '../../diagnosis/published-guides';

export function ownManifest(): PublishedPackage {
  return JSON.parse(readFileSync(path.join(packageRoot(), 'package.json'), 'utf8'));
}

const PACKAGE_NAME = 'dead-letter-office';

function isPackageRoot(folder: string): boolean {
  const manifest = path.join(folder, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === PACKAGE_NAME;
}

/** The folder of this package, whether the constructs run from source, from `dist/lib`, or as an installed package. */
export function packageRoot(from: string = __dirname): string {
  if (isPackageRoot(from)) return from;
  const parent = path.dirname(from);
  if (parent === from) throw new Error(`no folder above ${__dirname} is the package ${PACKAGE_NAME}`);
  return packageRoot(parent);
}
