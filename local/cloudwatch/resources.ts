import type {
  ComparisonOperator,
  Dimension,
  MetricDataQuery,
  MetricStat,
  PutMetricAlarmInput,
  StandardUnit,
  Statistic,
} from '@aws-sdk/client-cloudwatch';
import { nameInArn } from '../../policy/arn';
import { type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  changeTags,
  type ExistingResource,
  isNameFree,
  type PutResource,
  putType,
  type ResourceType,
} from '../cloudformation/resource-type';
import type { Place } from '../kernel/place';
import { muteRuleArn } from './actions/mute-rules';
import { alarmArn, isComparisonOperator } from './alarms/alarm-configuration';
import { actionProblem, notImplementedAction } from './alarms/alarm-request';
import { MuteRule } from './alarms/mute-rule';
import type { CloudWatch } from './cloud-watch';
import { validationError } from './errors';

export const cloudWatchResourceTypes = (cloudWatch: CloudWatch, place: Place): ResourceType[] => [
  alarmResourceType(cloudWatch, place),
  compositeAlarmResourceType(cloudWatch, place),
  dashboardResourceType(cloudWatch),
  alarmMuteRuleResourceType(cloudWatch, place),
];

const MAX_ALARM_NAME_LENGTH = 255;
const ALARM_TYPE = 'AWS::CloudWatch::Alarm';

const alarmResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const alarmName = properties.string('AlarmName') ?? context.physicalName(MAX_ALARM_NAME_LENGTH);
    const input = alarmInput(properties, alarmName, place.region);
    isNameFree(
      properties,
      { type: ALARM_TYPE, property: 'AlarmName', identifier: alarmName },
      !existing && cloudWatch.hasAlarm(alarmName),
    );
    if (properties.standInReason) return { ref: '', attributes: { Arn: '' } };
    if (properties.allProblems().length === 0) cloudWatch.call('PutMetricAlarm', cloudWatch.owner, input);
    const Arn = alarmArn(place, alarmName);
    if (existing) changeCloudWatchTags(cloudWatch, Arn, input.Tags, existing);
    return { ref: alarmName, attributes: { Arn } };
  };
  return putType(ALARM_TYPE, put, deleteAlarm(cloudWatch));
};

const deleteAlarm =
  (cloudWatch: CloudWatch): ResourceType['delete'] =>
  ({ ref }) =>
    cloudWatch.call('DeleteAlarms', cloudWatch.owner, { AlarmNames: [ref] });

/** A put of an existing alarm or dashboard does not change its tags, so an update changes them by themselves. */
function changeCloudWatchTags(
  cloudWatch: CloudWatch,
  ResourceARN: string,
  wanted: { Key: string; Value: string }[],
  existing: ExistingResource,
): void {
  changeTags(
    wanted,
    existing,
    Tags => cloudWatch.call('TagResource', cloudWatch.owner, { ResourceARN, Tags }),
    TagKeys => cloudWatch.call('UntagResource', cloudWatch.owner, { ResourceARN, TagKeys }),
  );
}

/** Does not check the combination of members. `PutMetricAlarm` does, with AWS's own messages. */
function alarmInput(properties: PropertyReader, alarmName: string, region: string) {
  const metrics = properties.objects('Metrics').map(metricDataQuery);
  return {
    AlarmName: alarmName,
    ...alarmProperties(properties, region),
    Namespace: properties.string('Namespace'),
    MetricName: properties.string('MetricName'),
    Dimensions: dimensions(properties),
    Statistic: properties.string('Statistic') as Statistic | undefined,
    ExtendedStatistic: properties.string('ExtendedStatistic'),
    Unit: properties.string('Unit') as StandardUnit | undefined,
    Period: properties.number('Period'),
    Metrics: metrics.length > 0 ? metrics : undefined,
    EvaluationPeriods: requiredNumber(properties, 'EvaluationPeriods'),
    DatapointsToAlarm: properties.number('DatapointsToAlarm'),
    Threshold: properties.number('Threshold'),
    ComparisonOperator: comparisonOperator(properties),
    TreatMissingData: properties.string('TreatMissingData'),
    EvaluateLowSampleCountPercentile: properties.string('EvaluateLowSampleCountPercentile'),
  } satisfies PutMetricAlarmInput;
}

