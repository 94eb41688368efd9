import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Random } from '../../kernel/random';

type Bytes = Uint8Array | DataView | ArrayBuffer;
type Done<T> = (error: Error | null, value: T) => void;

/**
 * Makes `Math.random`, and the random bytes, numbers and UUIDs of `node:crypto` and Web Crypto, deterministic.
 * Generated keys (`generateKeyPair`) and salts in native code remain random.
 */
export function installRandomness(seed: string): void {
  const random = new Random(seed);
  const fill = <T extends ArrayBufferView | ArrayBuffer>(target: T, offset = 0, size?: number): T => {
    const bytes = view(target).subarray(offset, size === undefined ? undefined : offset + size);
    for (let i = 0; i < bytes.length; i += 1) bytes[i] = random.integer(0, 255);
    return target;
  };
  const uuid = (): string => random.uuid();

  Math.random = () => random.fraction();
  Object.assign(crypto, {
    randomUUID: uuid,
    randomFillSync: fill,
    randomBytes: later((size: number) => fill(Buffer.alloc(size))),
    pseudoRandomBytes: later((size: number) => fill(Buffer.alloc(size))),
    randomInt: later((from: number, to?: number) =>
      to === undefined ? random.integer(0, from - 1) : random.integer(from, to - 1),
    ),
    randomFill: later(fill),
  });
  Object.defineProperties(crypto.webcrypto, {
    randomUUID: { value: uuid },
    getRandomValues: { value: (target: ArrayBufferView) => fill(target) },
  });
  syncBuiltinESMExports();
}

/** Adds Node.js's calling convention: if the last argument is a function, it receives the result. */
function later<Given extends unknown[], T>(draw: (...given: Given) => T) {
  return (...given: [...Given, Done<T>?]): T | undefined => {
    const last = given.at(-1);
    // Without a callback, `given` is of type `Given`, which TypeScript cannot infer from the last element.
    if (typeof last !== 'function') return draw(...(given as unknown as Given));
    const value = draw(...(given.slice(0, -1) as Given));
    process.nextTick(last as Done<T>, null, value);
    return undefined;
  };
}

function view(target: Bytes | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(target)
    ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
    : new Uint8Array(target);
}
