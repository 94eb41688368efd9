/** With more different values than this, values that are nearly the same count as one. */
const MOST_DIFFERENT_VALUES = 512;

/** To how many significant digits values are kept when there are too many: to within 0.5 %, then to within 5 %. */
const COARSER_DIGITS = [3, 2] as const;

/**
 * How often each value was reported: what percentiles are made of. AWS keeps counts of values too, and says no more of it.
 * Our choice: values are exact as long as a stretch of time has at most 512 different ones; beyond that they are rounded to
 * three significant digits, then to two, so that a bucket stays small whatever is reported.
 */
export class ValueCounts {
  private counts = new Map<number, { count: number }>();
  private coarseness = 0;

  add(value: number, count: number): void {
    const kept = this.rounded(value);
    const known = this.counts.get(kept);
    if (known) {
      known.count += count;
      return;
    }
    this.counts.set(kept, { count });
    if (this.counts.size > MOST_DIFFERENT_VALUES && this.coarseness < COARSER_DIGITS.length) this.coarsen();
  }

  addAll(other: ValueCounts): void {
    for (const [value, { count }] of other.counts) this.add(value, count);
  }

  /** Values and their counts, smallest first. */
  sorted(): readonly (readonly [value: number, count: number])[] {
    const pairs = [...this.counts].map(([value, { count }]) => [value, count] as const);
    return pairs.sort(([a], [b]) => a - b);
  }

  /** How many values it tells apart. */
  get size(): number {
    return this.counts.size;
  }

  private rounded(value: number): number {
    const digits = COARSER_DIGITS[this.coarseness - 1];
    return digits === undefined ? value : Number(value.toPrecision(digits));
  }

  private coarsen(): void {
    this.coarseness += 1;
    const finer = this.counts;
    this.counts = new Map();
    for (const [value, { count }] of finer) this.add(value, count);
  }
}
