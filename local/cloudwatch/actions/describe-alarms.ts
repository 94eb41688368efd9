import type { DescribeAlarmsInput, DescribeAlarmsOutput } from '@aws-sdk/client-cloudwatch';
import type { Alarm } from '../alarms/alarm';
import { ALARM_STATES } from '../alarms/alarm-configuration';
import { CompositeAlarm } from '../alarms/composite/composite-alarm';
import { MetricAlarm } from '../alarms/metric-alarm';
import { Constraints } from '../constraints';
import { alarmNotFound, validationError } from '../errors';
import { cloudWatchPage } from '../paging';
import { visibleTo } from './alarms-told';
import { anyAlarm, type CloudWatchAction } from './cloud-watch-action';
import { describedCompositeAlarm, describedMetricAlarm } from './described-alarm';

const MOST_NAMES = 100;
const MOST_RECORDS = 100;
const ALARM_TYPES = ['CompositeAlarm', 'MetricAlarm'] as const;

const PERMISSION = 'cloudwatch:DescribeAlarms';

/**
 * Our choice: to whom composite alarms are not told of, one whose children are asked for is not there, for AWS says no more of it.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export const describeAlarms: CloudWatchAction<'DescribeAlarms'> = {
  permission: PERMISSION,
  resourceOf: anyAlarm,
  run: (state, { caller, input }) => {
    check(input);
    const { ChildrenOfAlarmName: parent, ParentsOfAlarmName: child, MaxRecords, NextToken } = input;
    const reported = state.alarms.all.filter(visibleTo(state, caller, PERMISSION));
    const found = relatives(reported, parent, child) ?? reported.filter(alarm => isAskedFor(alarm, input));
    const { items, nextToken } = cloudWatchPage(found, MaxRecords, NextToken);
    if (parent === undefined && child === undefined) return { ...described(items), NextToken: nextToken };
    return { ...brieflyDescribed(items, parent !== undefined), NextToken: nextToken };
  },
};

function check(input: DescribeAlarmsInput): void {
  const constraints = new Constraints()
    .length('alarmNames', input.AlarmNames, 0, MOST_NAMES)
    .range('maxRecords', input.MaxRecords, 1, MOST_RECORDS)
    .oneOf('stateValue', input.StateValue, ALARM_STATES);
  for (const [index, type] of (input.AlarmTypes ?? []).entries()) {
    constraints.oneOf(`alarmTypes.${index + 1}.member`, type, ALARM_TYPES);
  }
  constraints.check();
  const { AlarmNames, AlarmNamePrefix, ChildrenOfAlarmName, ParentsOfAlarmName } = input;
  if (AlarmNames && AlarmNamePrefix !== undefined) {
    throw validationError('AlarmNames and AlarmNamePrefix cannot be specified together');
  }
  const relation = ChildrenOfAlarmName ?? ParentsOfAlarmName;
  const others = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !['MaxRecords', 'NextToken'].includes(name),
  );
  if (relation !== undefined && others.length > 1) {
    throw validationError(
      'ChildrenOfAlarmName and ParentsOfAlarmName take no other parameter but MaxRecords and NextToken',
    );
  }
}

/** The alarms in a composite alarm's rule, or the composite alarms whose rules name an alarm. */
function relatives(alarms: readonly Alarm[], parent?: string, child?: string): readonly Alarm[] | undefined {
  const name = parent ?? child;
  if (name === undefined) return undefined;
  const find = (wanted: string) => alarms.find(it => it.name === wanted);
  const alarm = find(name);
  if (!alarm) throw alarmNotFound();
  if (parent === undefined) return alarms.filter(it => it instanceof CompositeAlarm && it.children.includes(name));
  return alarm instanceof CompositeAlarm ? alarm.children.flatMap(it => find(it) ?? []) : [];
}

/** Composite alarms are told of only when they are asked for. */
function isAskedFor({ configuration, state, type }: Alarm, input: DescribeAlarmsInput): boolean {
  const { AlarmNames: names, AlarmNamePrefix: prefix, StateValue: value, ActionPrefix: actionPrefix } = input;
  if (!(input.AlarmTypes ?? ['MetricAlarm']).includes(type)) return false;
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

function described(alarms: readonly Alarm[]): DescribeAlarmsOutput {
  return {
    MetricAlarms: alarms.flatMap(alarm => (alarm instanceof MetricAlarm ? [describedMetricAlarm(alarm)] : [])),
    CompositeAlarms: alarms.flatMap(alarm => (alarm instanceof CompositeAlarm ? [describedCompositeAlarm(alarm)] : [])),
  };
}

/** Of children AWS tells the state too, of parents only what they are called. */
function brieflyDescribed(alarms: readonly Alarm[], withState: boolean): DescribeAlarmsOutput {
  const brief = ({ configuration: { alarmName, alarmArn }, state }: Alarm) => ({
    AlarmName: alarmName,
    AlarmArn: alarmArn,
    ...(withState ? { StateValue: state.value, StateUpdatedTimestamp: new Date(state.updatedAtMs) } : {}),
  });
  return {
    MetricAlarms: alarms.filter(({ type }) => type === 'MetricAlarm').map(brief),
    CompositeAlarms: alarms.filter(({ type }) => type === 'CompositeAlarm').map(brief),
  };
}
