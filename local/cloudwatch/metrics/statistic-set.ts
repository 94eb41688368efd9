/**
 * What CloudWatch keeps of the values of a stretch of time.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_StatisticSet.html
 */
export interface StatisticSet {
  readonly sampleCount: number;
  readonly sum: number;
  readonly minimum: number;
  readonly maximum: number;
  /**
   * The single values. `unknown` when somebody reported a whole set of different ones. @default they are all the same
   */
  readonly values?: ValueCounts | 'unknown';
}

/** The set of `count` equal values. */
export function valueSet(value: number, count = 1): StatisticSet {
  return { sampleCount: count, sum: value * count, minimum: value, maximum: value };
}

/** The set of values and how often each occurs; undefined when there are none. */
export function valuesSet(pairs: readonly (readonly [value: number, count: number])[]): StatisticSet | undefined {
  let merged: StatisticSet | undefined;
  for (const [value, count] of pairs) {
    const set = valueSet(value, count);
    merged = merged ? mergeSets(merged, set) : set;
  }
  return merged;
}

/** A set whose single values nobody told; AWS reads them off where they can only be equal. */
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

/** Adds the single values of a set, where they are known. */
export function addValues(to: ValueCounts, { values, minimum, sampleCount }: StatisticSet): void {
  if (values === 'unknown') return;
  if (values) to.addAll(values);
  else to.add(minimum, sampleCount);
}

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
