/** What CloudWatch keeps of the values of one bucket of time: enough for every statistic but percentiles. */
export interface StatisticSet {
  readonly sampleCount: number;
  readonly sum: number;
  readonly minimum: number;
  readonly maximum: number;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html */
export const STATISTICS = {
  SampleCount: set => set.sampleCount,
  Average: set => set.sum / set.sampleCount,
  Sum: set => set.sum,
  Minimum: set => set.minimum,
  Maximum: set => set.maximum,
} as const satisfies Record<string, (set: StatisticSet) => number>;

export type StatisticName = keyof typeof STATISTICS;

export const isStatistic = (name: string): name is StatisticName => Object.hasOwn(STATISTICS, name);

/** The set of `count` equal values. */
export function valueSet(value: number, count = 1): StatisticSet {
  return { sampleCount: count, sum: value * count, minimum: value, maximum: value };
}

export function mergeSets(a: StatisticSet, b: StatisticSet): StatisticSet {
  return {
    sampleCount: a.sampleCount + b.sampleCount,
    sum: a.sum + b.sum,
    minimum: Math.min(a.minimum, b.minimum),
    maximum: Math.max(a.maximum, b.maximum),
  };
}
