import { AsyncResource } from 'node:async_hooks';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

const realSetImmediate = setImmediate;

type Work = (...given: never[]) => unknown;

/**
 * Node does some work in a pool of threads: files, compression, hashing of passwords, web cryptography. Whichever thread is
 * done first would decide in which order code carries on. Here one piece of work is started at a time, in the order in
 * which the code asked, and only when nothing else is left that could run: every run is the same run.
 */
export class ThreadPool {
  /** Whether a thread may still be at work on what was started last. */
  isWorking = false;
  private readonly waiting: (() => void)[] = [];

  /** Has work started later, in the asynchronous context of now. */
  enqueue(work: () => void): void {
    this.waiting.push(AsyncResource.bind(work));
  }

  /**
   * Call it when the event loop has run dry, so that nothing is at work. Starts the next piece of work, which gives the loop
   * something to do again. Answers false when there is none.
   */
  startNext(): boolean {
    const work = this.waiting.shift();
    if (!work) return false;
    this.isWorking = true;
    realSetImmediate(work);
    return true;
  }
}

/** `pbkdf2` and its kin, which answer through the last argument and compute at once without one. */
const CRYPTO = [
  ...['pbkdf2', 'scrypt', 'hkdf', 'sign', 'verify', 'diffieHellman', 'encapsulate', 'decapsulate'],
  ...['generateKey', 'generateKeyPair', 'generatePrime', 'checkPrime', 'argon2'],
];

const FILE_HANDLE = [
  ...['appendFile', 'chmod', 'chown', 'close', 'datasync', 'read', 'readFile', 'readv', 'stat', 'sync', 'truncate'],
  ...['utimes', 'write', 'writeFile', 'writev'],
];

/** Puts the pool in front of everything of node's that works in threads. WebAssembly's compiler stays outside. */
export function installThreadPool(pool: ThreadPool): void {
  const { subtle } = crypto.webcrypto;
  callingBack(pool, crypto, CRYPTO);
  // Streams and one-shot functions alike compress chunk by chunk through this one method.
  callingBack(pool, Object.getPrototypeOf(Object.getPrototypeOf(zlib.Gzip.prototype)), ['_transform']);
  promising(pool, Object.getPrototypeOf(subtle), Object.keys(Object.getPrototypeOf(subtle)));
  const inThreads = Object.keys(fs).filter(name => Object.hasOwn(fs, `${name}Sync`));
  callingBack(pool, fs, inThreads);
  promising(
    pool,
    fs.promises,
    inThreads.filter(name => name !== 'glob'),
  );
  watchForFileHandles(pool);
  syncBuiltinESMExports();
}

/** The functions of a `FileHandle` are found at the first one that is opened: its class is not public. */
function watchForFileHandles(pool: ThreadPool): void {
  const { open } = fs.promises;
  const opened = new WeakSet<object>();
  fs.promises.open = async (...given) => {
    const handle = await open(...given);
    const prototype: object = Object.getPrototypeOf(handle);
    if (!opened.has(prototype)) {
      opened.add(prototype);
      promising(pool, prototype, FILE_HANDLE);
    }
    return handle;
  };
}

/** Functions with a callback at the end. What they refuse at once, they refuse through it. */
function callingBack(pool: ThreadPool, holder: object, names: readonly string[]): void {
  replace(holder, names, work => {
    return function (this: unknown, ...given: never[]): unknown {
      const done: unknown = given.at(-1);
      if (typeof done !== 'function') return Reflect.apply(work, this, given);
      pool.enqueue(() => {
        try {
          Reflect.apply(work, this, given);
        } catch (error) {
          Reflect.apply(done, undefined, [error]);
        }
      });
      return undefined;
    };
  });
}

/** Functions that answer by a promise. */
function promising(pool: ThreadPool, holder: object, names: readonly string[]): void {
  replace(holder, names, work => {
    return function (this: unknown, ...given: never[]): unknown {
      return new Promise((resolve, reject) => {
        pool.enqueue(() => {
          try {
            resolve(Reflect.apply(work, this, given));
          } catch (error) {
            reject(error);
          }
        });
      });
    };
  });
}

/** Puts `make` of each function in its place, with everything that hangs on it, such as how to promisify it. */
function replace(holder: object, names: readonly string[], make: (work: Work) => Work): void {
  for (const name of names) {
    const work: unknown = Reflect.get(holder, name);
    if (typeof work !== 'function') continue;
    const replaced = make(work as Work);
    Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(work));
    Object.defineProperty(holder, name, { value: replaced, configurable: true, enumerable: true, writable: true });
  }
}
