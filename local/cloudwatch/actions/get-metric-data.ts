import type { GetMetricDataInput, MessageData, MetricDataResult } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { CloudWatchState } from '../cloud-watch-state';
import { Constraints, invalidNextToken, validationError } from '../errors';
import { isList, isSeries, type MathValue, pointsOf, type TimeSeries } from '../math/time-series';
import {
  asValidationError,
  coarsestPeriod,
  defaultLabel,
  type Query,
  type QuerySet,
  querySet,
} from '../metrics/metric-queries';
import { readSeries } from '../metrics/metric-series';
import { type Grid, gridOf, isReadable, isReadPeriod } from '../metrics/periods';
import { inUnitOrder } from '../metrics/units';
import type { CloudWatchAction } from './cloud-watch-action';

const MOST_QUERIES = 500;
const MOST_DATAPOINTS = 100_800;
/**
 * The maximum number of periods in all queries of a request, so that no request takes minutes. AWS has no such limit.
 */
const MOST_PERIODS = 1_000_000;

/** Supports metrics and metric math. Computed labels (`${AVG}`), Metrics Insights and `SEARCH` are not implemented. */
export const getMetricData: CloudWatchAction<'GetMetricData'> = {
  run: (state, { input }) => {
    const { fromMs, toMs } = checkedRange(input);
    const set = querySet(input.MetricDataQueries ?? [], {
      list: 'MetricDataQueries',
      isPeriod: isReadPeriod,
      periodRule: 'Period must be 1, 5, 10, 20, 30 or a multiple of 60',
      invalidStatistic: 'The value for parameter Stat is not supported.',
    });
    const request = new DataRequest(state, set, fromMs, toMs);
    const wanted = set.queries.filter(({ returnData }) => returnData);
    const results = wanted.flatMap(query => request.resultsOf(query, input.ScanBy === 'TimestampAscending'));
    const { page, nextToken } = pageOfResults(results, input.MaxDatapoints ?? MOST_DATAPOINTS, input.NextToken);
    return { MetricDataResults: page, Messages: [], NextToken: nextToken };
  },
};

function checkedRange(input: GetMetricDataInput): { readonly fromMs: number; readonly toMs: number } {
  const { MetricDataQueries: queries, StartTime, EndTime, MaxDatapoints, ScanBy } = input;
  new Constraints()
    .notNull('metricDataQueries', queries)
    .notNull('startTime', StartTime)
    .notNull('endTime', EndTime)
    .length('metricDataQueries', queries, 1, MOST_QUERIES)
    .range('maxDatapoints', MaxDatapoints, 1, MOST_DATAPOINTS)
    .oneOf('scanBy', ScanBy, ['TimestampDescending', 'TimestampAscending'])
    .check();
  const dynamic = queries?.find(({ Label }) => Label?.includes('${'));
  if (dynamic) throw notImplemented(`dynamic labels, such as ${dynamic.Label}`);
  const fromMs = StartTime?.getTime() ?? 0;
  const toMs = EndTime?.getTime() ?? 0;
  if (!(fromMs < toMs)) throw validationError('The parameter EndTime must be greater than StartTime.');
  return { fromMs, toMs };
}

class DataRequest {
  constructor(
    private readonly state: CloudWatchState,
    private readonly set: QuerySet,
    private readonly fromMs: number,
    private readonly toMs: number,
  ) {
    const counts = set.queries.map(query => this.gridFor(query).count);
    const most = Math.max(...counts);
    if (most > MOST_DATAPOINTS) {
      throw validationError(`You have requested ${most} datapoints of one metric, which exceeds the limit of 100,800.`);
    }
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (total > MOST_PERIODS) {
      throw validationError(`You have requested ${total} datapoints, which exceeds the limit of ${MOST_PERIODS}.`);
    }
  }

  /** A metric has one result. An expression may have several. */
  resultsOf(query: Query, oldestFirst: boolean): readonly WholeResult[] {
    const label = query.label ?? defaultLabel(query, this.set.queries);
    const messages = this.messagesOf(query);
    return this.seriesOf(query).map(series => {
      const points = pointsOf(series);
      return { id: query.id, label, messages, points: oldestFirst ? points : points.toReversed() };
    });
  }

