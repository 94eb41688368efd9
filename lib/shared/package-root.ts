import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGE_NAME = 'dead-letter-office';

function isPackageRoot(folder: string): boolean {
  const manifest = path.join(folder, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === PACKAGE_NAME;
}

/** This package's folder, whether the constructs run from source, from `dist/lib`, or installed in another project. */
export function packageRoot(from: string = __dirname): string {
  if (isPackageRoot(from)) return from;
  const parent = path.dirname(from);
  if (parent === from) throw new Error(`no folder above ${__dirname} is the package ${PACKAGE_NAME}`);
  return packageRoot(parent);
}
