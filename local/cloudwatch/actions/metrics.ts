import type { Datapoint, DimensionFilter, GetMetricStatisticsInput, MetricDatum } from '@aws-sdk/client-cloudwatch';
import { DAY_MS, HOUR_MS } from '../../../policy/time-units';
import { notImplemented } from '../../kernel/aws-error';
import {
  Constraints,
  cloudWatchPage,
  invalidCombination,
  invalidParameter,
  missingParameter,
  tooMany,
} from '../errors';
import {
  dimensionList,
  dimensionsOf,
  type MetricSeries,
  type StorageResolutionSeconds,
} from '../metrics/metric-series';
import { type Grid, gridOf, instantOf, isReadable, isReadPeriod } from '../metrics/periods';
import { type StatisticSet, valueSet, valuesSet, wholeSet } from '../metrics/statistic-set';
import { SIMPLE_STATISTICS, type Statistic, statisticNamed } from '../metrics/statistics';
import { isUnit } from '../metrics/units';
import type { CloudWatchFamily } from './cloud-watch-action';

/** AWS does not list a metric without new data in the past two weeks. */
const LISTED_FOR_MS = 14 * DAY_MS;
const RECENT_MS = 3 * HOUR_MS;
const PAGE_SIZE = 500;
const MOST_FILTERS = 10;

const metric = ({ identity: { namespace, name, dimensions } }: MetricSeries) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: dimensionList(dimensions),
});

const MOST_DATAPOINTS = 1_440;
const MS_PER_SECOND = 1_000;
const MOST_EXTENDED_STATISTICS = 10;

interface Statistics {
  readonly simple: readonly Statistic[];
  readonly extended: readonly Statistic[];
}

const OLDEST_MS = 14 * DAY_MS;
const NEWEST_MS = 2 * HOUR_MS;
const MOST_DATA = 1_000;
const MOST_DIMENSIONS = 30;
const MOST_VALUES = 150;
const LONGEST_NAME = 255;
const LARGEST = 2 ** 360;

export const metricActions = {
  ListMetrics: {
    run: ({ metrics, context }, { input }) => {
      if (input.IncludeLinkedAccounts || input.OwningAccount) throw notImplemented("ListMetrics's linked accounts");
      new Constraints()
        .length('dimensions', input.Dimensions, 0, MOST_FILTERS)
        .oneOf('recentlyActive', input.RecentlyActive, ['PT3H'])
        .check();
      const sinceMs = context.timeline.nowMs - (input.RecentlyActive ? RECENT_MS : LISTED_FOR_MS);
      const found = metrics.reported.filter(
        ({ identity: { namespace, name, dimensions }, reportedAtMs = Number.NEGATIVE_INFINITY }) =>
          reportedAtMs >= sinceMs &&
          (input.Namespace ?? namespace) === namespace &&
          (input.MetricName ?? name) === name &&
          (input.Dimensions ?? []).every(filter => has(dimensions, filter)),
      );
      const { items, nextToken } = cloudWatchPage(found, PAGE_SIZE, input.NextToken);
      return { Metrics: items.map(metric), NextToken: nextToken };
    },
  },

  GetMetricStatistics: {
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
  },

  PutMetricData: {
    contextOf: ({ Namespace = '' }) => ({ 'cloudwatch:namespace': Namespace }),
    run: (state, { input }) => {
      if (input.EntityMetricData) throw notImplemented("PutMetricData's EntityMetricData");
      const namespace = checkedNamespace(input.Namespace);
      if (!input.MetricData) throw missingParameter('MetricData');
      if (input.MetricData.length > MOST_DATA) throw tooMany('MetricData', MOST_DATA);
      const { nowMs } = state.context.timeline;
      const data = input.MetricData.map((datum, index) => checked(datum, `MetricData.member.${index + 1}`, nowMs));
      for (const { datum, set, atMs, resolution } of data) {
        state.metrics
          .series(namespace, datum.MetricName ?? '', dimensionsOf(datum.Dimensions))
          .add(nowMs, atMs, set, datum.Unit ?? 'None', resolution);
      }
      return {};
    },
  },
} satisfies CloudWatchFamily;

