import type { MetricDataQuery, MetricStat } from '@aws-sdk/client-cloudwatch';
import type { Place } from '../../kernel/place';
import type { MetricQuery } from '../metrics/metric-queries';
import { dimensionsOf } from '../metrics/metric-series';
import { isSimpleStatistic } from '../metrics/statistics';
import type { StateChange } from './alarm';
import {
  type CompositeAlarmConfiguration,
  cloudWatchInstant,
  type MetricAlarmConfiguration,
} from './alarm-configuration';
import { Double } from './json-text';

/** SNS accepts subjects of up to 100 characters. */
const LONGEST_SUBJECT = 100;

/** Words a subject such as `ALARM: "Dead-Letters" in US East (N. Virginia)`. */
export function subjectOf(place: Place, alarmName: string, { next }: StateChange): string {
  return `${next.value}: "${alarmName}" in ${regionName(place.region)}`.slice(0, LONGEST_SUBJECT);
}

/** The SNS notification of a metric alarm, with the keys and the order of a recorded notification. */
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
    ActionExecutedAfterMuteWindow: change.isAfterMuteWindow ?? false,
    OKActions: alarm.actions.OK,
    AlarmActions: alarm.actions.ALARM,
    InsufficientDataActions: alarm.actions.INSUFFICIENT_DATA,
    Trigger: trigger(alarm),
  };
}

/** The SNS notification of a composite alarm, with the keys and the order of a recorded notification. */
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
    Threshold: new Double(alarm.threshold),
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

export function watchedForEvent(watched: MetricAlarmConfiguration['watched']): readonly object[] {
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

export function watchedForHistory(alarm: MetricAlarmConfiguration): object {
  const { watched } = alarm;
  return {
    ...(watched.kind === 'metric' ? metricAsHistory(watched.metric, watched.periodSeconds) : {}),
    ...(watched.kind === 'query' ? { metrics: watchedForEvent(watched) } : {}),
    threshold: new Double(alarm.threshold),
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

/**
 * The names of the Regions as CloudWatch writes them in notifications.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/cw_region.html
 */
const REGION_NAMES: Readonly<Record<string, string>> = {
  'af-south-1': 'Africa (Cape Town)',
  'ap-east-1': 'Asia Pacific (Hong Kong)',
  'ap-northeast-1': 'Asia Pacific (Tokyo)',
  'ap-northeast-2': 'Asia Pacific (Seoul)',
  'ap-northeast-3': 'Asia Pacific (Osaka)',
  'ap-south-1': 'Asia Pacific (Mumbai)',
  'ap-south-2': 'Asia Pacific (Hyderabad)',
  'ap-southeast-1': 'Asia Pacific (Singapore)',
  'ap-southeast-2': 'Asia Pacific (Sydney)',
  'ap-southeast-3': 'Asia Pacific (Jakarta)',
  'ap-southeast-4': 'Asia Pacific (Melbourne)',
  'ap-southeast-5': 'Asia Pacific (Malaysia)',
  'ap-southeast-7': 'Asia Pacific (Thailand)',
  'ca-central-1': 'Canada (Central)',
  'ca-west-1': 'Canada West (Calgary)',
  'cn-north-1': 'China (Beijing)',
  'cn-northwest-1': 'China (Ningxia)',
  'eu-central-1': 'EU (Frankfurt)',
  'eu-central-2': 'Europe (Zurich)',
  'eu-north-1': 'EU (Stockholm)',
  'eu-south-1': 'EU (Milan)',
  'eu-south-2': 'Europe (Spain)',
  'eu-west-1': 'EU (Ireland)',
  'eu-west-2': 'EU (London)',
  'eu-west-3': 'EU (Paris)',
  'il-central-1': 'Israel (Tel Aviv)',
  'me-central-1': 'Middle East (UAE)',
  'me-south-1': 'Middle East (Bahrain)',
  'mx-central-1': 'Mexico (Central)',
  'sa-east-1': 'South America (Sao Paulo)',
  'us-east-1': 'US East (N. Virginia)',
  'us-east-2': 'US East (Ohio)',
  'us-gov-east-1': 'AWS GovCloud (US-East)',
  'us-gov-west-1': 'AWS GovCloud (US-West)',
  'us-west-1': 'US West (N. California)',
  'us-west-2': 'US West (Oregon)',
};

/** Returns the Region's full name, or its code if the name is unknown. */
const regionName = (region: string): string => REGION_NAMES[region] ?? region;
