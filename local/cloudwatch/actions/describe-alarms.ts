import type { DescribeAlarmsInput, MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { Alarm } from '../alarms/alarm';
import { dimensionList } from '../dimensions';

import { cloudWatchPage } from '../paging';
import { anyAlarm, type CloudWatchAction } from './cloud-watch-action';

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html */
export const describeAlarms: CloudWatchAction<'DescribeAlarms'> = {
  permission: 'cloudwatch:DescribeAlarms',
  resourceOf: anyAlarm,
  run: (state, { input }) => {
    if (input.ChildrenOfAlarmName || input.ParentsOfAlarmName) throw notImplemented('composite alarms');
    const wantsMetricAlarms = input.AlarmTypes?.includes('MetricAlarm') ?? true;
    const found = wantsMetricAlarms ? state.alarms.filter(alarm => isAskedFor(alarm, input)) : [];
    const { items, nextToken } = cloudWatchPage(found, input.MaxRecords, input.NextToken);
    return { MetricAlarms: items.map(metricAlarm), CompositeAlarms: [], NextToken: nextToken };
  },
};

function isAskedFor({ configuration, state }: Alarm, input: DescribeAlarmsInput): boolean {
  const { AlarmNames: names, AlarmNamePrefix: prefix, StateValue: value, ActionPrefix: actionPrefix } = input;
  if (names && !names.includes(configuration.alarmName)) return false;
  if (prefix !== undefined && !configuration.alarmName.startsWith(prefix)) return false;
  if (value !== undefined && value !== state.value) return false;
  return (
    actionPrefix === undefined ||
    Object.values(configuration.actions)
      .flat()
      .some(arn => arn.startsWith(actionPrefix))
  );
}

function metricAlarm({ configuration: alarm, state }: Alarm): MetricAlarm {
  return {
    AlarmName: alarm.alarmName,
    AlarmArn: alarm.alarmArn,
    AlarmDescription: alarm.alarmDescription,
    AlarmConfigurationUpdatedTimestamp: new Date(alarm.updatedAtMs),
    ActionsEnabled: alarm.actionsEnabled,
    OKActions: [...alarm.actions.OK],
    AlarmActions: [...alarm.actions.ALARM],
    InsufficientDataActions: [...alarm.actions.INSUFFICIENT_DATA],
    StateValue: state.value,
    StateReason: state.reason,
    StateReasonData: state.reasonData === '' ? undefined : state.reasonData,
    StateUpdatedTimestamp: new Date(state.updatedAtMs),
    StateTransitionedTimestamp: new Date(state.updatedAtMs),
    MetricName: alarm.metricName,
    Namespace: alarm.namespace,
    Statistic: alarm.statistic,
    Dimensions: dimensionList(alarm.dimensions),
    Period: alarm.periodSeconds,
    Unit: alarm.unit as MetricAlarm['Unit'],
    EvaluationPeriods: alarm.evaluationPeriods,
    DatapointsToAlarm: alarm.datapointsToAlarm,
    Threshold: alarm.threshold,
    ComparisonOperator: alarm.comparisonOperator,
    TreatMissingData: alarm.treatMissingData,
  };
}
