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
import { changeTags, type PutResource, putType, type ResourceType } from '../cloudformation/resource-type';
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

const LONGEST_NAME = 255;

/** An alarm that a template wants. */
interface WantedAlarm {
  readonly tags: { Key: string; Value: string }[];
  readonly put: () => void;
}

/** A resource type of alarms: of one kind, `read` reads the properties. */
function alarmTypeOf(
  cloudWatch: CloudWatch,
  place: Place,
  type: string,
  read: (properties: PropertyReader, alarmName: string) => WantedAlarm,
): ResourceType {
  const { owner } = cloudWatch;
  const put: PutResource = (properties, context, existing) => {
    const alarmName = properties.string('AlarmName') ?? context.physicalName(LONGEST_NAME);
    const wanted = read(properties, alarmName);
    properties.isFree('AlarmName', alarmName, !existing && cloudWatch.hasAlarm(alarmName));
    if (properties.standInReason) return { ref: '', attributes: { Arn: '' } };
    if (properties.allProblems().length === 0) wanted.put();
    const ResourceARN = alarmArn(place, alarmName);
    if (existing) {
      // A put of an existing alarm does not change its tags.
      changeTags(
        wanted.tags,
        existing,
        Tags => cloudWatch.call('TagResource', owner, { ResourceARN, Tags }),
        TagKeys => cloudWatch.call('UntagResource', owner, { ResourceARN, TagKeys }),
      );
    }
    return { ref: alarmName, attributes: { Arn: ResourceARN } };
  };
  return putType(type, put, ({ ref }) => cloudWatch.call('DeleteAlarms', owner, { AlarmNames: [ref] }));
}

const alarmResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType =>
  alarmTypeOf(cloudWatch, place, 'AWS::CloudWatch::Alarm', (properties, alarmName) => {
    const input = alarmInput(properties, alarmName, place.region);
    return { tags: input.Tags, put: () => cloudWatch.call('PutMetricAlarm', cloudWatch.owner, input) };
  });

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

const compositeAlarmResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType =>
  alarmTypeOf(cloudWatch, place, 'AWS::CloudWatch::CompositeAlarm', (properties, alarmName) => {
    const input = {
      AlarmName: alarmName,
      AlarmRule: properties.requiredString('AlarmRule'),
      ...alarmProperties(properties, place.region),
      ActionsSuppressor: properties.string('ActionsSuppressor'),
      ActionsSuppressorWaitPeriod: properties.number('ActionsSuppressorWaitPeriod'),
      ActionsSuppressorExtensionPeriod: properties.number('ActionsSuppressorExtensionPeriod'),
    };
    return { tags: input.Tags, put: () => cloudWatch.call('PutCompositeAlarm', cloudWatch.owner, input) };
  });

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

const dashboardResourceType = (cloudWatch: CloudWatch): ResourceType => {
  const put: PutResource = (properties, context, existing) => {
    const name = properties.string('DashboardName') ?? context.physicalName();
    const input = {
      DashboardName: name,
      DashboardBody: properties.requiredString('DashboardBody'),
      Tags: tagsProperty(properties),
    };
    if (properties.isFree('DashboardName', name, !existing && cloudWatch.hasDashboard(name))) {
      properties.attempt('DashboardBody', () => cloudWatch.call('PutDashboard', cloudWatch.owner, input));
    }
    return { ref: name, attributes: {} };
  };
  return putType('AWS::CloudWatch::Dashboard', put, ({ ref }) =>
    cloudWatch.call('DeleteDashboards', cloudWatch.owner, { DashboardNames: [ref] }),
  );
};

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
    const name = properties.string('Name') ?? context.physicalName(LONGEST_NAME);
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
    properties.isFree('Name', name, !existing && cloudWatch.hasMuteRule(name));
    if (properties.allProblems().length === 0) {
      properties.attempt('Rule', () => cloudWatch.call('PutAlarmMuteRule', cloudWatch.owner, input));
    }
    const arn = muteRuleArn(place, name);
    return { ref: arn, attributes: { Arn: arn } };
  };
  return putType('AWS::CloudWatch::AlarmMuteRule', put, ({ ref }) => {
    const AlarmMuteRuleName = nameInArn(ref);
    cloudWatch.call('DeleteAlarmMuteRule', cloudWatch.owner, { AlarmMuteRuleName });
  });
};
