import type { ThreadPool } from './thread-pool';

const realSetImmediate = setImmediate;
const realActiveResources = process.getActiveResourcesInfo;

/** Work that V8 does in its own threads and that resolves a promise. */
const WEB_ASSEMBLY = ['compile', 'compileStreaming', 'instantiate', 'instantiateStreaming'];

type Work = (...given: unknown[]) => unknown;

/**
 * Detects when the thread is idle: nothing is left in it that could run.
 *
 * Node.js reports that with `beforeExit`, reliably but late: before the event, it waits until V8 has finished all
 * background compilation and garbage collection in every thread of the process. No function's code depends on that
 * work, but the wait was a quarter of an invocation. This class therefore reads Node.js's list of active resources, and
 * waits for `beforeExit` only while a resource other than an immediate is active, or while work is pending that Node.js
 * does not list.
 */
export class IdleDetector {
  /** The number of running compilations of WebAssembly, which the function's code waits for. */
  private compilations = 0;
  private hasNativeCode = false;

  /** @param idle called when the thread is idle; the process ends if it schedules nothing */
  constructor(
    private readonly pool: ThreadPool,
    private readonly idle: () => void,
  ) {
    process.on('beforeExit', () => {
      pool.isWorking = false;
      idle();
    });
    replaceAll(
      Reflect.get(globalThis, 'WebAssembly'),
      WEB_ASSEMBLY,
      work =>
        (...given) =>
          this.counted(work(...given)),
    );
    // Native code may run threads that Node.js does not list.
    replaceAll(process, ['dlopen'], work => (...given) => {
      this.hasNativeCode = true;
      return work(...given);
    });
  }

  /** Checks whether the thread is idle, after everything that is scheduled for the next turn of the event loop. */
  checkSoon(): void {
    realSetImmediate(() => this.check());
  }

  private check(): void {
    if (this.needsBeforeExit) return;
    const active = realActiveResources();
    if (active.length === 0) this.idle();
    else if (active.every(resource => resource === 'Immediate')) this.checkSoon();
  }

  private get needsBeforeExit(): boolean {
    // The function's code may also listen for the event.
    const isAwaited = process.listenerCount('beforeExit') > 1;
    return this.pool.isWorking || this.compilations > 0 || this.hasNativeCode || isAwaited;
  }

  private counted(answer: unknown): unknown {
    this.compilations += 1;
    const settled = (): void => {
      this.compilations -= 1;
    };
    Promise.resolve(answer).then(settled, settled);
    return answer;
  }
}

function replaceAll(holder: object, names: readonly string[], make: (work: Work) => Work): void {
  for (const name of names) {
    const work: Work = Reflect.get(holder, name).bind(holder);
    Object.assign(holder, { [name]: Object.defineProperty(make(work), 'name', { value: name }) });
  }
}