function metricDataQuery(query: PropertyReader): MetricDataQuery {
  const metricStat = query.object('MetricStat');
  return {
    Id: query.requiredString('Id'),
    Expression: query.string('Expression'),
    MetricStat: metricStat && readMetricStat(metricStat),
    Label: query.string('Label'),
    Period: query.number('Period'),
    ReturnData: query.boolean('ReturnData'),
    AccountId: query.string('AccountId'),
  };
}

function readMetricStat(metricStat: PropertyReader): MetricStat {
  const metric = metricStat.object('Metric') ?? metricStat.problem('Metric', 'is required');
  return {
    Metric: metric && {
      Namespace: metric.string('Namespace'),
      MetricName: metric.string('MetricName'),
      Dimensions: dimensions(metric),
    },
    Period: requiredNumber(metricStat, 'Period'),
    Stat: metricStat.requiredString('Stat'),
    Unit: metricStat.string('Unit') as StandardUnit | undefined,
  };
}

/** Returns undefined, not an empty list, because an alarm on a list of metrics must not have dimensions. */
function dimensions(properties: PropertyReader): Dimension[] | undefined {
  const read = properties.objects('Dimensions').map(dimension => ({
    Name: dimension.requiredString('Name'),
    Value: dimension.requiredString('Value'),
  }));
  return read.length > 0 ? read : undefined;
}

function comparisonOperator(properties: PropertyReader): ComparisonOperator | undefined {
  const name = properties.requiredString('ComparisonOperator');
  return isComparisonOperator(name)
    ? name
    : properties.needsStandIn(
        'ComparisonOperator',
        'is not implemented: use a comparison with a static threshold',
        name,
      );
}

const MAX_COMPOSITE_NAME_LENGTH = 255;
const COMPOSITE_ALARM_TYPE = 'AWS::CloudWatch::CompositeAlarm';

const compositeAlarmResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const alarmName = properties.string('AlarmName') ?? context.physicalName(MAX_COMPOSITE_NAME_LENGTH);
    const input = {
      AlarmName: alarmName,
      AlarmRule: properties.requiredString('AlarmRule'),
      ...alarmProperties(properties, place.region),
      ActionsSuppressor: properties.string('ActionsSuppressor'),
      ActionsSuppressorWaitPeriod: properties.number('ActionsSuppressorWaitPeriod'),
      ActionsSuppressorExtensionPeriod: properties.number('ActionsSuppressorExtensionPeriod'),
    };
    isNameFree(
      properties,
      { type: COMPOSITE_ALARM_TYPE, property: 'AlarmName', identifier: alarmName },
      !existing && cloudWatch.hasAlarm(alarmName),
    );
    if (properties.allProblems().length === 0) cloudWatch.call('PutCompositeAlarm', cloudWatch.owner, input);
    const Arn = alarmArn(place, alarmName);
    if (existing) changeCloudWatchTags(cloudWatch, Arn, input.Tags, existing);
    return { ref: alarmName, attributes: { Arn } };
  };
  return putType(COMPOSITE_ALARM_TYPE, put, deleteAlarm(cloudWatch));
};

function alarmProperties(properties: PropertyReader, region: string) {
  return {
    AlarmDescription: properties.string('AlarmDescription'),
    ActionsEnabled: properties.boolean('ActionsEnabled'),
    OKActions: actions(properties, 'OKActions', region),
    AlarmActions: actions(properties, 'AlarmActions', region),
    InsufficientDataActions: actions(properties, 'InsufficientDataActions', region),
    Tags: tagsProperty(properties),
  };
}

