import { AsyncResource } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import TinyQueue from 'tinyqueue';
import type { VirtualClock } from './clock';

/**
 * The longest delay that Node.js's timers support. A longer or invalid delay becomes one millisecond, as in Node.js.
 */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

const realSetImmediate = setImmediate;

type Callback = (...given: unknown[]) => void;

interface Turn {
  readonly dueAtMs: number;
  readonly sequence: number;
  readonly timer: VirtualTimer;
}

const soonestFirst = (a: Turn, b: Turn): number => a.dueAtMs - b.dueAtMs || a.sequence - b.sequence;

/** The return value of `setTimeout` and `setInterval`: like Node.js's `Timeout`, but in virtual time. */
export class VirtualTimer {
  /** Preserves the code's `AsyncLocalStorage` for the callback, as Node.js's timers do. */
  private readonly scope = new AsyncResource('Timeout');
  private turn: Turn | undefined;
  private referenced = true;

  constructor(
    private readonly timers: VirtualTimers,
    readonly id: number,
    private readonly callback: Callback,
    readonly delayMs: number,
    private readonly repeats: boolean,
  ) {
    this.refresh();
  }

  ref(): this {
    this.referenced = true;
    return this;
  }

  unref(): this {
    this.referenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.referenced;
  }

  refresh(): this {
    this.turn = this.timers.enqueue(this);
    return this;
  }

  close(): this {
    this.turn = undefined;
    this.timers.forget(this);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.id;
  }

  isWaitingFor(turn: Turn): boolean {
    return this.turn === turn;
  }

  fire(turn: Turn): void {
    if (!this.isWaitingFor(turn)) return;
    if (this.repeats) this.refresh();
    else this.close();
    this.scope.runInAsyncScope(this.callback);
  }
}

if (Symbol.dispose) {
  Object.defineProperty(VirtualTimer.prototype, Symbol.dispose, { value: VirtualTimer.prototype.close });
}

/** All timers of the function's code, which are due at virtual instants. */
export class VirtualTimers {
  private readonly turns = new TinyQueue<Turn>([], soonestFirst);
  private readonly set = new Map<number, VirtualTimer>();
  private sequence = 0;

  constructor(private readonly clock: VirtualClock) {}

  /** When the next timer is due; undefined when none is set. */
  get nextDueAtMs(): number | undefined {
    for (let next = this.turns.peek(); next; next = this.turns.peek()) {
      if (next.timer.isWaitingFor(next)) return next.dueAtMs;
      this.turns.pop();
    }
    return undefined;
  }

  /** Whether a timer keeps the event loop alive. */
  get keepAlive(): boolean {
    for (const timer of this.set.values()) if (timer.hasRef()) return true;
    return false;
  }

  start(callback: Callback, delayMs: unknown, repeats = false): VirtualTimer {
    const timer = new VirtualTimer(this, this.sequence + 1, callback, normalDelay(delayMs), repeats);
    return timer;
  }

  clear(timer: unknown): void {
    const id = timer instanceof VirtualTimer ? timer.id : Number(timer);
    this.set.get(id)?.close();
  }

  enqueue(timer: VirtualTimer): Turn {
    this.sequence += 1;
    const turn = { dueAtMs: this.clock.nowMs + timer.delayMs, sequence: this.sequence, timer };
    this.turns.push(turn);
    this.set.set(timer.id, timer);
    return turn;
  }

  forget(timer: VirtualTimer): void {
    this.set.delete(timer.id);
  }

  /** Runs the due timers in order, as one phase of Node.js's event loop: promises continue after each callback. */
  fireDue(): void {
    for (let due = this.nextDueAtMs; due !== undefined && due <= this.clock.nowMs; due = this.nextDueAtMs) {
      const turn = this.turns.pop();
      if (turn) realSetImmediate(() => turn.timer.fire(turn));
    }
  }
}

function normalDelay(delayMs: unknown): number {
  const delay = Math.trunc(Number(delayMs));
  return delay >= 1 && delay <= LONGEST_DELAY_MS ? delay : 1;
}

function mustBeFunction(callback: unknown): asserts callback is Callback {
  if (typeof callback === 'function') return;
  const error = new TypeError(`The "callback" argument must be of type function. Received ${String(callback)}`);
  throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
}

interface PromiseOptions {
  readonly ref?: boolean;
  readonly signal?: AbortSignal;
}

/** Installs the virtual timers in the global functions, `node:timers`, `node:timers/promises` and `AbortSignal`. */
export function installTimers(virtual: VirtualTimers): void {
  const start = (repeats: boolean) => {
    return (callback: unknown, delayMs?: unknown, ...given: unknown[]): VirtualTimer => {
      mustBeFunction(callback);
      return virtual.start(() => callback(...given), delayMs, repeats);
    };
  };
  const clear = (timer: unknown): void => virtual.clear(timer);
  const promised = promisedTimers(virtual);
  const setTimeout = Object.assign(start(false), { [promisify.custom]: promised.setTimeout });
  const replaced = { setTimeout, setInterval: start(true), clearTimeout: clear, clearInterval: clear };
  Object.assign(globalThis, replaced);
  Object.assign(timers, replaced);
  const scheduler = {
    wait: (delayMs: number, options?: PromiseOptions) => promised.setTimeout(delayMs, undefined, options),
  };
  Object.assign(timersPromises, promised, { scheduler: { ...scheduler, yield: () => timersPromises.setImmediate() } });
  AbortSignal.timeout = delayMs => abortedAfter(virtual, delayMs);
  syncBuiltinESMExports();
}

function abortedAfter(virtual: VirtualTimers, delayMs: number): AbortSignal {
  const controller = new AbortController();
  const expire = (): void =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  virtual.start(expire, delayMs).unref();
  return controller.signal;
}

function abortError(signal: AbortSignal): Error {
  const error = new Error('The operation was aborted', { cause: signal.reason });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

function promisedTimers(virtual: VirtualTimers) {
  const wait = <T>(delayMs?: number, value?: T, { ref = true, signal }: PromiseOptions = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortError(signal));
      const timer = virtual.start(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, delayMs);
      const abort = (): void => {
        timer.close();
        if (signal) reject(abortError(signal));
      };
      if (!ref) timer.unref();
      signal?.addEventListener('abort', abort, { once: true });
    });
  async function* every<T>(delayMs?: number, value?: T, options?: PromiseOptions): AsyncGenerator<T | undefined> {
    while (true) yield await wait(delayMs, value, options);
  }
  return { setTimeout: wait, setInterval: every };
}
