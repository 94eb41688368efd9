/** How far back messages are counted. SQS updates the count of a task every few seconds. */
const WINDOW_MS = 20_000;

/** How many messages a second were moved lately. */
export class MovingRate {
  private samples: { readonly atMs: number; readonly moved: number }[] = [];

  /** @param moved so far */
  add(atMs: number, moved: number): void {
    if (this.samples.at(-1)?.moved === moved) return;
    this.samples.push({ atMs, moved });
    // The first sample outside of the window is where the window begins.
    const first = this.samples.findIndex(it => it.atMs > atMs - WINDOW_MS);
    if (first > 1) this.samples.splice(0, first - 1);
  }

  /** Null while it is unknown, or nothing moves. */
  at(nowMs: number): number | null {
    const [first] = this.samples;
    const last = this.samples.at(-1);
    if (!first || !last || last.moved <= first.moved || nowMs <= first.atMs) return null;
    return (1_000 * (last.moved - first.moved)) / (nowMs - first.atMs);
  }
}
