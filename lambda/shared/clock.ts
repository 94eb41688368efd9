/** Calls `then` after a while, unless what it returns is called before. */
export type Timer = (milliseconds: number, then: () => void) => () => void;

/** Resolves after a while. */
export type Wait = (milliseconds: number) => Promise<void>;

/** Node's own timer. */
export const timer: Timer = (milliseconds, then) => {
  const timeout = setTimeout(then, milliseconds);
  return () => clearTimeout(timeout);
};

export const wait: Wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
