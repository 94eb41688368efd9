/** Calls `then` after a time, unless the returned function is called first. */
export type Timer = (milliseconds: number, then: () => void) => () => void;

/** Resolves after a time. */
export type Wait = (milliseconds: number) => Promise<void>;

/** Returns the time in milliseconds since 1970. */
export type NowMs = () => number;

/** The machine's clock. */
export const nowMs: NowMs = () => Date.now();

export const timer: Timer = (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
};

/** A signal that ends a call after a time. */
export const abortAfter = (milliseconds: number): AbortSignal => AbortSignal.timeout(milliseconds);

/** The machine's randomness, from 0 to 1. */
export const random = (): number => Math.random();

export const wait: Wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/**
 * Returns a clock that never goes back. When the given clock is set back, it continues from the time it had shown. Waits for a
 * turn use it: by the clock of the machine, a step back of 20 seconds would hold up a batch for 20 seconds more.
 */
export function forwardOnly(clock: NowMs): NowMs {
  let shownMs = Number.NEGATIVE_INFINITY;
  let aheadMs = 0;
  return () => {
    const atMs = clock();
    if (atMs + aheadMs < shownMs) aheadMs = shownMs - atMs;
    shownMs = atMs + aheadMs;
    return shownMs;
  };
}
