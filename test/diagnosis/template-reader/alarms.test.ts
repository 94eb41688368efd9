import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { inventoryOf, only, type Resources, stackWith } from './read';

const METRIC = { Namespace: 'AWS/SQS', MetricName: 'ApproximateNumberOfMessagesVisible' };
const UNKNOWN = { unknownBecause: expect.any(String) };

/** The metrics of an alarm on one entry that has these members beside its metric. */
function watchedBy(entry: Readonly<Record<string, unknown>>) {
  const MetricStat = { Metric: METRIC, Stat: 'Maximum', Period: 60 };
  const Properties = { EvaluationPeriods: 1, Metrics: [{ Id: 'm1', MetricStat, ...entry }] };
  const { alarms } = inventoryOf(
    { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties } },
    { Parameters: { Whose: { Type: 'String' } } },
  );
  return only(only(alarms).metrics);
}

test.each([
  ['an account', '111122223333', '111122223333'],
  ['the stack’s own', { Ref: 'AWS::AccountId' }, '<account>'],
  ['that of a parameter', { Ref: 'Whose' }, UNKNOWN],
])('an alarm says whose metric it watches: %s', (_, AccountId, reported) => {
  expect(watchedBy({ AccountId })).toMatchObject({ namespace: 'AWS/SQS', accountId: reported });
});

test('an alarm that names no account watches its own', () => {
  expect(watchedBy({})).not.toHaveProperty('accountId');
});

test('an alarm in one Region is not one for the queue of the same name in another', () => {
  const RedrivePolicy = { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 };
  const Dead = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'dead', MessageRetentionPeriod: 1_209_600 } };
  const Work = { Type: 'AWS::SQS::Queue', Properties: { RedrivePolicy } };
  const Dimensions = [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['Dead', 'QueueName'] } }];
  const watching = { EvaluationPeriods: 1, ...METRIC, Dimensions, AlarmActions: ['arn:aws:sns:us-east-1:1:ops'] };
  const Alarm = { Type: 'AWS::CloudWatch::Alarm', Properties: watching };
  const at = (region: string, Resources: Resources) =>
    stackWith({ Resources }, { stackName: region, templatePath: `${region}.json`, region, account: '111122223333' });
  const app = readTemplates([at('us-east-1', { Dead, Work, Alarm }), at('eu-west-1', { Dead, Work })]);
  const found = checkInventory(app).filter(({ id }) => id === 'dead-letters-unwatched');
  expect(found.map(({ resource }) => resource.arn)).toEqual(['arn:aws:sqs:eu-west-1:111122223333:dead']);
});
