/** How many letters a stint may still move. */
export class Quota {
  /** @param left at first */
  constructor(private left: number) {}

  /** Takes as many as there are, and no more than `wanted`. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.left);
    this.left -= taken;
    return taken;
  }

  /** They are not moved, so others can be. */
  giveBack(deadLetters: number): void {
    this.left += deadLetters;
  }

  get isSpent(): boolean {
    return this.left === 0;
  }
}
