import { cloudWatchResourceTypes } from '../../../local/cloudwatch/resources';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { createResource } from '../create-resource';
import { CloudWatchFixture, OPS_TOPIC } from './fixture';

const PROPERTIES = {
  Namespace: 'AWS/SQS',
  MetricName: 'NumberOfMessagesSent',
  Dimensions: [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }],
  Statistic: 'Sum',
  Period: 60,
  EvaluationPeriods: 1,
  Threshold: '0',
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
};

function create(type: string, properties: Record<string, unknown>) {
  const world = new CloudWatchFixture();
  return { world, ...createResource(cloudWatchResourceTypes(world.cloudWatch, EXAMPLE_PLACE), type, properties) };
}

test('an alarm from a template is named by CloudFormation and watches its metric', async () => {
  const { world, created, problems } = create('AWS::CloudWatch::Alarm', PROPERTIES);
  expect(problems).toEqual([]);
  expect(created).toEqual({
    ref: 'Rental-Thing-1A2B3C',
    attributes: { Arn: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Rental-Thing-1A2B3C' },
  });
  world.report(1);
  await world.advanceMinutes(1);
  expect(world.state('Rental-Thing-1A2B3C')).toBe('ALARM');
});

test('an alarm that asks for more than is implemented fails by property', () => {
  const { world, problems } = create('AWS::CloudWatch::Alarm', {
    ...PROPERTIES,
    ComparisonOperator: 'LessThanLowerOrGreaterThanUpperThreshold',
    ThresholdMetricId: 'ad1',
    AlarmActions: ['arn:aws:swf:us-east-1:123456789012:action/actions/AWS_EC2.InstanceId.Reboot/1.0'],
  });
  expect(problems).toEqual([
    'AlarmActions is refused (NotImplemented: The embedded AWS does not implement EC2 actions as actions of alarms (arn:aws:swf:us-east-1:123456789012:action/actions/AWS_EC2.InstanceId.Reboot/1.0).)',
    'ComparisonOperator is not implemented: only comparisons with a static threshold are',
    'ThresholdMetricId is not implemented by the embedded AWS',
  ]);
  expect(world.state('Rental-Thing-1A2B3C')).toBeUndefined();
});

test('a dashboard is kept, and its body must be one', () => {
  const { world, created, problems } = create('AWS::CloudWatch::Dashboard', {
    DashboardName: 'Ops',
    DashboardBody: '{"widgets":[]}',
  });
  expect(problems).toEqual([]);
  expect(created.ref).toBe('Ops');
  expect(world.ask('GetDashboard', { DashboardName: 'Ops' }).DashboardBody).toBe('{"widgets":[]}');
  expect(create('AWS::CloudWatch::Dashboard', { DashboardBody: '{"widgets":' }).problems).toEqual([
    'DashboardBody is refused (InvalidParameterInput: The field DashboardBody must be a valid JSON object)',
  ]);
});

test('an alarm on an expression, as the CDK writes it, watches what the expression comes to', async () => {
  const metric = (MetricName: string) => ({
    Metric: { Namespace: 'AWS/SQS', MetricName, Dimensions: PROPERTIES.Dimensions },
    Period: 60,
    Stat: 'Sum',
  });
  const { world, problems } = create('AWS::CloudWatch::Alarm', {
    Metrics: [
      { Id: 'expr_1', Expression: 'sent - deleted', Label: 'Left behind' },
      { Id: 'sent', MetricStat: metric('NumberOfMessagesSent'), ReturnData: false },
      { Id: 'deleted', MetricStat: metric('NumberOfMessagesDeleted'), ReturnData: false },
    ],
    EvaluationPeriods: 1,
    Threshold: 1,
    ComparisonOperator: 'GreaterThanThreshold',
    Tags: [{ Key: 'team', Value: 'rental' }],
  });
  expect(problems).toEqual([]);
  world.report(5);
  world.report(3, 'NumberOfMessagesDeleted');
  await world.advanceMinutes(1);
  expect(world.state('Rental-Thing-1A2B3C')).toBe('ALARM');
  const ResourceARN = 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Rental-Thing-1A2B3C';
  expect(world.ask('ListTagsForResource', { ResourceARN }).Tags).toEqual([{ Key: 'team', Value: 'rental' }]);
});

test('an alarm on a percentile, and a composite alarm above it, from a template', async () => {
  const world = new CloudWatchFixture();
  const types = cloudWatchResourceTypes(world.cloudWatch, EXAMPLE_PLACE);
  const { Statistic: _, ...properties } = PROPERTIES;
  const child = createResource(types, 'AWS::CloudWatch::Alarm', { ...properties, ExtendedStatistic: 'p90' }, 'Child');
  const parent = createResource(
    types,
    'AWS::CloudWatch::CompositeAlarm',
    { AlarmRule: `ALARM("${child.created.attributes['Arn']}")`, AlarmActions: [OPS_TOPIC] },
    'Parent',
  );
  expect([...child.problems, ...parent.problems]).toEqual([]);
  expect(world.state('Rental-Parent-1A2B3C')).toBe('OK');
  world.report(1);
  await world.advanceMinutes(1);
  expect(world.state('Rental-Parent-1A2B3C')).toBe('ALARM');
  expect(world.notified.map(({ subject }) => subject)).toEqual([
    'ALARM: "Rental-Parent-1A2B3C" in US East (N. Virginia)',
  ]);
});
