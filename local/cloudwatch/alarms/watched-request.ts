import type { MetricDataQuery, PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import type { Random } from '../../kernel/random';
import { dimensionsOf } from '../dimensions';
import { validationError } from '../errors';
import { isSeries, seriesOn } from '../math/time-series';
import { asValidationError, coarsestPeriod, type Query, type QuerySet, querySet } from '../metrics/metric-queries';
import { statisticNamed } from '../metrics/statistics';
import type { WatchedMetric, WatchedQuery } from './alarm-configuration';
import { isAlarmPeriod, PERIOD_RULE } from './metric-alarm-problems';

/**
 * What a request wants watched, once `metricAlarmProblems` finds nothing wrong with it.
 *
 * @throws AwsError when a list of metrics and expressions does not come to one time series
 */
export function watchedBy(input: PutMetricAlarmInput, random: Random): WatchedMetric | WatchedQuery {
  return input.Metrics ? watchedQuery(input.Metrics) : watchedMetric(input, random);
}

function watchedMetric(input: PutMetricAlarmInput, random: Random): WatchedMetric {
  const { Namespace = '', MetricName = '', Dimensions, Statistic, ExtendedStatistic, Unit, Period = 0 } = input;
  const statistic = statisticNamed(Statistic ?? ExtendedStatistic ?? '');
  if (!statistic)
    throw validationError(`The value ${ExtendedStatistic} for parameter ExtendedStatistic is not supported.`);
  const metric = {
    namespace: Namespace,
    name: MetricName,
    dimensions: dimensionsOf(Dimensions),
    statistic,
    unit: Unit,
    periodSeconds: Period,
  };
  return { kind: 'metric', id: random.uuid(), metric, periodSeconds: Period };
}

function watchedQuery(metrics: readonly MetricDataQuery[]): WatchedQuery {
  const definitions = metrics.map(query => ({ ...query, ReturnData: query.ReturnData ?? true }));
  const set = querySet(definitions, {
    list: 'Metrics',
    isPeriod: isAlarmPeriod,
    periodRule: PERIOD_RULE,
    invalidStatistic: 'Invalid metrics list',
  });
  const returned = set.queries.find(({ returnData }) => returnData);
  const periodSeconds = coarsestPeriod(set.queries);
  if (!returned) throw validationError('Exactly one element of the metrics list should return data.');
  if (periodSeconds === undefined) throw validationError('Period must not be null');
  checkResult(set, returned, periodSeconds);
  return { kind: 'query', set, returned, definitions, periodSeconds };
}

/** Tries the expression on a single period in which every metric is 1: what it comes to must be one time series. */
function checkResult({ program }: QuerySet, { id }: Query, periodSeconds: number): void {
  const grid = { startMs: 0, periodMs: periodSeconds * 1_000, count: 1 };
  try {
    if (isSeries(program.evaluate(id, grid, () => seriesOn(grid, () => 1)))) return;
  } catch (error) {
    throw asValidationError(error);
  }
  throw validationError(`Error in expression '${id}' [It must return a single time series]`);
}
