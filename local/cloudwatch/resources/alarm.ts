import type {
  ComparisonOperator,
  Dimension,
  PutMetricAlarmInput,
  StandardUnit,
  Statistic,
} from '@aws-sdk/client-cloudwatch';
import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import { arnIn, type Place } from '../../kernel/place';
import { isComparisonOperator } from '../alarms/comparison';
import type { CloudWatch } from '../cloud-watch';
import { isStatistic } from '../metrics/statistics';

const LONGEST_NAME = 255;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudwatch-alarm.html */
export const alarmResourceType = (cloudWatch: CloudWatch, place: Place): ResourceType => ({
  type: 'AWS::CloudWatch::Alarm',
  create(properties, context) {
    const alarmName = properties.string('AlarmName') ?? context.physicalName(LONGEST_NAME);
    const input = alarmInput(properties, alarmName);
    properties.withoutEffect('Tags');
    if (properties.allProblems().length === 0) cloudWatch.call('PutMetricAlarm', cloudWatch.owner, input);
    return { ref: alarmName, attributes: { Arn: arnIn(place, 'cloudwatch', `alarm:${alarmName}`) } };
  },
});

function alarmInput(properties: PropertyReader, alarmName: string): PutMetricAlarmInput {
  return {
    AlarmName: alarmName,
    AlarmDescription: properties.string('AlarmDescription'),
    ActionsEnabled: properties.boolean('ActionsEnabled'),
    OKActions: actions(properties, 'OKActions'),
    AlarmActions: actions(properties, 'AlarmActions'),
    InsufficientDataActions: actions(properties, 'InsufficientDataActions'),
    Namespace: properties.requiredString('Namespace'),
    MetricName: properties.requiredString('MetricName'),
    Dimensions: dimensions(properties),
    Statistic: statistic(properties),
    Unit: properties.string('Unit') as StandardUnit | undefined,
    Period: requiredNumber(properties, 'Period'),
    EvaluationPeriods: requiredNumber(properties, 'EvaluationPeriods'),
    DatapointsToAlarm: properties.number('DatapointsToAlarm'),
    Threshold: requiredNumber(properties, 'Threshold'),
    ComparisonOperator: comparisonOperator(properties),
    TreatMissingData: properties.string('TreatMissingData'),
  };
}

function requiredNumber(properties: PropertyReader, name: string): number | undefined {
  return properties.number(name) ?? properties.problem(name, 'is required');
}

function actions(properties: PropertyReader, name: string): string[] {
  const arns = properties.strings(name) ?? [];
  for (const arn of arns.filter(arn => !/^arn:[^:]+:sns:/.test(arn))) {
    properties.problem(name, 'must name SNS topics: other actions are not implemented', arn);
  }
  return [...arns];
}

function dimensions(properties: PropertyReader): Dimension[] {
  return properties.objects('Dimensions').map(dimension => ({
    Name: dimension.requiredString('Name'),
    Value: dimension.requiredString('Value'),
  }));
}

function statistic(properties: PropertyReader): Statistic | undefined {
  const name = properties.requiredString('Statistic');
  return isStatistic(name) ? name : properties.problem('Statistic', 'is not a statistic CloudWatch knows', name);
}

function comparisonOperator(properties: PropertyReader): ComparisonOperator | undefined {
  const name = properties.requiredString('ComparisonOperator');
  return isComparisonOperator(name)
    ? name
    : properties.problem(
        'ComparisonOperator',
        'is not implemented: only comparisons with a static threshold are',
        name,
      );
}
