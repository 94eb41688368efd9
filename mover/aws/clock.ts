/** Calls `then` after a time, unless the returned function is called first. */
export type Timer = (milliseconds: number, then: () => void) => () => void;

/** Resolves after a time. */
export type Wait = (milliseconds: number) => Promise<void>;

/** Returns the time in milliseconds since 1970. */
export type NowMs = () => number;

/** The machine's clock. */
export const nowMs: NowMs = () => Date.now();

/** Node's timer. */
export const timer: Timer = (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
};

export const wait: Wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
