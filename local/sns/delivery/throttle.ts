/**
 * Paces the deliveries of one subscription. `maxReceivesPerSecond` is an average: what was not used of the last second may
 * be used at once. That a burst is at most one second's worth is our choice; AWS only says that bursts happen.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export class Throttle {
  /** When the next delivery would be due if all had kept the pace. */
  private paceMs = Number.NEGATIVE_INFINITY;

  /**
   * The instant at which a delivery that is ready now may go, in whole milliseconds like every instant.
   *
   * @param maxHoldMs whoever would be held longer than this gets no turn, and takes none from those behind
   */
  reserve(nowMs: number, maxReceivesPerSecond: number, maxHoldMs: number): number | undefined {
    const intervalMs = 1_000 / maxReceivesPerSecond;
    const unusedMs = 1_000 - intervalMs;
    const turnAtMs = Math.max(nowMs, this.paceMs - unusedMs);
    if (turnAtMs - nowMs > maxHoldMs) return undefined;
    this.paceMs = Math.max(this.paceMs, turnAtMs) + intervalMs;
    return Math.round(turnAtMs);
  }
}
