import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import type { Place } from '../../kernel/place';
import type { MetricQuery } from '../metrics/metric-queries';
import { isSimpleStatistic } from '../metrics/statistics';
import type { CompositeAlarmConfiguration, MetricAlarmConfiguration } from './alarm-configuration';
import type { StateChange } from './alarm-state';
import { cloudWatchInstant } from './cloud-watch-instant';
import { regionName } from './region-name';

/** SNS takes subjects of at most 100 characters. */
const LONGEST_SUBJECT = 100;

/** `ALARM: "Dead-Letters" in US East (N. Virginia)` */
export function subjectOf(place: Place, alarmName: string, { next }: StateChange): string {
  return `${next.value}: "${alarmName}" in ${regionName(place.region)}`.slice(0, LONGEST_SUBJECT);
}

/** What a metric alarm publishes to a topic, with the keys of a recorded notification in their order. */
export function metricAlarmNotification(place: Place, alarm: MetricAlarmConfiguration, change: StateChange): object {
  const { previous, next } = change;
  return {
    AlarmName: alarm.alarmName,
    AlarmDescription: alarm.alarmDescription ?? null,
    AWSAccountId: place.account,
    AlarmConfigurationUpdatedTimestamp: cloudWatchInstant(alarm.updatedAtMs),
    NewStateValue: next.value,
    NewStateReason: next.reason,
    StateChangeTime: cloudWatchInstant(next.updatedAtMs),
    Region: regionName(place.region),
    AlarmArn: alarm.alarmArn,
    OldStateValue: previous.value,
    // Alarm mute rules are answered 501, so no action ever waits for the end of a mute window.
    ActionExecutedAfterMuteWindow: false,
    OKActions: alarm.actions.OK,
    AlarmActions: alarm.actions.ALARM,
    InsufficientDataActions: alarm.actions.INSUFFICIENT_DATA,
    Trigger: trigger(alarm),
  };
}

/** What a composite alarm publishes, likewise as recorded. */
export function compositeAlarmNotification(
  place: Place,
  alarm: CompositeAlarmConfiguration,
  { previous, next }: StateChange,
  triggeringChildren: readonly object[],
): object {
  return {
    AlarmName: alarm.alarmName,
    AlarmDescription: alarm.alarmDescription ?? null,
    AWSAccountId: place.account,
    NewStateValue: next.value,
    NewStateReason: next.reason,
    StateChangeTime: cloudWatchInstant(next.updatedAtMs),
    Region: regionName(place.region),
    AlarmArn: alarm.alarmArn,
    OKActions: alarm.actions.OK,
    AlarmActions: alarm.actions.ALARM,
    InsufficientDataActions: alarm.actions.INSUFFICIENT_DATA,
    OldStateValue: previous.value,
    AlarmRule: alarm.alarmRule,
    TriggeringChildren: triggeringChildren,
  };
}

function trigger(alarm: MetricAlarmConfiguration): object {
  const { watched } = alarm;
  return {
    ...(watched.kind === 'metric' ? metricOf(watched.metric) : {}),
    Period: watched.periodSeconds,
    EvaluationPeriods: alarm.evaluationPeriods,
    ...(alarm.datapointsToAlarm === undefined ? {} : { DatapointsToAlarm: alarm.datapointsToAlarm }),
    ComparisonOperator: alarm.comparisonOperator,
    Threshold: alarm.threshold,
    TreatMissingData: alarm.treatMissingData ?? 'missing',
    EvaluateLowSampleCountPercentile: alarm.evaluateLowSampleCountPercentile ?? '',
    ...(watched.kind === 'query' ? { Metrics: watched.definitions.map(queryOf) } : {}),
  };
}

function metricOf({ name, namespace, statistic, unit, dimensions }: MetricQuery): object {
  return {
    MetricName: name,
    Namespace: namespace,
    ...(isSimpleStatistic(statistic.name)
      ? { StatisticType: 'Statistic', Statistic: statistic.name.replace(/(?<=[a-z])(?=[A-Z])/, '_').toUpperCase() }
      : { StatisticType: 'ExtendedStatistic', ExtendedStatistic: statistic.name }),
    Unit: unit ?? null,
    Dimensions: Object.entries(dimensions).map(([key, value]) => ({ value, name: key })),
  };
}

function queryOf({ Id, Label, Expression, MetricStat, ReturnData }: MetricDataQuery): object {
  if (!MetricStat) return { Expression, Id, Label, ReturnData };
  const { Metric, Period, Stat, Unit } = MetricStat;
  return {
    Id,
    Label,
    MetricStat: {
      Metric: {
        Dimensions: (Metric?.Dimensions ?? []).map(({ Name, Value }) => ({ value: Value, name: Name })),
        MetricName: Metric?.MetricName,
        Namespace: Metric?.Namespace,
      },
      Period,
      Stat,
      Unit,
    },
    ReturnData,
  };
}
