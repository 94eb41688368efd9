import type {
  DescribeAlarmHistoryInput,
  DescribeAlarmsForMetricInput,
  DescribeAlarmsInput,
  DescribeAlarmsOutput,
  CompositeAlarm as DescribedCompositeAlarm,
  MetricAlarm as DescribedMetricAlarm,
} from '@aws-sdk/client-cloudwatch';
import { notImplemented } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import type { Alarm, AlarmHistory, AlarmType } from '../alarms/alarm';
import { ALARM_STATES } from '../alarms/alarm-configuration';
import { CompositeAlarm, suppressedReason } from '../alarms/composite-alarm';
import { MetricAlarm } from '../alarms/metric-alarm';
import type { CloudWatchState } from '../cloud-watch-state';
import { alarmNotFound, Constraints, cloudWatchPage, validationError } from '../errors';
import { dimensionList, dimensionsOf } from '../metrics/metric-series';
import { isSimpleStatistic } from '../metrics/statistics';
import { alarmNamed, anyAlarm, type CloudWatchAction, type CloudWatchFamily } from './cloud-watch-action';

const MOST_NAMES = 100;
const MOST_RECORDS = 100;
/** There are no log alarms here, and no contributors of alarms: what asks for them finds none. */
const ALARM_TYPES = ['CompositeAlarm', 'MetricAlarm', 'LogAlarm'] as const;
const HISTORY_TYPES = [
  ...['ConfigurationUpdate', 'StateUpdate', 'Action'],
  ...['AlarmContributorStateUpdate', 'AlarmContributorAction'],
];

export const describeAlarmActions = {
  /**
   * **Assumption CW-8:** AWS does not publish what a caller without permission for composite alarms receives when it asks
   * for the children of one. Here the alarm does not exist for that caller.
   */
  DescribeAlarms: {
    resourceOf: anyAlarm,
    run: (state, { caller, input }) => {
      check(input);
      const { ChildrenOfAlarmName: parent, ParentsOfAlarmName: child, MaxRecords, NextToken } = input;
      const reported = state.alarms.all.filter(visibleTo(state, caller, 'cloudwatch:DescribeAlarms'));
      const found = relatives(reported, parent, child) ?? reported.filter(alarm => isAskedFor(alarm, input));
      const { items, nextToken } = cloudWatchPage(found, MaxRecords, NextToken);
      if (parent === undefined && child === undefined) return { ...described(items), NextToken: nextToken };
      return { ...brieflyDescribed(items, parent !== undefined), NextToken: nextToken };
    },
  },

  /** Like AWS, it does not return alarms on metric math expressions. */
  DescribeAlarmsForMetric: {
    resourceOf: anyAlarm,
    run: ({ alarms }, { input }) => {
      new Constraints().notNull('metricName', input.MetricName).notNull('namespace', input.Namespace).check();
      const found = alarms.all.filter(alarm => alarm instanceof MetricAlarm).filter(alarm => watches(alarm, input));
      return { MetricAlarms: found.map(describedMetricAlarm) };
    },
  },
} satisfies CloudWatchFamily;

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

/** Returns the alarms in a composite alarm's rule, or the composite alarms whose rules name an alarm. */
function relatives(alarms: readonly Alarm[], parent?: string, child?: string): readonly Alarm[] | undefined {
  const name = parent ?? child;
  if (name === undefined) return undefined;
  const find = (wanted: string) => alarms.find(it => it.name === wanted);
  const alarm = find(name);
  if (!alarm) throw alarmNotFound();
  if (parent === undefined) return alarms.filter(it => it instanceof CompositeAlarm && it.children.includes(name));
  return alarm instanceof CompositeAlarm ? alarm.children.flatMap(it => find(it) ?? []) : [];
}

/** Composite alarms are returned only if the request asks for them. */
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

/** AWS returns the state of children, but only the name and ARN of parents. */
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

function watches({ configuration: { watched } }: MetricAlarm, input: DescribeAlarmsForMetricInput): boolean {
  if (watched.kind !== 'metric') return false;
  const { namespace, name, dimensions, statistic, unit } = watched.metric;
  const wanted = dimensionsOf(input.Dimensions);
  const names = Object.keys(wanted);
  return (
    namespace === input.Namespace &&
    name === input.MetricName &&
    names.length === Object.keys(dimensions).length &&
    names.every(dimension => wanted[dimension] === dimensions[dimension]) &&
    (input.Statistic ?? input.ExtendedStatistic ?? statistic.name) === statistic.name &&
    (input.Period ?? watched.periodSeconds) === watched.periodSeconds &&
    (input.Unit ?? unit) === unit
  );
}

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

function describedMetricAlarm(alarm: MetricAlarm): DescribedMetricAlarm {
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

function describedCompositeAlarm(alarm: CompositeAlarm): DescribedCompositeAlarm {
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

/**
 * Returns whether a caller sees alarms of a type. A caller sees composite alarms only with a permission on `*`; even a
 * permission on all alarms of the Region does not suffice. AWS omits them without an error.
 *
 * @param permission the permission the caller needs, for example `cloudwatch:DescribeAlarms`
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarmHistory.html
 */
function visibleTo(
  { context: { access } }: Pick<CloudWatchState, 'context'>,
  caller: Caller,
  permission: string,
): (alarm: { readonly type: AlarmType }) => boolean {
  const { allowed } = access.decide({ caller, action: permission, resource: '*' });
  return ({ type }) => allowed || type !== 'CompositeAlarm';
}

const LONGEST_NAME = 255;
/** Returns the history of composite alarms only if the request asks for it. Includes deleted alarms. */
export const describeAlarmHistory: CloudWatchAction<'DescribeAlarmHistory'> = {
  resourceOf: alarmNamed,
  run: (state, { caller, input }) => {
    if (input.AlarmContributorId !== undefined) throw notImplemented("an alarm's contributors");
    new Constraints()
      .length('alarmName', input.AlarmName, 1, LONGEST_NAME)
      .range('maxRecords', input.MaxRecords, 1, MOST_RECORDS)
      .oneOf('historyItemType', input.HistoryItemType, HISTORY_TYPES)
      .oneOf('scanBy', input.ScanBy, ['TimestampDescending', 'TimestampAscending'])
      .check();
    const types: readonly string[] = input.AlarmTypes ?? ['MetricAlarm'];
    const isKnown = visibleTo(state, caller, 'cloudwatch:DescribeAlarmHistory');
    const oldestFirst = state.alarms
      .historiesOf(input.AlarmName)
      .filter(({ alarmType: type }) => types.includes(type) && isKnown({ type }))
      .flatMap(history => itemsOf(history, input))
      .sort((a, b) => a.Timestamp.getTime() - b.Timestamp.getTime());
    const ordered = input.ScanBy === 'TimestampAscending' ? oldestFirst : oldestFirst.reverse();
    const { items, nextToken } = cloudWatchPage(ordered, input.MaxRecords, input.NextToken);
    return { AlarmHistoryItems: items, NextToken: nextToken };
  },
};

function itemsOf({ alarmName, alarmType, items }: AlarmHistory, input: DescribeAlarmHistoryInput) {
  return items
    .filter(({ type }) => (input.HistoryItemType ?? type) === type)
    .filter(({ atMs }) => atMs >= (input.StartDate?.getTime() ?? atMs) && atMs <= (input.EndDate?.getTime() ?? atMs))
    .map(({ atMs, type, summary, data }) => ({
      AlarmName: alarmName,
      AlarmType: alarmType,
      Timestamp: new Date(atMs),
      HistoryItemType: type,
      HistorySummary: summary,
      HistoryData: data,
    }));
}
