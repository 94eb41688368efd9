import type { Place } from '../../kernel/place';
import type { AlarmConfiguration, AlarmStateValue } from './alarm-configuration';
import { regionName } from './region-name';

/** A change of state, as the notification tells of it. */
interface StateChange {
  readonly from: AlarmStateValue;
  readonly to: AlarmStateValue;
  readonly reason: string;
  readonly atMs: number;
}

/** What an alarm publishes to a topic. */
interface AlarmNotification {
  readonly subject: string;
  readonly message: string;
}

/** SNS takes subjects of at most 100 characters. */
const LONGEST_SUBJECT = 100;

/** `2022-06-28T01:57:35.603+0000`, the form in which CloudWatch gives an instant. */
export const cloudWatchInstant = (atMs: number): string => new Date(atMs).toISOString().replace('Z', '+0000');

/** The notification of a change, with the keys of a recorded one in their order. */
export function alarmNotification(place: Place, alarm: AlarmConfiguration, change: StateChange): AlarmNotification {
  const region = regionName(place.region);
  const message = {
    AlarmName: alarm.alarmName,
    AlarmDescription: alarm.alarmDescription ?? null,
    AWSAccountId: place.account,
    AlarmConfigurationUpdatedTimestamp: cloudWatchInstant(alarm.updatedAtMs),
    NewStateValue: change.to,
    NewStateReason: change.reason,
    StateChangeTime: cloudWatchInstant(change.atMs),
    Region: region,
    AlarmArn: alarm.alarmArn,
    OldStateValue: change.from,
    ActionExecutedAfterMuteWindow: false,
    OKActions: alarm.actions.OK,
    AlarmActions: alarm.actions.ALARM,
    InsufficientDataActions: alarm.actions.INSUFFICIENT_DATA,
    Trigger: trigger(alarm),
  };
  const subject = `${change.to}: "${alarm.alarmName}" in ${region}`;
  return { subject: subject.slice(0, LONGEST_SUBJECT), message: JSON.stringify(message) };
}

function trigger(alarm: AlarmConfiguration): object {
  return {
    MetricName: alarm.metricName,
    Namespace: alarm.namespace,
    StatisticType: 'Statistic',
    Statistic: alarm.statistic.replace(/(?<=[a-z])(?=[A-Z])/, '_').toUpperCase(),
    Unit: alarm.unit ?? null,
    Dimensions: Object.entries(alarm.dimensions).map(([name, value]) => ({ value, name })),
    Period: alarm.periodSeconds,
    EvaluationPeriods: alarm.evaluationPeriods,
    ...(alarm.datapointsToAlarm === undefined ? {} : { DatapointsToAlarm: alarm.datapointsToAlarm }),
    ComparisonOperator: alarm.comparisonOperator,
    Threshold: alarm.threshold,
    TreatMissingData: alarm.treatMissingData,
    EvaluateLowSampleCountPercentile: '',
  };
}
