import { AsyncResource } from 'node:async_hooks';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import zlib from 'node:zlib';

const realSetImmediate = setImmediate;

type Work = (...given: never[]) => unknown;

/**
 * Serializes the work that Node.js does in a pool of threads: files, compression, password hashing, Web Crypto. The
 * order in which the threads finish would otherwise decide the order in which code continues. Here one piece of work
 * runs at a time, in the order in which the code started them, and only when nothing else is left to run. Every run is
 * then the same.
 */
export class ThreadPool {
  /** Whether a thread may still be working on what was started last. */
  isWorking = false;
  private readonly waiting: (() => void)[] = [];

  /** Starts work later, in the current asynchronous context. */
  enqueue(work: () => void): void {
    this.waiting.push(AsyncResource.bind(work));
  }

  /** Starts the next piece of work. Call it when the thread is idle. @returns false when there is none */
  startNext(): boolean {
    const work = this.waiting.shift();
    if (!work) return false;
    this.isWorking = true;
    realSetImmediate(work);
    return true;
  }
}

/**
 * Functions such as `pbkdf2`, which pass the result to a callback as the last argument, and are synchronous without
 * one.
 */
const CRYPTO = [
  ...['pbkdf2', 'scrypt', 'hkdf', 'sign', 'verify', 'diffieHellman', 'encapsulate', 'decapsulate'],
  ...['generateKey', 'generateKeyPair', 'generatePrime', 'checkPrime', 'argon2'],
];

const FILE_HANDLE = [
  ...['appendFile', 'chmod', 'chown', 'close', 'datasync', 'read', 'readFile', 'readv', 'stat', 'sync', 'truncate'],
  ...['utimes', 'write', 'writeFile', 'writev'],
];

/** Makes every function of Node.js that works in threads use the pool, except for the compilation of WebAssembly. */
export function installThreadPool(pool: ThreadPool): void {
  const { subtle } = crypto.webcrypto;
  callingBack(pool, crypto, CRYPTO);
  // All streams and one-shot functions compress each chunk with this method.
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

/** Wraps the methods of `FileHandle` when the first file is opened, because the class is not public. */
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

/** Wraps functions with a callback as the last argument, which also receives the errors they throw immediately. */
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

/** Wraps functions that return a promise. */
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

/** Replaces functions by `make` of each, and copies their properties, such as the promisified version. */
function replace(holder: object, names: readonly string[], make: (work: Work) => Work): void {
  for (const name of names) {
    const work: unknown = Reflect.get(holder, name);
    if (typeof work !== 'function') continue;
    const replaced = make(work as Work);
    Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(work));
    Object.defineProperty(holder, name, { value: replaced, configurable: true, enumerable: true, writable: true });
  }
}
