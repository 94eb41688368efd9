import type { Datapoint, GetMetricStatisticsInput } from '@aws-sdk/client-cloudwatch';
import { Constraints, invalidCombination, invalidParameter, missingParameter } from '../errors';
import { dimensionsOf, type MetricSeries } from '../metrics/metric-series';
import { type Grid, gridOf, instantOf, isReadable, isReadPeriod } from '../metrics/periods';
import { SIMPLE_STATISTICS, type Statistic, statisticNamed } from '../metrics/statistics';
import type { CloudWatchAction } from './cloud-watch-action';

const MOST_DATAPOINTS = 1_440;
const MS_PER_SECOND = 1_000;
const MOST_EXTENDED_STATISTICS = 10;

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html */
export const getMetricStatistics: CloudWatchAction<'GetMetricStatistics'> = {
  permission: 'cloudwatch:GetMetricStatistics',
  resourceOf: () => ({ arn: '*' }),
  run: (state, { input }) => {
    const { MetricName = '', Namespace = '', Dimensions, Unit } = input;
    const { simple, extended } = statistics(input);
    const { nowMs } = state.context.timeline;
    const grid = checkedGrid(nowMs, input);
    const instants = Array.from({ length: grid.count }, (_, index) => instantOf(grid, index));
    const periods = instants
      .filter(atMs => isReadable(nowMs - atMs, grid.periodMs))
      .map(atMs => [atMs, atMs + grid.periodMs] as const);
    const series = state.metrics.find(Namespace, MetricName, dimensionsOf(Dimensions));
    const units = Unit === undefined ? (series?.units ?? []) : [Unit];
    return {
      Label: MetricName,
      Datapoints: series ? units.flatMap(unit => datapoints(series, periods, unit, { simple, extended })) : [],
    };
  },
};

interface Statistics {
  readonly simple: readonly Statistic[];
  readonly extended: readonly Statistic[];
}

function statistics(input: GetMetricStatisticsInput): Statistics {
  for (const required of ['Namespace', 'MetricName', 'StartTime', 'EndTime', 'Period'] as const) {
    if (input[required] === undefined || input[required] === '') throw missingParameter(required);
  }
  const { Statistics: simple = [], ExtendedStatistics: extended = [] } = input;
  const constraints = new Constraints().length('extendedStatistics', extended, 0, MOST_EXTENDED_STATISTICS);
  for (const [index, name] of simple.entries()) {
    constraints.oneOf(`statistics.${index + 1}.member`, name, SIMPLE_STATISTICS);
  }
  constraints.check();
  if (simple.length === 0 && extended.length === 0) {
    throw missingParameter('Statistics or ExtendedStatistics');
  }
  return { simple: simple.flatMap(named), extended: extended.flatMap(named) };
}

function named(name: string): Statistic[] {
  const statistic = statisticNamed(name);
  if (!statistic) throw invalidParameter(`The value ${name} for parameter ExtendedStatistics is not supported.`);
  return [statistic];
}

function checkedGrid(nowMs: number, { StartTime, EndTime, Period = 0 }: GetMetricStatisticsInput): Grid {
  const fromMs = StartTime?.getTime() ?? nowMs;
  const toMs = EndTime?.getTime() ?? nowMs;
  if (!(fromMs < toMs)) {
    throw invalidParameter('The parameter StartTime must be less than the parameter EndTime.');
  }
  if (!isReadPeriod(Period)) {
    throw invalidParameter(`The parameter Period must be 1, 5, 10, 20, 30 or a multiple of 60, got ${Period}.`);
  }
  // Recorded on AWS: exactly 24 hours by the minute are accepted, wherever in a minute they start.
  const count = Math.ceil((toMs - fromMs) / (Period * MS_PER_SECOND));
  if (count > MOST_DATAPOINTS) {
    throw invalidCombination(
      `You have requested up to ${count.toLocaleString('en')} datapoints, which exceeds the limit of 1,440. ` +
        'You may reduce the datapoints requested by increasing Period, or decreasing the time range.',
    );
  }
  return gridOf(nowMs, fromMs, toMs, Period);
}

function datapoints(
  series: MetricSeries,
  periods: readonly (readonly [fromMs: number, toMs: number])[],
  unit: string,
  { simple, extended }: Statistics,
): Datapoint[] {
  const withValues = extended.some(({ needsValues }) => needsValues);
  return periods.flatMap(([fromMs, toMs]): Datapoint[] => {
    const set = series.between(fromMs, toMs, { unit, withValues });
    if (!set) return [];
    const of = (statistics: readonly Statistic[]): Readonly<Record<string, number>> =>
      Object.fromEntries(
        statistics.flatMap(statistic => {
          const value = statistic.of(set);
          return value === undefined ? [] : [[statistic.name, value]];
        }),
      );
    const percentiles = extended.length > 0 ? { ExtendedStatistics: of(extended) } : {};
    return [{ Timestamp: new Date(fromMs), Unit: unit as Datapoint['Unit'], ...of(simple), ...percentiles }];
  });
}
