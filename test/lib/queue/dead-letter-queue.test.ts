import { Annotations, Duration, type Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { AlarmSet, DeadLetterQueue, type DeadLetterQueueProps } from '../../../lib';
import { newFunction } from '../../support/inline-function';
import { newStack, numberToken, only, opsTopic, templateOf, textToken, warningIds } from '../support';

type Feeder = (queue: DeadLetterQueue, stack: Stack) => void;
const FED_BY_TOPIC: Feeder = (queue, stack) => queue.fedBy(new Topic(stack, 'Topic'));
const FED_BY_FUNCTION: Feeder = (queue, stack) => queue.fedBy(newFunction(stack));
const FED_BY_QUEUE: Feeder = (queue, stack) => queue.fedBy(new Queue(stack, 'Source'));

function metricsOfAlarms(alarmSet: AlarmSet, feeders: readonly Feeder[]): string[] {
  const stack = newStack();
  const queue = new DeadLetterQueue(stack, 'Dlq', { alarms: alarmSet });
  for (const feed of feeders) feed(queue, stack);
  const alarms = Object.values(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));
  return alarms.map(({ Properties: { MetricName, Metrics = [], Statistic, Threshold } }) => {
    const [{ Expression }] = Metrics.length > 0 ? Metrics : [{}];
    return `${Expression ?? `${Statistic} ${MetricName}`} > ${Threshold}`;
  });
}

const ARRIVALS = 'Sum NumberOfMessagesSent > 0';
const GROWTH = 'DIFF(FILL(FILL(visible + hidden, REPEAT), 0)) > 0';
const WAITING = 'Maximum ApproximateNumberOfMessagesVisible > 0';
const AGE_FRESH = 'Maximum ApproximateAgeOfOldestMessage > 950400';
const UNATTENDED = 'Minimum ApproximateNumberOfMessagesVisible > 0';
const AGE_MOVED = 'Maximum ApproximateAgeOfOldestMessage > 604800';

describe('The alarm on arrivals of a DeadLetterQueue', () => {
  test.each<[string, Feeder[], string[]]>([
    ['a topic', [FED_BY_TOPIC], [AGE_FRESH, ARRIVALS]],
    ['a function', [FED_BY_FUNCTION], [AGE_FRESH, ARRIVALS]],
    ['a queue, whose moves NumberOfMessagesSent does not count', [FED_BY_QUEUE], [AGE_MOVED, GROWTH]],
    ['a queue and a topic', [FED_BY_QUEUE, FED_BY_TOPIC], [AGE_MOVED, GROWTH, ARRIVALS]],
    ['a topic and a function', [FED_BY_TOPIC, FED_BY_FUNCTION], [AGE_FRESH, ARRIVALS]],
    ['nobody yet', [], [AGE_FRESH]],
  ])('counts the metric that cannot miss a message if the queue is fed by %s', (_, feeders, expected) => {
    expect(metricsOfAlarms(AlarmSet.ESSENTIAL, feeders).sort()).toEqual([...expected].sort());
    const more = expected.includes(GROWTH) ? [WAITING, UNATTENDED] : [UNATTENDED];
    expect(metricsOfAlarms(AlarmSet.ALL, feeders).sort()).toEqual([...expected, ...more].sort());
  });

  test('fires at one datapoint in twenty minutes, ignores missing data, and notifies the ops topic', () => {
    const stack = newStack();
    const ops = opsTopic(stack);
    FED_BY_TOPIC(new DeadLetterQueue(stack, 'Dlq', { alarmActions: [ops], queueName: 'orders-dlq' }), stack);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'orders-dlq-Arrivals',
      AlarmDescription: Match.stringLikeRegexp('docs/runbook\\.md#dead-letters-arrived$'),
      Period: 60,
      EvaluationPeriods: 20,
      DatapointsToAlarm: 1,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: [stack.resolve(ops.topicArn)],
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test('has no name if the queue has no stated name', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq', { queueName: textToken() });
    FED_BY_TOPIC(queue, stack);
    templateOf(stack).allResourcesProperties('AWS::CloudWatch::Alarm', { AlarmName: Match.absent() });
  });

  test('gets a warning if it notifies no topic', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq');
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });
});

test('A warning can be acknowledged by its id', () => {
  const stack = newStack();
  const queue = new DeadLetterQueue(stack, 'Dlq');
  Annotations.of(queue).acknowledgeWarning('dead-letter-office:alarm-tells-nobody', 'A dashboard shows it.');
  expect(warningIds(stack)).toEqual([]);
});

describe('The age alarm of a DeadLetterQueue leaves time to respond:', () => {
  const days = (count: number) => count * 86_400;

  test.each<[string, DeadLetterQueueProps, number | undefined, number]>([
    ['3 of 14 days to see to what SNS sent', {}, undefined, days(11)],
    ['as long as asked for', { timeToRespond: Duration.days(5) }, undefined, days(9)],
    ['what the source kept a message for taken off: 14 - 4 - 3', {}, 4, days(7)],
    ['nothing, where the source may have kept it as long', {}, 14, 0],
    [
      'and fires at once where the retention is not known',
      { retentionPeriod: Duration.seconds(numberToken()) },
      undefined,
      0,
    ],
    ['without the source’s retention, which a FIFO queue does not count', { fifo: true }, 4, days(11)],
  ])('%s', (_, props, sourceDays, threshold) => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq', props);
    if (sourceDays !== undefined) {
      const retentionPeriod = Duration.days(sourceDays);
      queue.fedBy(new Queue(stack, 'Source', { retentionPeriod, fifo: props.fifo }));
    }
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: threshold,
    });
  });

  test('it counts from the source with the longest retention', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    queue.fedBy(new Queue(stack, 'Long', { retentionPeriod: Duration.days(8) }));
    queue.fedBy(new Queue(stack, 'Short', { retentionPeriod: Duration.days(1) }));
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', { Threshold: days(3) });
  });

  test('it comes with a warning if a message may expire as soon as it is moved (hole 9)', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq', { retentionPeriod: Duration.days(4) });
    queue.fedBy(new Queue(stack, 'Source'));
    expect(warningIds(stack)).toContain('dead-letters-expire-early');
  });
});

