import { Duration, type Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { DeduplicationScope, FifoThroughputLimit, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { DeadLetterQueue, ProcessingQueue, type ProcessingQueueProps } from '../../lib';
import { newFunction } from '../support/inline-function';
import { HERE, newStack, numberToken, only, opsTopic, problemsOf, templateOf, warningIds } from './support';

describe('A ProcessingQueue', () => {
  test('is a Queue whose logical id is the one a Queue in its place would have', () => {
    const [ours, plain] = [newStack(), newStack()];
    const queue = new ProcessingQueue(ours, 'Orders', { queueName: 'orders' });
    new Queue(plain, 'Orders');
    const [plainId] = only(templateOf(plain), 'AWS::SQS::Queue');
    expect(only(templateOf(ours), 'AWS::SQS::Queue', { Properties: { QueueName: 'orders' } })[0]).toBe(plainId);
    expect(queue.deadLetterQueue?.queue).toBe(queue.deadLetters);
  });

  test('moves a message after 5 receives to a dead-letter queue of its own, with its key and the waiting alarm', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const alarmActions = [opsTopic(stack)];
    new ProcessingQueue(stack, 'Orders', { encryptionMasterKey: key, deadLetterQueueName: 'orders-dlq', alarmActions });
    const template = templateOf(stack);
    const [logicalId] = only(template, 'AWS::SQS::Queue', {
      Properties: {
        QueueName: 'orders-dlq',
        MessageRetentionPeriod: 1_209_600,
        KmsMasterKeyId: stack.resolve(key.keyArn),
      },
    });
    template.hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [logicalId, 'Arn'] }, maxReceiveCount: 5 },
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'orders-dlq-Waiting', Threshold: 0 });
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName: 'NumberOfMessagesSent' }, 0);
    expect(warningIds(stack)).toEqual([]);
  });

  test('follows its own kind: a FIFO queue has a FIFO dead-letter queue', () => {
    const stack = newStack();
    new ProcessingQueue(stack, 'Orders', { fifo: true });
    templateOf(stack).allResourcesProperties('AWS::SQS::Queue', { FifoQueue: true });
  });

  test('takes a dead-letter queue it is given, and warns of one that no alarm watches', () => {
    const stack = newStack();
    const shared = new DeadLetterQueue(stack, 'Shared');
    new ProcessingQueue(stack, 'First', { deadLetterQueue: { queue: shared, maxReceiveCount: 3 } });
    expect(shared.waitingAlarm).toBeDefined();
    expect(warningIds(stack)).not.toContain('dead-letters-unwatched');
    new ProcessingQueue(stack, 'Second', { deadLetterQueue: { queue: new Queue(stack, 'Plain'), maxReceiveCount: 3 } });
    expect(warningIds(stack)).toContain('dead-letters-unwatched');
  });

  test('alarms on an old message, and at 80,000 of the 120,000 messages it can hold in flight', () => {
    const stack = newStack();
    const queueName = 'orders';
    new ProcessingQueue(stack, 'Orders', { queueName, ageAlarmThreshold: Duration.minutes(10) });
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'orders-Age',
      MetricName: 'ApproximateAgeOfOldestMessage',
      Statistic: 'Maximum',
      Threshold: 600,
      AlarmDescription: Match.stringLikeRegexp('#queue-not-keeping-up$'),
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'orders-InFlight',
      MetricName: 'ApproximateNumberOfMessagesNotVisible',
      Statistic: 'Maximum',
      Threshold: 80_000,
      AlarmDescription: Match.stringLikeRegexp('#queue-in-flight-limit$'),
    });
  });

  test('warns where it keeps a message as long as its dead-letter queue does (hole 9)', () => {
    const stack = newStack();
    new ProcessingQueue(stack, 'Orders', { retentionPeriod: Duration.days(14) });
    expect(warningIds(stack)).toContain('dead-letters-expire-early');
  });
});

