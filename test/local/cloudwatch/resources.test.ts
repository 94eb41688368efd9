import { cloudWatchResourceTypes } from '../../../local/cloudwatch/resources';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { createResource } from '../create-resource';
import { World } from './fixture';

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
  const world = new World();
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
    'AlarmActions must name SNS topics: other actions are not implemented',
    'ComparisonOperator is not implemented: only comparisons with a static threshold are',
    'ThresholdMetricId is not implemented by the embedded AWS',
  ]);
  expect(world.state('Rental-Thing-1A2B3C')).toBeUndefined();
});

test('a dashboard does nothing, but its body must be JSON', () => {
  expect(create('AWS::CloudWatch::Dashboard', { DashboardName: 'Ops', DashboardBody: '{"widgets":[]}' })).toMatchObject(
    {
      created: { ref: 'Ops' },
      problems: [],
    },
  );
  expect(create('AWS::CloudWatch::Dashboard', { DashboardBody: '{"widgets":' }).problems).toContain(
    'DashboardBody must be a JSON object',
  );
});
