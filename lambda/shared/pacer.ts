import { forwardOnly, type NowMs, type Wait } from '../../mover/aws/clock';

/**
 * Keeps a minimum time between the requests of an invocation. The first request waits for one interval too, because the invocation
 * before in the same execution environment may have made a request at its end.
 */
export class Pacer {
  private freeAtMs: number;
  private readonly now: NowMs;

  /** @param intervalMs the minimum time between two requests; 0 means no pace */
  constructor(
    private readonly intervalMs: number,
    clock: NowMs,
    private readonly wait: Wait,
  ) {
    this.now = forwardOnly(clock);
    this.freeAtMs = this.now() + intervalMs;
  }

  /** How long the next request must wait. */
  get waitMs(): number {
    return Math.max(0, this.freeAtMs - this.now());
  }

  /** Takes the next turn. Resolves when it has come; undefined if it has come already. */
  turn(): Promise<void> | undefined {
    const nowMs = this.now();
    const atMs = Math.max(this.freeAtMs, nowMs);
    this.freeAtMs = atMs + this.intervalMs;
    return atMs > nowMs ? this.until(atMs) : undefined;
  }

  private async until(atMs: number): Promise<void> {
    // Node's timers may fire a millisecond early.
    for (let leftMs = atMs - this.now(); leftMs > 0; leftMs = atMs - this.now()) await this.wait(leftMs);
  }
}