/** A filter without a value accepts any value. */
function has(dimensions: Readonly<Record<string, string>>, { Name = '', Value }: DimensionFilter): boolean {
  return Object.hasOwn(dimensions, Name) && (Value ?? dimensions[Name]) === dimensions[Name];
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

function checkedNamespace(namespace: string | undefined): string {
  if (!namespace) throw missingParameter('Namespace');
  if (namespace.startsWith('AWS/')) {
    throw invalidParameter('The value AWS/ for parameter Namespace is invalid: it is reserved for AWS services.');
  }
  if (namespace.startsWith(':') || namespace.length > LONGEST_NAME) {
    throw invalidParameter(`The value ${namespace} for parameter Namespace is invalid.`);
  }
  return namespace;
}

interface CheckedDatum {
  readonly datum: MetricDatum;
  readonly set: StatisticSet;
  readonly atMs: number;
  readonly resolution: StorageResolutionSeconds;
}

function checked(datum: MetricDatum, member: string, nowMs: number): CheckedDatum {
  const { MetricName: name, Unit: unit, StorageResolution: resolution = 60, Timestamp } = datum;
  if (!name) throw missingParameter(`${member}.MetricName`);
  if (name.length > LONGEST_NAME) throw invalidValue(name, `${member}.MetricName`);
  if (unit !== undefined && !isUnit(unit)) throw invalidValue(unit, `${member}.Unit`);
  if (resolution !== 1 && resolution !== 60) throw invalidValue(resolution, `${member}.StorageResolution`);
  const atMs = Timestamp?.getTime() ?? nowMs;
  if (atMs < nowMs - OLDEST_MS) {
    throw invalidParameter(`The parameter ${member}.Timestamp must specify a time no more than two weeks in the past.`);
  }
  if (atMs > nowMs + NEWEST_MS) {
    throw invalidParameter(
      `The parameter ${member}.Timestamp must specify a time no more than two hours in the future.`,
    );
  }
  checkDimensions(datum, member);
  return { datum, set: statisticSet(datum, member), atMs, resolution };
}

function checkDimensions({ Dimensions: dimensions = [] }: MetricDatum, member: string): void {
  if (dimensions.length > MOST_DIMENSIONS) throw tooMany(`${member}.Dimensions`, MOST_DIMENSIONS);
  dimensions.forEach(({ Name, Value }, index) => {
    const dimension = `${member}.Dimensions.member.${index + 1}`;
    if (!Name) throw missingParameter(`${dimension}.Name`);
    if (!Value) throw missingParameter(`${dimension}.Value`);
  });
}

/**
 * **Assumption CW-9:** AWS accepts `Values` together with `StatisticValues`, and does not publish which one counts.
 * Here `Values` does.
 */
function statisticSet(datum: MetricDatum, member: string): StatisticSet {
  const { Value: value, StatisticValues: statistics, Values: values } = datum;
  if (value !== undefined) {
    if (values) throw exclusive(`${member}.Value`, `${member}.Values`);
    if (statistics) throw exclusive(`${member}.Value`, `${member}.StatisticValues`);
    return valueSet(inRange(value, `${member}.Value`));
  }
  if (values) return setOfValues(datum, values, member);
  if (!statistics) throw missingParameter(`${member}.Value`);
  const name = `${member}.StatisticValues`;
  const sampleCount = inRange(statistics.SampleCount, `${name}.SampleCount`);
  const sum = inRange(statistics.Sum, `${name}.Sum`);
  const minimum = inRange(statistics.Minimum, `${name}.Minimum`);
  const maximum = inRange(statistics.Maximum, `${name}.Maximum`);
  if (sampleCount <= 0) throw invalidValue(sampleCount, `${name}.SampleCount`);
  if (maximum < minimum) {
    throw invalidParameter(`The parameter ${name}.Maximum must be greater than ${name}.Minimum.`);
  }
  return wholeSet({ sampleCount, sum, minimum, maximum });
}

function setOfValues({ Counts: counts }: MetricDatum, values: readonly number[], member: string): StatisticSet {
  if (values.length > MOST_VALUES) throw tooMany(`${member}.Values`, MOST_VALUES);
  if (counts && counts.length !== values.length) {
    throw invalidParameter(`The parameters ${member}.Values and ${member}.Counts must be of the same size.`);
  }
  const pairs = values.map((value, index) => {
    const count = inRange(counts?.[index] ?? 1, `${member}.Counts.member.${index + 1}`);
    if (count <= 0) throw invalidValue(count, `${member}.Counts.member.${index + 1}`);
    return [inRange(value, `${member}.Values.member.${index + 1}`), count] as const;
  });
  const set = valuesSet(pairs);
  if (!set) throw missingParameter(`${member}.Values`);
  return set;
}

function inRange(value: number | undefined, member: string): number {
  if (value === undefined) throw missingParameter(member);
  if (!(Math.abs(value) <= LARGEST)) throw invalidValue(value, member);
  return value;
}

const invalidValue = (value: unknown, member: string) =>
  invalidParameter(`The value ${value} for parameter ${member} is invalid.`);

const exclusive = (a: string, b: string) =>
  invalidCombination(`The parameters ${a} and ${b} are mutually exclusive and you have specified both.`);
