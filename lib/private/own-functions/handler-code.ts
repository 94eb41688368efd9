import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';

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

/**
 * The bundled code of one of our handlers, built when the package was: a consumer needs no esbuild. Its source map goes
 * along, a few kilobytes that Node reads only when an error is thrown, so that a stack trace in the log names our lines.
 * @throws where the bundle has not been built
 */
export function handlerCode(name: string): Code {
  const folder = path.join(packageRoot(), 'dist', 'lambda', name);
  if (!existsSync(path.join(folder, 'index.js'))) {
    throw new Error(`the bundle of handler '${name}' is missing from ${folder}: run npm run build`);
  }
  return Code.fromAsset(folder);
}
