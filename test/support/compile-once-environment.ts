import { AsyncLocalStorage } from 'node:async_hooks';
import vm from 'node:vm';
import NodeEnvironment from 'jest-environment-node';

const { compileFunction } = vm;

/** The names of JavaScript's own objects, which no test replaces as a whole. */
const INTRINSICS = [
  ...['Object', 'Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Symbol', 'Number', 'BigInt', 'String', 'Boolean'],
  ...['RegExp', 'Promise', 'Proxy', 'Reflect', 'JSON', 'Math', 'Error', 'TypeError', 'RangeError', 'Uint8Array'],
].join(', ');

/** Those of each context. */
const intrinsics = new WeakMap<vm.Context, object>();

function intrinsicsOf(context: vm.Context): object {
  const known = intrinsics.get(context) ?? vm.runInContext(`({ ${INTRINSICS} })`, context);
  intrinsics.set(context, known);
  return known;
}

/** What this worker has compiled, by file. */
const compiled = new Map<string, { readonly source: string; readonly script: vm.Script }>();

function scriptOf(filename: string, source: string, parameters: readonly string[]): vm.Script {
  const known = compiled.get(filename);
  if (known?.source === source) return known.script;
  const prefix = `(({ ${INTRINSICS} }) => function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${prefix}${source}\n})`, { filename, columnOffset: -prefix.length });
  compiled.set(filename, { source, script });
  return script;
}

/**
 * Jest loads all modules again for every suite, and compiles them with `compileFunction`, which took a quarter of the time of all
 * tests. A script can run in the context of each suite: a worker compiles a file once.
 *
 * Node.js looks up a global of such a context by a call from V8 into C++, which took a third of the time that remained. Modules
 * therefore get the most frequent ones as variables.
 */
vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename, parsingContext } = options;
  const isModule = parameters[0] === 'module' && filename !== undefined && parsingContext !== undefined;
  if (!isModule) return compileFunction(source, parameters, options);
  return scriptOf(filename, source, parameters).runInContext(parsingContext)(intrinsicsOf(parsingContext));
};

const { run } = AsyncLocalStorage.prototype;

/** The storages that Jest, the SDK and our own modules have used in the suite that runs. */
const storages = new Set<AsyncLocalStorage<unknown>>();

AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: Parameters<typeof run>) {
  storages.add(this);
  return run.apply(this, args);
} as typeof run;

/**
 * Each suite has its own modules, and so its own `AsyncLocalStorage`s. Node.js asks every one that was ever used for each new promise: with
 * a hundred suites before it, every tenth second of a suite went there.
 */
export default class CompileOnceEnvironment extends NodeEnvironment {
  override async teardown(): Promise<void> {
    await super.teardown();
    for (const storage of storages) storage.disable();
    storages.clear();
  }
}
