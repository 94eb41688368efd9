import { checkedStages, readableFindings } from '../../../diagnosis/checks/check-stages';
import type { Finding } from '../../../diagnosis/checks/finding';
import { inventoryOf, type Resources, stackWith } from '../template-reader/read';

describe('checked stages', () => {
  const resource = (Type: string, Properties: Resources) => ({ Type, Properties });
  const ARN_OF = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

  /** Resources of a queue whose dead letters no alarm watches. */
  const work = (QueueName?: string) => ({
    Dead: resource('AWS::SQS::Queue', {
      MessageRetentionPeriod: 1_209_600,
      ...(QueueName !== undefined && { QueueName }),
    }),
    Work: resource('AWS::SQS::Queue', { RedrivePolicy: { deadLetterTargetArn: ARN_OF('Dead'), maxReceiveCount: 5 } }),
  });
  const alarm = (Value: unknown) => ({
    Alarm: resource('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value }],
      Statistic: 'Maximum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      AlarmActions: ['arn:aws:sns:eu-west-1:123456789012:ops'],
    }),
  });

  /** Returns the `unwatched` findings by stack, for stages of one stack each. */
  function unwatched(...stages: readonly Resources[]): string[] {
    const stacks = stages.map((Resources, index) => stackWith({ Resources }, { stackName: `Stage${index}` }));
    const findings = checkedStages(stacks.map(it => [it])).flatMap(it => it.findings);
    return findings
      .filter(({ id }) => id === 'dead-letters-unwatched')
      .flatMap(({ resource: { place } }) => place?.stack ?? []);
  }

  test('what a stage watches of another, by its name, is not said to be unwatched', () => {
    expect(unwatched(work('dead'), {})).toEqual(['Stage0']);
    expect(unwatched(work('dead'), alarm('dead'))).toEqual([]);
    expect(unwatched(work('dead'), alarm('other'))).toEqual(['Stage0']);
  });

  test('what a stage watches of its own is not the other’s of that name', () => {
    const watched = { ...work('dead'), ...alarm({ 'Fn::GetAtt': ['Dead', 'QueueName'] }) };
    expect(unwatched(work('dead'), watched)).toEqual(['Stage0']);
  });

  test('one of several other stages is enough, and it may compose the name', () => {
    expect(unwatched(work('dead'), alarm('dead'), {})).toEqual([]);
    expect(unwatched(work('dead'), {}, alarm({ 'Fn::Join': ['', ['de', 'ad']] }))).toEqual([]);
  });

  test('what is wrong, and not missing, is said of what another stage names', () => {
    const Dead = resource('AWS::SQS::Queue', { QueueName: 'dead', MessageRetentionPeriod: 3_600 });
    const [stage, other] = [{ ...work('dead'), Dead }, alarm('dead')].map((Resources, index) => [
      stackWith({ Resources }, { stackName: `Stage${index}` }),
    ]);
    const ids = checkedStages([stage ?? [], other ?? []]).flatMap(({ findings }) => findings.map(({ id }) => id));
    expect(ids).toContain('dead-letters-kept-too-short');
    expect(ids).not.toContain('dead-letters-unwatched');
  });

  test('what a stage itself names may still be missing', () => {
    const subscription = resource('AWS::SNS::Subscription', {
      TopicArn: 'arn:aws:sns:eu-west-1:123456789012:orders',
      Protocol: 'email',
      Endpoint: 'ops@example.com',
      RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:eu-west-1:123456789012:dead' },
    });
    const found = checkedStages([
      [stackWith({ Resources: { Subscription: subscription } })],
      [stackWith({ Resources: {} }, { stackName: 'Other' })],
    ]);
    expect(found[0]?.findings.map(({ id }) => id)).toContain('queue-policy-not-writable');
  });

  test('what AWS makes a name for no other stage names', () => {
    expect(unwatched(work(), alarm('Dead'))).toEqual(['Stage0']);
  });

  test('a permission another stage gives, by the function’s name, is not said to be missing', () => {
    const bill = {
      Bill: resource('AWS::Lambda::Function', { FunctionName: 'bill' }),
      Topic: resource('AWS::SNS::Topic', {}),
      Subscription: resource('AWS::SNS::Subscription', {
        TopicArn: { Ref: 'Topic' },
        Protocol: 'lambda',
        Endpoint: ARN_OF('Bill'),
      }),
    };
    const permission = (FunctionName: string) => ({
      Permission: resource('AWS::Lambda::Permission', {
        FunctionName,
        Action: 'lambda:InvokeFunction',
        Principal: 'sns.amazonaws.com',
      }),
    });
    const keptOut = (other: Resources) =>
      checkedStages([[stackWith({ Resources: bill })], [stackWith({ Resources: other }, { stackName: 'Other' })]])
        .flatMap(({ findings }) => findings)
        .filter(({ id }) => id === 'function-policy-keeps-out').length;
    expect([permission('bill'), permission('other')].map(keptOut)).toEqual([0, 1]);
  });
});

const target = (Id: string) => ({ Id, Arn: 'arn:aws:sqs:eu-west-1:123456789012:orders' });
const INVENTORY = inventoryOf({
  Queue: { Type: 'AWS::SQS::Queue', Metadata: { 'aws:cdk:path': "Test/$& at $'/Resource" } },
  Rule: { Type: 'AWS::Events::Rule', Properties: { Targets: [target('0'), target('1')] } },
});

function spoken(says: string): string | undefined {
  const [resource] = INVENTORY.queues;
  if (!resource) throw new Error('there is no queue');
  const finding: Finding = { id: 'it', severity: 'note', resource, about: [], says, fix: { says } };
  return readableFindings([finding], INVENTORY)[0]?.fix.says;
}

test.each([
  [
    'arn:aws:sqs:<region>:<account>:<Test.Queue>, <Test.Queue>',
    "arn:aws:sqs:<region>:<account>:Test/$& at $', Test/$& at $'",
  ],
  ['<Test.Rule>', 'Rule Targets[0]'],
  ['<QueueName of Test.Rule> in <region of Test>', 'Rule Targets[0] in <region of Test>'],
  ['<Test.Other> and 1 < 2 > 1', '<Test.Other> and 1 < 2 > 1'],
])('spoken findings: %s is told as %s', (says, reported) => {
  expect(spoken(says)).toBe(reported);
});