describe('Before anything is made, a ProcessingQueue refuses', () => {
  test('a plain queue does not mind 1,001 receives (hole 9)', () => {
    const stack = newStack();
    const deadLetterQueue = { queue: new Queue(stack, 'Dlq'), maxReceiveCount: 1_001 };
    expect(() => new Queue(stack, 'Plain', { deadLetterQueue })).not.toThrow();
    expect(() => new ProcessingQueue(stack, 'Ours', { deadLetterQueue })).toThrow('from 1 to 1,000, got 1001');
  });

  test('a dead-letter queue and the name of another, and whatever else is wrong, all at once', () => {
    const stack = newStack();
    const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Dlq'), maxReceiveCount: 3 };
    const props = { deadLetterQueue, deadLetterQueueName: 'another', deliveryDelay: Duration.hours(1) };
    expect(problemsOf(() => new ProcessingQueue(stack, 'Orders', props))).toEqual([
      'Stack/Orders has 2 problems:',
      '  - deliveryDelay must be a whole number from 0 to 900 seconds, got 3600',
      '  - deadLetterQueueName must be absent where deadLetterQueue is present, got "another"',
    ]);
  });

  test('no value that is not known before deployment', () => {
    const stack = newStack();
    const unknown = Duration.seconds(numberToken());
    const queue = new ProcessingQueue(stack, 'Orders', {
      maxReceiveCount: numberToken(),
      visibilityTimeout: unknown,
      consumerTimeout: unknown,
      retentionPeriod: unknown,
      ageAlarmThreshold: unknown,
    });
    queue.addFunctionConsumer(newFunction(stack, { timeout: Duration.seconds(30) }));
    templateOf(stack).hasResourceProperties('AWS::CloudWatch::Alarm', { Threshold: { Ref: 'AWS::AccountId' } });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });
});

describe('A function that consumes a ProcessingQueue', () => {
  function consumed(props: ProcessingQueueProps, timeout?: Duration): Stack {
    const stack = newStack();
    const alarmActions = [opsTopic(stack)];
    new ProcessingQueue(stack, 'Orders', { alarmActions, ...props }).addFunctionConsumer(
      newFunction(stack, { timeout }),
    );
    return stack;
  }

  test('reports the items of a batch it failed on', () => {
    const stack = consumed({ visibilityTimeout: Duration.seconds(180) }, Duration.seconds(30));
    templateOf(stack).hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(warningIds(stack)).toEqual([]);
  });

  test.each<[string, ProcessingQueueProps, Duration | undefined, string[]]>([
    ['6 times its timeout is enough', { visibilityTimeout: Duration.seconds(60) }, Duration.seconds(10), []],
    ['5 times is not', { visibilityTimeout: Duration.seconds(50) }, Duration.seconds(10), ['visibility-too-short']],
    ['18 s do for the 3 s a function has by itself', { visibilityTimeout: Duration.seconds(18) }, undefined, []],
    ['5 receives are enough', { maxReceiveCount: 5 }, undefined, []],
    ['4 are not', { maxReceiveCount: 4 }, undefined, ['too-few-receives']],
  ])('%s', (_, props, timeout, ids) => {
    expect(warningIds(consumed(props, timeout))).toEqual(ids);
  });

  test('must not run for longer than a message stays invisible, which Lambda refuses', () => {
    expect(() => consumed({ visibilityTimeout: Duration.seconds(29) }, Duration.seconds(30))).toThrow(
      'Stack/Orders has 1 problem:\n  - visibilityTimeout must not be below the timeout of Stack/Function, 30 seconds, got 29',
    );
  });
});

