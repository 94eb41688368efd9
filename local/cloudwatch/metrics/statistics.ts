import { extendedStatistic } from './extended-statistics';
import type { StatisticSet } from './statistic-set';

/** A way to make one number of many. */
export interface Statistic {
  /** As the caller wrote it: `Sum`, `p99`, `TM(2%:98%)`. */
  readonly name: string;
  /** Whether it takes the single values. */
  readonly needsValues: boolean;
  /** For a percentile, which one, from 0 to 100. */
  readonly percentile?: number;
  /** Undefined where the single values are needed and nobody knows them. */
  of(set: StatisticSet): number | undefined;
}

const SIMPLE = {
  SampleCount: set => set.sampleCount,
  Average: set => set.sum / set.sampleCount,
  Sum: set => set.sum,
  Minimum: set => set.minimum,
  Maximum: set => set.maximum,
} as const satisfies Record<string, (set: StatisticSet) => number>;

export type SimpleStatisticName = keyof typeof SIMPLE;

export const SIMPLE_STATISTICS = Object.keys(SIMPLE);

export const isSimpleStatistic = (name: string): name is SimpleStatisticName => Object.hasOwn(SIMPLE, name);

/**
 * The statistic of this name, simple or extended; undefined when CloudWatch has none of it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
 */
export function statisticNamed(name: string): Statistic | undefined {
  return isSimpleStatistic(name) ? { name, needsValues: false, of: SIMPLE[name] } : extendedStatistic(name);
}
