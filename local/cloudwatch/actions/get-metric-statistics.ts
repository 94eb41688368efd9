import type { Datapoint } from '@aws-sdk/client-cloudwatch';
import type { CloudWatchActions } from '../cloud-watch-actions';
import type { CloudWatchState } from '../cloud-watch-state';
import { dimensionsOf } from '../dimensions';
import { invalidParameter, notImplemented } from '../errors';
import { periodsBetween } from '../metrics/periods';
import { isStatistic, STATISTICS } from '../metrics/statistics';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricStatistics.html */
export const getMetricStatistics =
  (state: CloudWatchState): CloudWatchActions['GetMetricStatistics'] =>
  ({ input }) => {
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
  };
