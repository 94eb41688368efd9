import { existsSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedFile, isMissing } from '../../kernel/installed-package';
import type { CompiledCode } from './compiled-code';
import { RuntimeError } from './errors';

export type Handler = (
  event: unknown,
  context: object,
  callback: (error?: unknown, result?: unknown) => void,
) => unknown;

/**
 * Loads the handler as Lambda's Node.js runtime does: `folder/module.export`, in CommonJS or as an ECMAScript module.
 * Only CommonJS modules find the AWS SDK in the runtime.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/nodejs-handler.html
 */
export async function loadHandler(folder: string, handler: string, compiled: CompiledCode): Promise<Handler> {
  if (handler.includes('..')) {
    const rule = 'Use absolute paths when specifying root directories in handler names.';
    throw new RuntimeError('Runtime.MalformedHandlerName', `'${handler}' is not a valid handler name. ${rule}`);
  }
  const name = path.posix.basename(handler);
  const dot = name.indexOf('.');
  if (dot < 0) throw new RuntimeError('Runtime.MalformedHandlerName', 'Bad handler');
  const file = path.join(folder, path.posix.dirname(handler), name.slice(0, dot));
  installSdk();
  const exported = await loadModule(file, folder, compiled);
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

async function loadModule(file: string, folder: string, compiled: CompiledCode): Promise<unknown> {
  const require = createRequire(path.join(folder, 'bootstrap.js'));
  try {
    if (existsSync(`${file}.js`)) {
      if (isModuleFolder(path.dirname(file))) return await importFile(`${file}.js`);
      compiled.prepare(`${file}.js`);
      return require(`${file}.js`);
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

/** Whether the nearest package.json declares `.js` files to be ECMAScript modules. */
function isModuleFolder(folder: string): boolean {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return member(parsed, 'type') === 'module';
  }
  const parent = path.dirname(folder);
  return parent !== folder && path.basename(folder) !== 'node_modules' && isModuleFolder(parent);
}

/** The internal part of Node.js's module loader that decides what `require` finds. There is no public one. */
interface Loader {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
}

/** Lambda's runtimes contain the AWS SDK for JavaScript, version 3. */
const IN_THE_RUNTIME = /^@(?:aws-sdk|smithy)\//;

/**
 * Lets functions `require` the AWS SDK even if it is not in their bundles, as Lambda's runtimes do. Uses the version
 * installed on this machine. A client that is not installed can be loaded, because Lambda's runtimes contain every
 * client, but using it throws an error. ECMAScript modules find only the packages next to them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-nodejs.html#nodejs-sdk-included
 */
function installSdk(): void {
  const loader = Module as unknown as Loader;
  const load = loader._load.bind(loader);
  loader._load = (request, parent, isMain) => {
    try {
      return load(request, parent, isMain);
    } catch (error) {
      if (!IN_THE_RUNTIME.test(request) || !isMissing(error, request)) throw error;
      const file = installedFile(request);
      return file === undefined ? absent(request) : load(file, parent, isMain);
    }
  };
}

/** Returns a module whose exports throw an error when they are used. */
function absent(request: string): unknown {
  const refuse = (): never => {
    throw new Error(
      `${request} is part of Lambda's runtime and not installed on this machine: npm install --save-dev ${request}`,
    );
  };
  return new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' && name !== 'then' ? missing(refuse) : undefined) },
  );
}

/** Returns a value that throws an error when it is called, constructed or extended. */
function missing(refuse: () => never) {
  return class {
    constructor() {
      refuse();
    }
  };
}
