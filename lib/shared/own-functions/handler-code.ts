import { existsSync } from 'node:fs';
import path from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { packageRoot } from '../package-root';

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
