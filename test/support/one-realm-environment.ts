import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import vm from 'node:vm';
import type { JestEnvironment } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import type { Config } from '@jest/types';
import { ModuleMocker } from 'jest-mock';

/** Jest asks for the context of a suite. This one only stands for the context in which all suites run: that of Node.js itself. */
const CONTEXT = vm.createContext({});

const { compileFunction } = vm;

/** What this worker has compiled, by file. */
const compiled = new Map<string, { readonly source: string; readonly script: vm.Script }>();

/** Suites load most modules once for all (`shared-modules-runtime.cjs`). What each has for itself, a worker still compiles once. */
vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename = '', parsingContext } = options;
  if (parsingContext !== CONTEXT) return compileFunction(source, parameters, options);
  const known = compiled.get(filename);
  if (known?.source === source) return known.script.runInThisContext();
  const prefix = `(function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${prefix}${source}\n})`, { filename, columnOffset: -prefix.length });
  compiled.set(filename, { source, script });
  return script.runInThisContext();
};

const { run } = AsyncLocalStorage.prototype;

/** The storages that were used since the present suite began, by Jest, by its modules and by shared ones. */
const storages = new Set<AsyncLocalStorage<unknown>>();

AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: Parameters<typeof run>) {
  storages.add(this);
  return run.apply(this, args);
} as typeof run;

/** What Jest calls by these names, whatever a suite makes of the originals. */
const JEST_NATIVE = {
  promise: Promise,
  now: Date.now,
  'read-file': readFileSync,
  'write-file': writeFileSync,
  'exists-file': existsSync,
};

/** The list to which Jest adds what it calls at each event of the suite that runs. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Runs suites in the context of Node.js itself, one after the other, with the modules they share. By default Jest makes a context for each
 * suite: every module is then loaded again, V8 optimizes none of its functions for longer than a suite, and each look-up of a global is a
 * call into C++. What a suite changes of the process is restored before the next.
 */
export default class OneRealmEnvironment implements JestEnvironment<ModernFakeTimers> {
  // Coverage is a member only while it is collected.
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;

  private readonly console = globalThis.console;
  private readonly exit = process.exit;
  private readonly env = { ...process.env };

  constructor({ projectConfig }: { readonly projectConfig: Config.ProjectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    for (const [name, value] of Object.entries(JEST_NATIVE)) {
      Object.defineProperty(globalThis, Symbol.for(`jest-native-${name}`), { value, configurable: true });
    }
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): vm.Context {
    return CONTEXT;
  }

  async setup(): Promise<void> {
    // Jest asks for 100 frames, of each error that an expectation or AWS’s answer makes.
    Error.stackTraceLimit = 20;
  }

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    Object.assign(globalThis, { console: this.console });
    Object.assign(process, { exit: this.exit, exitCode: undefined });
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(this.env, name)) delete process.env[name];
    Object.assign(process.env, this.env);
    Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
    // Node.js 20 asks every storage that was ever used for each new promise.
    for (const storage of storages) storage.disable();
    storages.clear();
  }
}
