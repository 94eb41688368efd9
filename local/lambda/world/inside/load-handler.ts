import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { RuntimeError } from './errors';
import { installSdk } from './runtime-sdk';

export type Handler = (
  event: unknown,
  context: object,
  callback: (error?: unknown, result?: unknown) => void,
) => unknown;

/**
 * Finds the handler as Lambda's Node.js runtime does: `folder/module.export`, CommonJS or ECMAScript modules. The first of them
 * finds the AWS SDK in the runtime.
 *
 * @throws RuntimeError `Runtime.ImportModuleError`, `Runtime.HandlerNotFound`, `Runtime.UserCodeSyntaxError` or
 * `Runtime.MalformedHandlerName`; otherwise what the module itself throws
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
 */
export async function loadHandler(folder: string, handler: string): Promise<Handler> {
  if (handler.includes('..')) {
    const rule = 'Use absolute paths when specifying root directories in handler names.';
    throw new RuntimeError('Runtime.MalformedHandlerName', `'${handler}' is not a valid handler name. ${rule}`);
  }
  const name = path.posix.basename(handler);
  const dot = name.indexOf('.');
  if (dot < 0) throw new RuntimeError('Runtime.MalformedHandlerName', 'Bad handler');
  const file = path.join(folder, path.posix.dirname(handler), name.slice(0, dot));
  installSdk();
  const exported = await loadModule(file, folder);
  const found = name
    .slice(dot + 1)
    .split('.')
    .reduce(member, exported);
  if (typeof found === 'function') return found as Handler;
  const what = found ? 'is not a function' : 'is undefined or not exported';
  throw new RuntimeError('Runtime.HandlerNotFound', `${handler} ${what}`);
}

function member(holder: unknown, name: string): unknown {
  return holder === null || holder === undefined ? undefined : Reflect.get(Object(holder), name);
}

async function loadModule(file: string, folder: string): Promise<unknown> {
  const require = createRequire(path.join(folder, 'bootstrap.js'));
  try {
    if (existsSync(`${file}.js`)) {
      return isModuleFolder(path.dirname(file)) ? await importFile(`${file}.js`) : require(`${file}.js`);
    }
    if (existsSync(`${file}.mjs`)) return await importFile(`${file}.mjs`);
    return require(existsSync(`${file}.cjs`) ? `${file}.cjs` : file);
  } catch (error) {
    throw namedByTheRuntime(error);
  }
}

const importFile = (file: string): Promise<unknown> => import(pathToFileURL(file).href);

function namedByTheRuntime(error: unknown): unknown {
  if (error instanceof SyntaxError) {
    return new RuntimeError('Runtime.UserCodeSyntaxError', String(error), error.stack);
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'MODULE_NOT_FOUND') return new RuntimeError('Runtime.ImportModuleError', String(error));
  return error;
}

/** Whether the nearest package.json says that `.js` files are ECMAScript modules. */
function isModuleFolder(folder: string): boolean {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return member(parsed, 'type') === 'module';
  }
  const parent = path.dirname(folder);
  return parent !== folder && path.basename(folder) !== 'node_modules' && isModuleFolder(parent);
}
