import type { MetricDataQuery, MetricStat } from '@aws-sdk/client-cloudwatch';
import { dimensionsOf } from '../dimensions';
import type { MetricQuery } from '../metrics/metric-queries';
import { isSimpleStatistic } from '../metrics/statistics';
import type { MetricAlarmConfiguration } from './alarm-configuration';

/** What an alarm watches, in the words of EventBridge's events and of the functions it invokes. */
export function watchedAsEvent(watched: MetricAlarmConfiguration['watched']): readonly object[] {
  if (watched.kind === 'query') return watched.definitions.map(queryAsEvent);
  const { metric, id, periodSeconds } = watched;
  return [{ id, metricStat: metricStatAsEvent(metric, periodSeconds), returnData: true }];
}

function metricStatAsEvent({ namespace, name, dimensions, statistic, unit }: MetricQuery, period: number): object {
  return { metric: { namespace, name, dimensions }, period, stat: statistic.name, unit };
}

function queryAsEvent({ Id, Label, Expression, MetricStat, ReturnData, Period }: MetricDataQuery): object {
  return {
    id: Id,
    expression: Expression,
    metricStat: MetricStat && givenMetricStat(MetricStat),
    label: Label,
    period: Period,
    returnData: ReturnData,
  };
}

function givenMetricStat({ Metric, Period, Stat, Unit }: MetricStat): object {
  const { Namespace: namespace, MetricName: name, Dimensions } = Metric ?? {};
  return { metric: { namespace, name, dimensions: dimensionsOf(Dimensions) }, period: Period, stat: Stat, unit: Unit };
}

/** The same in the words of the alarm's history. */
export function watchedAsHistory(alarm: MetricAlarmConfiguration): object {
  const { watched } = alarm;
  return {
    ...(watched.kind === 'metric' ? metricAsHistory(watched.metric, watched.periodSeconds) : {}),
    ...(watched.kind === 'query' ? { metrics: watchedAsEvent(watched) } : {}),
    threshold: alarm.threshold,
    comparisonOperator: alarm.comparisonOperator,
    evaluationPeriods: alarm.evaluationPeriods,
    datapointsToAlarm: alarm.datapointsToAlarm,
    treatMissingData: alarm.treatMissingData,
    evaluateLowSampleCountPercentile: alarm.evaluateLowSampleCountPercentile,
  };
}

function metricAsHistory({ namespace, name, statistic, dimensions, unit }: MetricQuery, period: number): object {
  return {
    namespace,
    metricName: name,
    [isSimpleStatistic(statistic.name) ? 'statistic' : 'extendedStatistic']: statistic.name,
    period,
    unit,
    dimensions: Object.entries(dimensions).map(([key, value]) => ({ value, name: key })),
  };
}
