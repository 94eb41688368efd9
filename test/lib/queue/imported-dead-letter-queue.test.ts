import { Duration, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  ImportedDeadLetterQueue,
  type ImportedDeadLetterQueueProps,
  ProcessingQueue,
} from '../../../lib';
import { newFunction } from '../../support/inline-function';
import {
  allowPlainConsumers,
  HERE,
  newApp,
  newStack,
  numberToken,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  textToken,
  warningIds,
} from '../support';

const ARN = 'arn:aws:sqs:us-east-1:111122223333:shared-dlq';
const KEY_ARN = 'arn:aws:kms:us-east-1:111122223333:key/12345678-1234-1234-1234-123456789012';

type Props = Partial<ImportedDeadLetterQueueProps>;

function imported(stack: Stack, props: Props = {}): ImportedDeadLetterQueue {
  const queue = props.queue ?? Queue.fromQueueArn(stack, 'Shared', ARN);
  const alarmActions = [opsTopic(stack)];
  return new ImportedDeadLetterQueue(stack, 'Dlq', { alarmActions, ...props, queue });
}

/** The services that send as service principals, so that the queue policy needs a statement. */
const SERVICES: [string, string, (queue: ImportedDeadLetterQueue, stack: Stack) => unknown][] = [
  ['a topic', 'sns.amazonaws.com', (queue, stack) => queue.fedBy(new Topic(stack, 'Topic'))],
  [
    'a rule',
    'events.amazonaws.com',
    (queue, stack) => queue.fedBy(new Rule(stack, 'Rule', { schedule: Schedule.rate(Duration.hours(1)) })),
  ],
];

