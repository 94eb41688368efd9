import type { NowMs, Wait } from '../shared/clock';

/**
 * Keeps the requests of one invocation apart. The first waits for an interval from the invocation's start, so that it is far
 * enough from the last one of whichever invocation its environment had before.
 */
export class Pacer {
  private freeAtMs: number;

  /** @param intervalMs the least time between two requests; 0 does not pace them */
  constructor(
    private readonly intervalMs: number,
    private readonly now: NowMs,
    private readonly wait: Wait,
  ) {
    this.freeAtMs = now() + intervalMs;
  }

  /** When a request could begin that is asked for now. */
  get nextAtMs(): number {
    return Math.max(this.freeAtMs, this.now());
  }

  /** Takes the next turn, and resolves when it has come; undefined where it has come already. */
  turn(): Promise<void> | undefined {
    const atMs = this.nextAtMs;
    this.freeAtMs = atMs + this.intervalMs;
    return atMs > this.now() ? this.until(atMs) : undefined;
  }

  private async until(atMs: number): Promise<void> {
    // A timer of node's may be a millisecond early.
    for (let leftMs = atMs - this.now(); leftMs > 0; leftMs = atMs - this.now()) await this.wait(leftMs);
  }
}
