/**
 * What CloudWatch stores of the values in a period.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_StatisticSet.html
 */
export interface StatisticSet {
  readonly sampleCount: number;
  readonly sum: number;
  readonly minimum: number;
  readonly maximum: number;
  /**
   * The single values; `unknown` if the set was reported as a whole and its values may differ. @default all values are
   * equal
   */
  readonly values?: ValueCounts | 'unknown';
}

/** Makes the set of `count` equal values. */
export function valueSet(value: number, count = 1): StatisticSet {
  return { sampleCount: count, sum: value * count, minimum: value, maximum: value };
}

/** Makes the set of values and their counts; undefined when there are none. */
export function valuesSet(pairs: readonly (readonly [value: number, count: number])[]): StatisticSet | undefined {
  let merged: StatisticSet | undefined;
  for (const [value, count] of pairs) {
    const set = valueSet(value, count);
    merged = merged ? mergeSets(merged, set) : set;
  }
  return merged;
}

/** Makes a set that was reported without its single values. Like AWS, infers them where they must all be equal. */
export function wholeSet({ sampleCount, sum, minimum, maximum }: Omit<StatisticSet, 'values'>): StatisticSet {
  const set = { sampleCount, sum, minimum, maximum };
  return minimum === maximum ? set : { ...set, values: 'unknown' };
}

export function mergeSets(a: StatisticSet, b: StatisticSet): StatisticSet {
  const merged = {
    sampleCount: a.sampleCount + b.sampleCount,
    sum: a.sum + b.sum,
    minimum: Math.min(a.minimum, b.minimum),
    maximum: Math.max(a.maximum, b.maximum),
  };
  return merged.minimum === merged.maximum ? merged : { ...merged, values: mergedValues(a, b) };
}

function mergedValues(a: StatisticSet, b: StatisticSet): ValueCounts | 'unknown' {
  if (a.values === 'unknown' || b.values === 'unknown') return 'unknown';
  const values = new ValueCounts();
  for (const set of [a, b]) addValues(values, set);
  return values;
}

/** Adds the single values of a set, if they are known. */
export function addValues(to: ValueCounts, { values, minimum, sampleCount }: StatisticSet): void {
  if (values === 'unknown') return;
  if (values) to.addAll(values);
  else to.add(minimum, sampleCount);
}

/** With more distinct values than this, similar values are merged. */
const MOST_DIFFERENT_VALUES = 512;

/** The significant digits to which values are rounded when there are too many: an error of at most 0.5 %, then 5 %. */
const COARSER_DIGITS = [3, 2] as const;

/**
 * Counts how often each value was reported, as input for percentiles.
 *
 * **Assumption CW-13:** AWS stores counts of values, and does not publish their precision. Here values are exact while
 * a period has at most 512 distinct ones. Beyond that they are rounded to three significant digits, then to two, so
 * that a bucket stays small.
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

  /** The values with their counts, smallest first. */
  sorted(): readonly (readonly [value: number, count: number])[] {
    const pairs = [...this.counts].map(([value, { count }]) => [value, count] as const);
    return pairs.sort(([a], [b]) => a - b);
  }

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