describe('An imported dead-letter queue whose sender is an AWS service', () => {
  test.each(SERVICES)('gets a queue policy written by this stack, for %s', (_, Service, feed) => {
    const stack = newStack(HERE);
    feed(imported(stack, { access: DeadLetterAccess.WRITE_POLICY }), stack);
    const [, { Properties }] = only(templateOf(stack), 'AWS::SQS::QueueInlinePolicy');
    expect(Properties).toMatchObject({
      Queue: expect.anything(),
      PolicyDocument: {
        Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: ARN, Principal: { Service } }],
      },
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test.each(SERVICES)('writes no policy if its user states that access is granted: %s', (_, _service, feed) => {
    const stack = newStack(HERE);
    const queue = Queue.fromQueueAttributes(stack, 'Shared', { queueArn: ARN, keyArn: KEY_ARN });
    feed(imported(stack, { queue, access: DeadLetterAccess.GRANTED_ELSEWHERE }), stack);
    templateOf(stack).resourceCountIs('AWS::SQS::QueueInlinePolicy', 0);
    expect(warningIds(stack)).toEqual([]);
  });

  test.each(SERVICES)('is an error without stated access, with the statement to add: %s', (_, service, feed) => {
    const stack = newStack(HERE);
    feed(imported(stack), stack);
    const synthesize = () => templateOf(stack);
    expect(synthesize).toThrow(
      /\[Stack\/Dlq\] This app cannot change the policy of queue Stack\/Dlq. Without this statement its dead letters are lost: \{/,
    );
    expect(synthesize).toThrow(`"Principal":{"Service":"${service}"},"Resource":"${ARN}"`);
    expect(synthesize).toThrow('DeadLetterAccess.GRANTED_ELSEWHERE');
  });

  test.each(SERVICES)(
    'gets a warning about a key whose policy this stack cannot write, for %s',
    (_, _service, feed) => {
      const stack = newStack(HERE);
      const queue = Queue.fromQueueAttributes(stack, 'Shared', { queueArn: ARN, keyArn: KEY_ARN });
      feed(imported(stack, { queue, access: DeadLetterAccess.WRITE_POLICY }), stack);
      expect(warningIds(stack)).toEqual(['key-policy-not-writable']);
    },
  );
});

describe('An imported dead-letter queue', () => {
  test('makes a subscription wait for its policy', () => {
    const stack = newStack(HERE);
    allowPlainConsumers(stack);
    const deadLetterQueue = imported(stack, { access: DeadLetterAccess.WRITE_POLICY });
    const topic = new DurableTopic(stack, 'Topic', { alarmActions: [opsTopic(stack, 'Others')] });
    topic.deliverToFunction('Bill', newFunction(stack), { deadLetterQueue });
    const template = templateOf(stack);
    const [policyId] = only(template, 'AWS::SQS::QueueInlinePolicy');
    const [, { DependsOn }] = only(template, 'AWS::SNS::Subscription', { Properties: { Protocol: 'lambda' } });
    expect(DependsOn).toContain(policyId);
    expect(warningIds(stack)).toEqual([]);
  });

  test('keeps the statements that others need in the policy that it writes', () => {
    const stack = newStack(HERE);
    const queue = imported(stack, { access: DeadLetterAccess.WRITE_POLICY });
    const { statementAdded } = queue.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sqs:SendMessage'],
        resources: [ARN],
        principals: [new ServicePrincipal('budgets.amazonaws.com')],
      }),
    );
    expect(statementAdded).toBe(true);
    queue.fedBy(new Topic(stack, 'Topic'));
    const [, { Properties }] = only(templateOf(stack), 'AWS::SQS::QueueInlinePolicy');
    expect(Properties).toMatchObject({ PolicyDocument: { Statement: [expect.anything(), expect.anything()] } });
  });

  test('writes no policy if none is needed, and none that SQS would reject', () => {
    const stack = newStack(HERE);
    const queue = imported(stack, { access: DeadLetterAccess.WRITE_POLICY });
    templateOf(stack).resourceCountIs('AWS::SQS::QueueInlinePolicy', 0);
    const broken = newStack(HERE);
    imported(broken, { access: DeadLetterAccess.WRITE_POLICY }).addToResourcePolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
    );
    expect(() => templateOf(broken)).toThrow(/must specify at least one IAM principal/);
  });

  test('extends the existing policy of a plain queue of this app', () => {
    const stack = newStack(HERE);
    const queue = imported(stack, { queue: new Queue(stack, 'Plain', { retentionPeriod: Duration.days(10) }) });
    queue.fedBy(new Topic(stack, 'Topic'));
    const template = templateOf(stack);
    template.resourceCountIs('AWS::SQS::QueuePolicy', 1);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 7 * 86_400,
    });
  });

  test('has the alarms of a new one, by the name of the queue', () => {
    const stack = newStack(HERE);
    const deadLetterQueue = imported(stack, { retentionPeriod: Duration.days(14), timeToRespond: Duration.days(2) });
    new ProcessingQueue(stack, 'Source', {
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 5 },
      alarmActions: [opsTopic(stack, 'Others')],
    });
    new FunctionFailures(stack, 'Failures', {
      handler: newFunction(stack),
      deadLetterQueue,
      alarmActions: [opsTopic(stack, 'Third')],
    });
    const template = templateOf(stack);
    const watches = { Namespace: 'AWS/SQS', Dimensions: [{ Name: 'QueueName', Value: 'shared-dlq' }] };
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm', { Properties: watches }));
    expect(alarms.map(({ Properties }) => `${Properties.MetricName} ${Properties.Threshold}`).sort()).toEqual([
      `ApproximateAgeOfOldestMessage ${8 * 86_400}`,
      'NumberOfMessagesSent 0',
    ]);
    expect(deadLetterQueue.growthAlarm).toBeDefined();
    expect(deadLetterQueue.alarms).toHaveLength(3);
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'sqs:SendMessage', Resource: ARN })]) },
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test('lets CloudFormation name its alarms, so that they differ from those of the owner and of other importers', () => {
    const app = newApp();
    const stacks = ['Owner', 'One', 'Other'].map(id => new Stack(app, id, { env: HERE }));
    const [owner, one, other] = stacks as [Stack, Stack, Stack];
    const queues = [
      new DeadLetterQueue(owner, 'Dlq', { queueName: 'shared-dlq' }),
      imported(one, { access: DeadLetterAccess.GRANTED_ELSEWHERE }),
      DeadLetterQueue.fromQueueArn(other, 'Dlq', ARN) as ImportedDeadLetterQueue,
    ];
    for (const queue of queues) {
      const scope = Stack.of(queue);
      queue.fedBy(new Queue(scope, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } }));
      queue.fedBy(newFunction(scope));
    }
    const names = stacks.map(stack => {
      const alarms = templateOf(stack).findResources('AWS::CloudWatch::Alarm');
      return Object.values(alarms).map(({ Properties }) => Properties.AlarmName as unknown);
    });
    expect(names).toEqual([
      ['shared-dlq-Age', 'shared-dlq-Growth', 'shared-dlq-Arrivals'],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  test('of unknown retention has an age alarm that fires at once', () => {
    const stack = newStack(HERE);
    imported(stack);
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 0,
    });
  });

  test('gets a warning about a feeder that it was not told of, though the name of another queue begins like its own', () => {
    const stack = newStack(HERE);
    imported(stack);
    const other = Queue.fromQueueArn(stack, 'Other', `${ARN}-of-others`);
    new Queue(stack, 'Theirs', { deadLetterQueue: { queue: other, maxReceiveCount: 3 } });
    expect(warningIds(stack)).toEqual([]);

    const known = newStack(HERE);
    imported(known);
    const same = Queue.fromQueueArn(known, 'Same', ARN);
    new Queue(known, 'Ours', { deadLetterQueue: { queue: same, maxReceiveCount: 3 } });
    expect(warningIds(known)).toEqual(['feeder-unknown']);
  });
});