  private seriesOf(query: Query): readonly TimeSeries[] {
    const { program, queries } = this.set;
    const read = (id: string): TimeSeries => this.metricSeries(queries.find(it => it.id === id) ?? query);
    try {
      return returnable(query.id, program.evaluate(query.id, this.gridFor(query), read));
    } catch (error) {
      throw asValidationError(error);
    }
  }

  private metricSeries(query: Query): TimeSeries {
    const { metric } = query;
    if (!metric) throw new Error(`${query.id} is no metric`);
    const series = this.state.metrics.find(metric.namespace, metric.name, metric.dimensions);
    const unit = metric.unit ?? this.unitsOf(query)[0];
    const grid = this.gridFor(query);
    const { nowMs } = this.state.context.timeline;
    return readSeries(series, metric.statistic, unit, grid, atMs => isReadable(nowMs - atMs, grid.periodMs));
  }

  private gridFor({ metric, periodSeconds }: Query): Grid {
    const seconds = metric?.periodSeconds ?? periodSeconds ?? coarsestPeriod(this.set.queries);
    if (seconds === undefined) throw validationError('Period must not be null');
    return gridOf(this.state.context.timeline.nowMs, this.fromMs, this.toMs, seconds);
  }

  /** The units in which the metric has data, in the order in which AWS chooses one. */
  private unitsOf({ metric }: Query): readonly string[] {
    if (!metric) return [];
    const series = this.state.metrics.find(metric.namespace, metric.name, metric.dimensions);
    const units = series?.units.filter(unit => series.between(this.fromMs, this.toMs, { unit })) ?? [];
    return inUnitOrder(units);
  }

  private messagesOf(query: Query): readonly MessageData[] {
    const units = query.metric?.unit === undefined ? this.unitsOf(query) : [];
    if (units.length < 2) return [];
    return [{ Code: 'MultipleUnits', Value: `Multiple units returned: '[${units.join(', ')}]'` }];
  }
}

function returnable(id: string, value: MathValue): readonly TimeSeries[] {
  if (typeof value !== 'number' && isList(value)) return value;
  if (typeof value !== 'number' && isSeries(value)) return [value];
  throw validationError(`Error in expression '${id}' [It must return a time series, and returns a single value]`);
}

interface WholeResult {
  readonly id: string;
  readonly label: string;
  readonly messages: readonly MessageData[];
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
}

interface ResultsPage {
  readonly page: MetricDataResult[];
  readonly nextToken: string | undefined;
}

/**
 * Returns the part of the results that a token points to. Results are concatenated. A result that continues on the next
 * page has the status `PartialData`.
 *
 * @param token the number of data points on the previous pages
 */
function pageOfResults(results: readonly WholeResult[], size: number, token: string | undefined): ResultsPage {
  if (token !== undefined && !/^\d+$/.test(token)) throw invalidNextToken(token);
  const from = Number(token ?? 0);
  const to = from + size;
  const total = results.reduce((sum, { points }) => sum + points.length, 0);
  let before = 0;
  const page = results.flatMap((result): MetricDataResult[] => {
    const { points } = result;
    const [first, last] = [before, before + points.length];
    before = last;
    const isEmptyHere = points.length === 0 && first >= from && (first < to || total === to);
    const isHere = first < to && last > from;
    if (!isHere && !isEmptyHere) return [];
    const part = points.slice(Math.max(0, from - first), Math.max(0, to - first));
    return [resultOf(result, part, last > to)];
  });
  return { page, nextToken: to < total ? String(to) : undefined };
}

function resultOf(
  { id, label, messages }: WholeResult,
  part: WholeResult['points'],
  isPartial: boolean,
): MetricDataResult {
  return {
    Id: id,
    Label: label,
    Timestamps: part.map(({ atMs }) => new Date(atMs)),
    Values: part.map(({ value }) => value),
    StatusCode: isPartial ? 'PartialData' : 'Complete',
    ...(messages.length > 0 ? { Messages: [...messages] } : {}),
  };
}
