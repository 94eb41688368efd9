/** Calls `then` after a while, unless what it returns is called before. */
export type Timer = (milliseconds: number, then: () => void) => () => void;

/** Resolves after a while. */
export type Wait = (milliseconds: number) => Promise<void>;

/** The time, in milliseconds since 1970. */
export type NowMs = () => number;

/** The machine's own time. */
export const nowMs: NowMs = () => Date.now();

/** Node's own timer. */
export const timer: Timer = (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
};

export const wait: Wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