describe('The consumers of a ProcessingQueue', () => {
  test('are remembered, each with the mapping by which it can be stopped', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const consumer = queue.addFunctionConsumer(newFunction(stack));
    const second = queue.addFunctionConsumer(newFunction(new Construct(stack, 'Second')), { enabled: false });
    expect(queue.consumers).toEqual([consumer, second]);
    const [mapping, other] = Object.keys(templateOf(stack).findResources('AWS::Lambda::EventSourceMapping'));
    expect(stack.resolve(consumer.mapping.eventSourceMappingId)).toEqual({ Ref: mapping });
    expect(stack.resolve(second.mapping.eventSourceMappingId)).toEqual({ Ref: other });
  });

  test('keep the logical ids that an SqsEventSource gives them', () => {
    const plain = newStack();
    newFunction(plain).addEventSource(new SqsEventSource(new Queue(plain, 'Orders')));
    const ours = newStack();
    new ProcessingQueue(ours, 'Orders').addFunctionConsumer(newFunction(ours));
    const idsOf = (stack: Stack) => Object.keys(templateOf(stack).findResources('AWS::Lambda::EventSourceMapping'));
    expect(idsOf(ours)).toEqual(idsOf(plain));
  });

  test('may be an alias, whose function is judged', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const alias = newFunction(stack, { timeout: Duration.seconds(31) }).addAlias('live');
    expect(() => queue.addFunctionConsumer(alias)).toThrow('must not be below the timeout of');
    const short = newFunction(new Construct(stack, 'Short'), { timeout: Duration.seconds(6) }).addAlias('live');
    queue.addFunctionConsumer(short);
    expect(warningIds(stack)).toContain('visibility-too-short');
  });

  test('may be a function that was made elsewhere, whose timeout nobody knows', () => {
    const stack = newStack(HERE);
    const role = Role.fromRoleArn(stack, 'Role', `arn:aws:iam::${HERE.account}:role/fulfil`);
    const functionArn = `arn:aws:lambda:${HERE.region}:${HERE.account}:function:fulfil`;
    const handler = LambdaFunction.fromFunctionAttributes(stack, 'Elsewhere', { functionArn, role });
    const alarmActions = [opsTopic(stack)];
    new ProcessingQueue(stack, 'Orders', { alarmActions }).addFunctionConsumer(handler);
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', { FunctionName: 'fulfil' });
    template.hasResourceProperties('AWS::IAM::Policy', { Roles: ['fulfil'] });
    expect(warningIds(stack)).toEqual([]);
  });
});

describe('A FIFO ProcessingQueue', () => {
  test('has a FIFO dead-letter queue, the settings of high throughput, and the same limit in flight', () => {
    const stack = newStack();
    new ProcessingQueue(stack, 'Orders', {
      queueName: 'orders.fifo',
      deadLetterQueueName: 'orders-dead.fifo',
      fifo: true,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    });
    const template = templateOf(stack);
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: 'orders.fifo',
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
    template.hasResourceProperties('AWS::SQS::Queue', { QueueName: 'orders-dead.fifo', FifoQueue: true });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'orders.fifo-InFlight', Threshold: 80_000 });
  });

  test('refuses a dead-letter queue that is not', () => {
    const stack = newStack();
    const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Dlq'), maxReceiveCount: 3 };
    expect(() => new ProcessingQueue(stack, 'Orders', { fifo: true, deadLetterQueue })).toThrow(
      'Stack/Orders has 1 problem:\n  - deadLetterQueue.fifo must be true, as its source Stack/Orders is, got false',
    );
  });
});

describe('The dead letters of a ProcessingQueue', () => {
  test('may be moved back, and looked at, by whom it is granted', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const newRole = (id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
    queue.grantRedrive(newRole('Mover'));
    queue.grantPeekDeadLetters(newRole('Reader'));
    const arn = (of: IQueue) => stack.resolve(of.queueArn);
    const policies = Object.values(templateOf(stack).findResources('AWS::IAM::Policy'));
    expect(policies.map(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual([
      [
        expect.objectContaining({
          Action: expect.arrayContaining(['sqs:StartMessageMoveTask']),
          Resource: arn(queue.deadLetters),
        }),
        { Action: 'sqs:SendMessage', Effect: 'Allow', Resource: arn(queue) },
      ],
      [
        expect.objectContaining({
          Action: expect.not.arrayContaining(['sqs:DeleteMessage']),
          Resource: arn(queue.deadLetters),
        }),
      ],
    ]);
  });

  test('have a metric', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const { metricName, statistic, dimensions } = queue.metricDeadLetters();
    expect([metricName, statistic]).toEqual(['ApproximateNumberOfMessagesVisible', 'Maximum']);
    expect(dimensions).toEqual({ QueueName: queue.deadLetters.queueName });
  });
});
