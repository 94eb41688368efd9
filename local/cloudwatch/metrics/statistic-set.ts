import { ValueCounts } from './value-counts';

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
