import type { GetMetricDataInput, MetricDataQuery, MetricDataResult } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { CloudWatchState } from '../cloud-watch-state';
import { dimensionsOf } from '../dimensions';
import { invalidParameter } from '../errors';
import { periodsBetween } from '../metrics/periods';
import { isStatistic, STATISTICS } from '../metrics/statistics';
import type { CloudWatchAction } from './cloud-watch-action';

/**
 * Single metrics only: expressions, percentiles and paging are not implemented.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html
 */
export const getMetricData: CloudWatchAction<'GetMetricData'> = {
  permission: 'cloudwatch:GetMetricData',
  resourceOf: () => ({ arn: '*' }),
  run: (state, { input }) => {
    if (input.NextToken !== undefined || input.MaxDatapoints !== undefined) throw notImplemented('paged metric data');
    const queries = (input.MetricDataQueries ?? []).filter(query => query.ReturnData ?? true);
    return { MetricDataResults: queries.map(query => result(state, input, query)), Messages: [] };
  },
};

function result(state: CloudWatchState, input: GetMetricDataInput, query: MetricDataQuery): MetricDataResult {
  const { Metric: metric, Period = 0, Stat = '', Unit } = query.MetricStat ?? {};
  if (!metric) throw notImplemented('metric math');
  if (!isStatistic(Stat)) throw notImplemented(`the statistic ${Stat}`);
  if (!query.Id) throw invalidParameter('Every member of MetricDataQueries must have an Id.');
  const series = state.metrics.series(metric.Namespace ?? '', metric.MetricName ?? '', dimensionsOf(metric.Dimensions));
  const oldestFirst = periodsBetween(input.StartTime, input.EndTime, Period).flatMap(({ fromMs, toMs }) => {
    const set = series.between(fromMs, toMs, Unit);
    return set ? [{ at: new Date(fromMs), value: STATISTICS[Stat](set) }] : [];
  });
  const points = input.ScanBy === 'TimestampAscending' ? oldestFirst : oldestFirst.reverse();
  return {
    Id: query.Id,
    Label: query.Label ?? metric.MetricName,
    Timestamps: points.map(({ at }) => at),
    Values: points.map(({ value }) => value),
    StatusCode: 'Complete',
  };
}
