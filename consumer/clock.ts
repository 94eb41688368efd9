/** What time it is, and when to act. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Calls `then` after a while, unless what it returns is called before. It keeps no process alive. */
  after(milliseconds: number, then: () => void): () => void;
}