describe('An imported dead-letter queue is accepted', () => {
  test('if its ARN lacks account and Region', () => {
    const app = newApp();
    for (const id of ['East', 'West']) {
      const stack = new Stack(app, id);
      const queue = Queue.fromQueueArn(stack, 'Shared', stack.formatArn({ service: 'sqs', resource: 'shared-dlq' }));
      imported(stack, { queue, access: DeadLetterAccess.WRITE_POLICY }).fedBy(new Topic(stack, 'Topic'));
    }
    expect(problemsOf(() => app.synth())).toEqual([]);
  });

  test('if its ARN is a token', () => {
    const stack = newStack(HERE);
    const queue = Queue.fromQueueArn(stack, 'Q', textToken());
    const unknown = Duration.seconds(numberToken());
    const durations = { retentionPeriod: unknown, timeToRespond: unknown, unattendedAfter: unknown };
    imported(stack, { queue, access: DeadLetterAccess.WRITE_POLICY, ...durations });
    templateOf(stack).resourceCountIs('AWS::CloudWatch::Alarm', 2);
  });
});

describe('DeadLetterQueue.fromQueueArn returns', () => {
  test('a dead-letter queue with alarms that notify nobody', () => {
    const stack = newStack(HERE);
    const queue = DeadLetterQueue.fromQueueArn(stack, 'Dlq', ARN);
    new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    new ProcessingQueue(stack, 'Known', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
    const growth = Match.objectLike({ Expression: Match.stringLikeRegexp('^DIFF') });
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', { Metrics: Match.arrayWith([growth]) });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody', 'feeder-unknown']);
  });

  test('the key of the queue too', () => {
    const stack = newStack(HERE);
    const queue = DeadLetterQueue.fromQueueAttributes(stack, 'Dlq', { queueArn: ARN, keyArn: KEY_ARN });
    expect(queue.encryptionMasterKey?.keyArn).toBe(KEY_ARN);
    expect(queue.encryptionType).toBe(QueueEncryption.KMS);
  });
});
