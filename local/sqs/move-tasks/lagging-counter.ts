import type { Clock } from '../../kernel/clock';

/**
 * Counts, and tells the count late: what it tells was true at the last full `lagMs` since it began. On record are tasks
 * that told 0 messages moved when two had long arrived; by how much AWS is late it does not say, so the lag is our choice.
 */
export class LaggingCounter {
  private counted = 0;
  private reported = 0;
  private period = 0;
  private readonly beganAtMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly lagMs: number,
  ) {
    this.beganAtMs = clock.nowMs;
  }

  /** The truth. */
  get exact(): number {
    return this.counted;
  }

  /** What is told. */
  get approximate(): number {
    this.catchUp();
    return this.reported;
  }

  count(): void {
    this.catchUp();
    this.counted += 1;
  }

  private catchUp(): void {
    const period = Math.floor((this.clock.nowMs - this.beganAtMs) / this.lagMs);
    if (period === this.period) return;
    this.period = period;
    this.reported = this.counted;
  }
}
