/** How many letters a stint may still move. */
export class Quota {
  /** @param remaining at first */
  constructor(private remaining: number) {}

  /** Takes as many as there are, and no more than `wanted`. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.remaining);
    this.remaining -= taken;
    return taken;
  }

  /** They are not moved, so others can be. */
  giveBack(deadLetters: number): void {
    this.remaining += deadLetters;
  }

  get isSpent(): boolean {
    return this.remaining === 0;
  }
}
