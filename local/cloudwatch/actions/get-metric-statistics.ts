import type { Datapoint } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import { dimensionsOf } from '../dimensions';
import { invalidParameter } from '../errors';
import { periodsBetween } from '../metrics/periods';
import { isStatistic, STATISTICS } from '../metrics/statistics';
import type { CloudWatchAction } from './cloud-watch-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html */
export const getMetricStatistics: CloudWatchAction<'GetMetricStatistics'> = {
  permission: 'cloudwatch:GetMetricStatistics',
  resourceOf: () => ({ arn: '*' }),
  run: (state, { input }) => {
    if (input.ExtendedStatistics?.length) throw notImplemented('percentiles');
    const statistics = (input.Statistics ?? []).filter(isStatistic);
    if (statistics.length === 0) throw invalidParameter('At least one of Statistics must be given.');
    const { Namespace = '', MetricName = '', Dimensions, Period = 0, Unit, StartTime, EndTime } = input;
    const series = state.metrics.series(Namespace, MetricName, dimensionsOf(Dimensions));
    const units = Unit === undefined ? series.units : [Unit];
    const datapoints = units.flatMap(unit =>
      periodsBetween(StartTime, EndTime, Period).flatMap(({ fromMs, toMs }): Datapoint[] => {
        const set = series.between(fromMs, toMs, unit);
        if (!set) return [];
        const values = Object.fromEntries(statistics.map(name => [name, STATISTICS[name](set)]));
        return [{ Timestamp: new Date(fromMs), Unit: unit as Datapoint['Unit'], ...values }];
      }),
    );
    return { Label: MetricName, Datapoints: datapoints };
  },
};