function requiredNumber(properties: PropertyReader, name: string): number | undefined {
  return properties.number(name) ?? properties.problem(name, 'is required');
}

/** Actions of services that are not simulated are left out, where that is allowed. */
function actions(properties: PropertyReader, name: string, region: string): string[] {
  return [...(properties.strings(name) ?? [])].filter(arn => {
    const missing = notImplementedAction(arn);
    if (missing !== undefined) properties.notSimulated(name, `is refused (NotImplemented: ${missing})`, arn);
    else {
      properties.attempt(name, () => {
        const problem = actionProblem(arn, region);
        if (problem !== undefined) throw validationError(problem);
      });
    }
    return missing === undefined;
  });
}

const DASHBOARD_TYPE = 'AWS::CloudWatch::Dashboard';

const dashboardResourceType = (cloudWatch: CloudWatch): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const name = properties.string('DashboardName') ?? context.physicalName();
    const input = {
      DashboardName: name,
      DashboardBody: properties.requiredString('DashboardBody'),
      Tags: tagsProperty(properties),
    };
    const dashboard = { type: DASHBOARD_TYPE, property: 'DashboardName', identifier: name };
    if (isNameFree(properties, dashboard, !existing && cloudWatch.hasDashboard(name))) {
      properties.attempt('DashboardBody', () => cloudWatch.call('PutDashboard', cloudWatch.owner, input));
    }
    return { ref: name, attributes: {} };
  };
  return putType(DASHBOARD_TYPE, put, ({ ref }) =>
    cloudWatch.call('DeleteDashboards', cloudWatch.owner, { DashboardNames: [ref] }),
  );
};

const MAX_NAME_LENGTH = 255;
const MUTE_RULE_TYPE = 'AWS::CloudWatch::AlarmMuteRule';

/** A local time of the schedule's time zone. */
function dateProperty(properties: PropertyReader, name: string, timezone: string | undefined): Date | undefined {
  const text = properties.string(name);
  if (text === undefined) return undefined;
  const instantMs = MuteRule.instantIn(text, timezone);
  if (instantMs === undefined)
    return properties.problem(name, 'must be a date and time such as 2026-01-02T03:04', text);
  return new Date(instantMs);
}

const alarmMuteRuleResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const name = properties.string('Name') ?? context.physicalName(MAX_NAME_LENGTH);
    const rule = properties.object('Rule') ?? properties.problem('Rule', 'is required');
    const schedule = rule && (rule.object('Schedule') ?? rule.problem('Schedule', 'is required'));
    const timezone = schedule?.string('Timezone');
    const input = {
      Name: name,
      Description: properties.string('Description'),
      Rule: {
        Schedule: {
          Expression: schedule?.requiredString('Expression'),
          Duration: schedule?.requiredString('Duration'),
          Timezone: timezone,
        },
      },
      MuteTargets: { AlarmNames: [...(properties.object('MuteTargets')?.strings('AlarmNames') ?? [])] },
      StartDate: dateProperty(properties, 'StartDate', timezone),
      ExpireDate: dateProperty(properties, 'ExpireDate', timezone),
      Tags: tagsProperty(properties),
    };
    isNameFree(
      properties,
      { type: MUTE_RULE_TYPE, property: 'Name', identifier: name },
      !existing && cloudWatch.hasMuteRule(name),
    );
    if (properties.allProblems().length === 0) {
      properties.attempt('Rule', () => cloudWatch.call('PutAlarmMuteRule', cloudWatch.owner, input));
    }
    const arn = muteRuleArn(place, name);
    return { ref: arn, attributes: { Arn: arn } };
  };
  return putType(MUTE_RULE_TYPE, put, ({ ref }) => {
    const AlarmMuteRuleName = nameInArn(ref);
    cloudWatch.call('DeleteAlarmMuteRule', cloudWatch.owner, { AlarmMuteRuleName });
  });
};
