import type {
  CompositeAlarm as DescribedCompositeAlarm,
  MetricAlarm as DescribedMetricAlarm,
} from '@aws-sdk/client-cloudwatch';
import type { Alarm } from '../alarms/alarm';
import { type CompositeAlarm, suppressedReason } from '../alarms/composite/composite-alarm';
import type { MetricAlarm } from '../alarms/metric-alarm';
import { dimensionList } from '../dimensions';
import { isSimpleStatistic } from '../metrics/statistics';

/** What every alarm is described by. */
function describedAlarm({ configuration, state }: Alarm) {
  return {
    AlarmName: configuration.alarmName,
    AlarmArn: configuration.alarmArn,
    AlarmDescription: configuration.alarmDescription,
    AlarmConfigurationUpdatedTimestamp: new Date(configuration.updatedAtMs),
    ActionsEnabled: configuration.actionsEnabled,
    OKActions: [...configuration.actions.OK],
    AlarmActions: [...configuration.actions.ALARM],
    InsufficientDataActions: [...configuration.actions.INSUFFICIENT_DATA],
    StateValue: state.value,
    StateReason: state.reason,
    StateReasonData: state.reasonData === '' ? undefined : state.reasonData,
    StateUpdatedTimestamp: new Date(state.updatedAtMs),
    StateTransitionedTimestamp: new Date(state.transitionedAtMs),
  };
}

export function describedMetricAlarm(alarm: MetricAlarm): DescribedMetricAlarm {
  const { configuration } = alarm;
  return {
    ...describedAlarm(alarm),
    ...describedWatched(configuration.watched),
    EvaluationPeriods: configuration.evaluationPeriods,
    DatapointsToAlarm: configuration.datapointsToAlarm,
    Threshold: configuration.threshold,
    ComparisonOperator: configuration.comparisonOperator,
    TreatMissingData: configuration.treatMissingData,
    EvaluateLowSampleCountPercentile: configuration.evaluateLowSampleCountPercentile,
  };
}

function describedWatched(watched: MetricAlarm['configuration']['watched']): DescribedMetricAlarm {
  if (watched.kind === 'query') return { Metrics: [...watched.definitions] };
  const { namespace, name, dimensions, statistic, unit } = watched.metric;
  return {
    MetricName: name,
    Namespace: namespace,
    ...(isSimpleStatistic(statistic.name) ? { Statistic: statistic.name } : { ExtendedStatistic: statistic.name }),
    Dimensions: dimensionList(dimensions),
    Period: watched.periodSeconds,
    Unit: unit as DescribedMetricAlarm['Unit'],
  };
}

export function describedCompositeAlarm(alarm: CompositeAlarm): DescribedCompositeAlarm {
  const { alarmRule, suppressor } = alarm.configuration;
  const by = alarm.suppressedBy;
  return {
    ...describedAlarm(alarm),
    AlarmRule: alarmRule,
    ActionsSuppressor: suppressor?.alarm,
    ActionsSuppressorWaitPeriod: suppressor?.waitPeriodSeconds,
    ActionsSuppressorExtensionPeriod: suppressor?.extensionPeriodSeconds,
    ActionsSuppressedBy: by,
    ActionsSuppressedReason: by && suppressedReason(by),
  };
}
