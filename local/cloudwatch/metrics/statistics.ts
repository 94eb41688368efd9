import type { StatisticSet } from './statistic-set';

/** Reduces many values to one number. */
export interface Statistic {
  /** The name as the caller wrote it: `Sum`, `p99`, `TM(2%:98%)`. */
  readonly name: string;
  /** Whether it is computed from every single value, as a percentile is. Others need only count, sum, minimum and maximum. */
  readonly needsValues: boolean;
  /** The percentile, from 0 to 100, if the statistic is one. */
  readonly percentile?: number;
  /** Undefined when the single values are needed but unknown. */
  of(set: StatisticSet): number | undefined;
}

const SIMPLE = {
  SampleCount: set => set.sampleCount,
  Average: set => set.sum / set.sampleCount,
  Sum: set => set.sum,
  Minimum: set => set.minimum,
  Maximum: set => set.maximum,
} as const satisfies Record<string, (set: StatisticSet) => number>;

type SimpleStatisticName = keyof typeof SIMPLE;

export const SIMPLE_STATISTICS = Object.keys(SIMPLE);

export const isSimpleStatistic = (name: string): name is SimpleStatisticName => Object.hasOwn(SIMPLE, name);

/**
 * Returns the statistic of this name, simple or extended; undefined when CloudWatch does not have it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
 */
export function statisticNamed(name: string): Statistic | undefined {
  return isSimpleStatistic(name) ? { name, needsValues: false, of: SIMPLE[name] } : extendedStatistic(name);
}

/** Values with their counts, smallest first. */
type Sorted = readonly (readonly [value: number, count: number])[];

/** Which values count: those above `low` and up to `high`, as values or as percentages. */
interface Boundaries {
  readonly unit: 'percent' | 'value';
  readonly low: number | undefined;
  readonly high: number | undefined;
}

const NUMBER = String.raw`(?:\d+(?:\.\d{1,10})?)`;
const PERCENTILE = /^p(\d{1,2}(?:\.\d{1,10})?|100(?:\.\d{1,10})?)$/;
const SHORT = /^(tm|wm|tc|ts)(\d{1,2}(?:\.\d{1,10})?|100)$/i;
const IN_PERCENT = new RegExp(`^(TM|WM|TC|TS)\\((?:(${NUMBER})%)?:(?:(${NUMBER})%)?\\)$`, 'i');
const IN_VALUES = new RegExp(`^(TM|WM|TC|TS|PR)\\((${NUMBER})?:(${NUMBER})?\\)$`, 'i');

/**
 * Parses `p99`, `tm90`, `TM(2%:98%)`, `WM(…)`, `TC(…)`, `TS(…)`, `PR(…)` and `IQM`.
 *
 * **Assumption CW-11:** AWS does not publish how it interpolates. Here the percentile p is the smallest value that at
 * least p % of the values do not exceed. Trimming n % of the values removes whole values, rounded down.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
 */
function extendedStatistic(name: string): Statistic | undefined {
  const percentile = PERCENTILE.exec(name)?.[1];
  if (percentile !== undefined)
    return { ...statistic(name, values => percentileOf(values, Number(percentile))), percentile: Number(percentile) };
  if (/^IQM$/i.test(name)) return trimmed(name, 'TM', { unit: 'percent', low: 25, high: 75 });
  const short = SHORT.exec(name);
  if (short) return trimmed(name, short[1], { unit: 'percent', low: undefined, high: Number(short[2]) });
  const inPercent = IN_PERCENT.exec(name);
  if (inPercent) return trimmed(name, inPercent[1], boundaries('percent', inPercent[2], inPercent[3]));
  const inValues = IN_VALUES.exec(name);
  return inValues ? trimmed(name, inValues[1], boundaries('value', inValues[2], inValues[3])) : undefined;
}

function boundaries(
  unit: Boundaries['unit'],
  low: string | undefined,
  high: string | undefined,
): Boundaries | undefined {
  if (low === undefined && high === undefined) return undefined;
  const found = {
    unit,
    low: low === undefined ? undefined : Number(low),
    high: high === undefined ? undefined : Number(high),
  };
  const isInOrder = (found.low ?? Number.NEGATIVE_INFINITY) < (found.high ?? Number.POSITIVE_INFINITY);
  const isPart = unit === 'value' || ((found.low ?? 0) <= 100 && (found.high ?? 0) <= 100);
  return isInOrder && isPart ? found : undefined;
}

const KINDS: Readonly<Record<string, (kept: Sorted, all: Sorted, range: Boundaries) => number | undefined>> = {
  TM: kept => (countOf(kept) === 0 ? undefined : sumOf(kept) / countOf(kept)),
  TS: kept => sumOf(kept),
  TC: kept => countOf(kept),
  PR: (kept, all) => (countOf(kept) * 100) / countOf(all),
  WM: (kept, all, range) => winsorizedMean(kept, all, range),
};

function trimmed(name: string, kind: string | undefined, range: Boundaries | undefined): Statistic | undefined {
  const of = KINDS[(kind ?? '').toUpperCase()];
  if (!of || !range) return undefined;
  return statistic(name, values => of(within(values, range), values, range));
}

function statistic(name: string, of: (values: Sorted) => number | undefined): Statistic {
  return { name, needsValues: true, of: set => (set.values === 'unknown' ? undefined : of(sortedValues(set))) };
}

function sortedValues({ values, minimum, sampleCount }: StatisticSet): Sorted {
  return values === undefined || values === 'unknown' ? [[minimum, sampleCount]] : values.sorted();
}

const countOf = (values: Sorted): number => values.reduce((total, [, count]) => total + count, 0);
const sumOf = (values: Sorted): number => values.reduce((total, [value, count]) => total + value * count, 0);

function percentileOf(values: Sorted, percentile: number): number | undefined {
  const wanted = Math.max((Math.min(percentile, 100) / 100) * countOf(values), Number.MIN_VALUE);
  let seen = 0;
  for (const [value, count] of values) {
    seen += count;
    if (seen >= wanted) return value;
  }
  return values.at(-1)?.[0];
}

function within(values: Sorted, { unit, low, high }: Boundaries): Sorted {
  if (unit === 'value') {
    return values.filter(
      ([value]) => value > (low ?? Number.NEGATIVE_INFINITY) && value <= (high ?? Number.POSITIVE_INFINITY),
    );
  }
  const all = countOf(values);
  const lowest = Math.floor(((low ?? 0) / 100) * all);
  const highest = Math.floor(((100 - (high ?? 100)) / 100) * all);
  return withoutLast(withoutFirst(values, lowest), highest);
}

function withoutFirst(values: Sorted, howMany: number): Sorted {
  let left = howMany;
  return values.flatMap(([value, count]) => {
    const taken = Math.min(left, count);
    left -= taken;
    return taken === count ? [] : [[value, count - taken] as const];
  });
}

const withoutLast = (values: Sorted, howMany: number): Sorted =>
  withoutFirst(values.toReversed(), howMany).toReversed();

/** The mean, with values beyond a boundary replaced by the boundary. */
function winsorizedMean(kept: Sorted, all: Sorted, { unit, low, high }: Boundaries): number | undefined {
  const least = unit === 'value' ? low : kept[0]?.[0];
  const most = unit === 'value' ? high : kept.at(-1)?.[0];
  const clamped = all.map(
    ([value, count]) => [Math.min(Math.max(value, least ?? value), most ?? value), count] as const,
  );
  return sumOf(clamped) / countOf(all);
}
