/** **Assumption SQS-17:** How recent "recent" is: this window and the one before. */
const WINDOW_MS = 300_000;

/** How long messages were in flight recently, all together. */
export class InFlightTime {
  private inFlight = 0;
  private sinceMs = 0;
  private windowStartMs = 0;
  private currentMs = 0;
  private previousMs = 0;

  /** @param by how many more messages are in flight from now on */
  change(nowMs: number, by: number): void {
    this.advance(nowMs);
    this.inFlight += by;
  }

  recentMs(nowMs: number): number {
    this.advance(nowMs);
    return this.previousMs + this.currentMs;
  }

  private advance(nowMs: number): void {
    const startMs = nowMs - (nowMs % WINDOW_MS);
    if (startMs !== this.windowStartMs) {
      const wholeMs = this.currentMs + this.inFlight * (this.windowStartMs + WINDOW_MS - this.sinceMs);
      const isNext = startMs === this.windowStartMs + WINDOW_MS;
      this.previousMs = isNext ? wholeMs : this.inFlight * WINDOW_MS;
      this.currentMs = 0;
      this.windowStartMs = startMs;
      this.sinceMs = startMs;
    }
    this.currentMs += this.inFlight * (nowMs - this.sinceMs);
    this.sinceMs = nowMs;
  }
}