describe('A DeadLetterQueue', () => {
  test('is a Queue with the same logical id as a plain Queue in its place', () => {
    const [ours, plain] = [newStack(), newStack()];
    new DeadLetterQueue(ours, 'Dlq');
    new Queue(plain, 'Dlq');
    expect(only(templateOf(ours), 'AWS::SQS::Queue')[0]).toBe(only(templateOf(plain), 'AWS::SQS::Queue')[0]);
  });

  test('keeps messages for 14 days, encrypted, over TLS only, also if a property is present but undefined', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq', { retentionPeriod: undefined, enforceSSL: undefined, encryption: undefined });
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::SQS::Queue', {
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      PolicyDocument: {
        Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
      },
    });
  });

  test('gets a warning if dead letters are not encrypted', () => {
    const stack = newStack();
    new DeadLetterQueue(stack, 'Dlq', { encryption: QueueEncryption.UNENCRYPTED });
    expect(warningIds(stack)).toContain('dead-letters-unencrypted');
  });

  test('lets a function’s role send and use the key; a plain function loses its events (hole 5)', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const queue = new DeadLetterQueue(stack, 'Dlq', { encryptionMasterKey: key });
    queue.fedBy(newFunction(stack));
    const useKey = {
      Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
      Effect: 'Allow',
      Resource: stack.resolve(key.keyArn),
    };
    templateOf(stack).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [{ Action: 'sqs:SendMessage', Effect: 'Allow', Resource: stack.resolve(queue.queueArn) }, useKey],
      },
    });

    const plain = newStack();
    new LambdaFunction(plain, 'Function', {
      runtime: Runtime.NODEJS_22_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = async () => {};'),
      deadLetterQueue: new Queue(plain, 'Dlq', { encryptionMasterKey: new Key(plain, 'Key') }),
    });
    const [, { Properties }] = only(templateOf(plain), 'AWS::IAM::Policy');
    expect(JSON.stringify(Properties)).not.toContain('kms:');
  });

  test('admits only the queues that name it, without the cycle of a plain redrive-allow policy (hole 10)', () => {
    const stack = newStack();
    const queue = new DeadLetterQueue(stack, 'Dlq');
    const source = new Queue(stack, 'Source', { queueName: 'orders', deadLetterQueue: { queue, maxReceiveCount: 3 } });
    queue.fedBy(source);
    const arn = [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':sqs:',
      { Ref: 'AWS::Region' },
      ':',
      { Ref: 'AWS::AccountId' },
      ':orders',
    ];
    templateOf(stack).hasResourceProperties('AWS::SQS::Queue', {
      RedriveAllowPolicy: { redrivePermission: 'byQueue', sourceQueueArns: [{ 'Fn::Join': ['', arn] }] },
    });

    const plain = newStack();
    const first = new Queue(plain, 'Source', { queueName: 'orders' });
    const dlq = new Queue(plain, 'Dlq', {
      redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: [first] },
    });
    const resource = first.node.defaultChild as import('aws-cdk-lib/aws-sqs').CfnQueue;
    resource.redrivePolicy = { deadLetterTargetArn: dlq.queueArn, maxReceiveCount: 3 };
    expect(() => Template.fromStack(plain)).toThrow(/dependency cycle/);
  });

  test.each<[string, (stack: Stack) => void]>([
    ['a source without a name', stack => new DeadLetterQueue(stack, 'Dlq').fedBy(new Queue(stack, 'Source'))],
    [
      'more than 10 sources',
      stack => {
        const queue = new DeadLetterQueue(stack, 'Dlq');
        for (let n = 1; n <= 11; n += 1) queue.fedBy(new Queue(stack, `Source${n}`, { queueName: `source-${n}` }));
      },
    ],
  ])('admits every queue if it has %s', (_, build) => {
    const stack = newStack();
    build(stack);
    templateOf(stack).resourcePropertiesCountIs('AWS::SQS::Queue', { RedriveAllowPolicy: Match.anyValue() }, 0);
  });

  test('keeps a redrive-allow policy of its user', () => {
    const stack = newStack();
    const redriveAllowPolicy = { redrivePermission: RedrivePermission.ALLOW_ALL };
    const queue = new DeadLetterQueue(stack, 'Dlq', { redriveAllowPolicy });
    queue.fedBy(new Queue(stack, 'Source', { queueName: 'orders' }));
    templateOf(stack).hasResourceProperties('AWS::SQS::Queue', {
      RedriveAllowPolicy: { redrivePermission: 'allowAll' },
    });
  });
});

test('A DeadLetterQueue accepts values that are known only at deployment', () => {
  const stack = newStack();
  const unknown = Duration.seconds(numberToken());
  new DeadLetterQueue(stack, 'Dlq', {
    retentionPeriod: unknown,
    visibilityTimeout: unknown,
    timeToRespond: unknown,
    maxMessageSizeBytes: numberToken(),
  }).fedBy(new Queue(stack, 'Source', { retentionPeriod: unknown }));
  expect(
    only(templateOf(stack), 'AWS::SQS::Queue', { Properties: { VisibilityTimeout: { Ref: 'AWS::AccountId' } } }),
  ).toBeDefined();
  expect(warningIds(stack)).toEqual(['alarm-tells-nobody', 'duration-not-known']);
});
