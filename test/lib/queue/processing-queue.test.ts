import { Duration, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  CfnEventSourceMapping,
  EventInvokeConfig,
  EventSourceMapping,
  FilterCriteria,
  Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { DeduplicationScope, FifoThroughputLimit, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  AlarmSet,
  DeadLetterQueue,
  type DeadLetterQueueProps,
  DurableTopic,
  FailedEventForm,
  FunctionFailures,
  ImportedDeadLetterQueue,
  ProcessingQueue,
  type ProcessingQueueProps,
} from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { APP_ENV, importedQueue } from '../bad-input/refused';
import {
  HERE,
  newApp,
  newStack,
  numberToken,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  warningIds,
  warningText,
} from '../support';

describe('A ProcessingQueue', () => {
  test('is a Queue with the same logical id as a plain Queue in its place', () => {
    const [ours, plain] = [newStack(), newStack()];
    const queue = new ProcessingQueue(ours, 'Orders', { queueName: 'orders' });
    new Queue(plain, 'Orders');
    const [plainId] = only(templateOf(plain), 'AWS::SQS::Queue');
    expect(only(templateOf(ours), 'AWS::SQS::Queue', { Properties: { QueueName: 'orders' } })[0]).toBe(plainId);
    expect(queue.deadLetterQueue?.queue).toBe(queue.deadLetters);
  });

  test('moves a message after 5 receives to a dead-letter queue of its own, with its key and an alarm on waiting messages', () => {
    const stack = newStack();
    const key = new Key(stack, 'Key');
    const alarmActions = [opsTopic(stack)];
    new ProcessingQueue(stack, 'Orders', {
      encryptionMasterKey: key,
      deadLetterQueueName: 'orders-dlq',
      alarmActions,
    });
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
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: 'orders-dlq-Growth', Threshold: 0 });
    template.resourcePropertiesCountIs('AWS::CloudWatch::Alarm', { MetricName: 'NumberOfMessagesSent' }, 0);
    expect(warningIds(stack)).toEqual([]);
  });

  test('has a FIFO dead-letter queue if it is FIFO', () => {
    const stack = newStack();
    new ProcessingQueue(stack, 'Orders', { fifo: true });
    templateOf(stack).allResourcesProperties('AWS::SQS::Queue', { FifoQueue: true });
  });

  test('uses the dead-letter queue that is passed, with a warning if no alarm watches it', () => {
    const stack = newStack();
    const shared = new DeadLetterQueue(stack, 'Shared');
    new ProcessingQueue(stack, 'First', { deadLetterQueue: { queue: shared, maxReceiveCount: 3 } });
    expect(shared.growthAlarm).toBeDefined();
    expect(warningIds(stack)).not.toContain('dead-letters-unwatched');
    new ProcessingQueue(stack, 'Second', {
      deadLetterQueue: { queue: new Queue(stack, 'Plain'), maxReceiveCount: 3 },
    });
    expect(warningIds(stack)).toContain('dead-letters-unwatched');
  });

  test('has alarms on old messages, and on 80,000 of the 120,000 messages that can be in flight', () => {
    const stack = newStack();
    const queueName = 'orders';
    const ageAlarmThreshold = Duration.minutes(10);
    new ProcessingQueue(stack, 'Orders', { queueName, ageAlarmThreshold, alarms: AlarmSet.ALL });
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

  test('gets a warning if it keeps a message as long as its dead-letter queue does (hole 9)', () => {
    const stack = newStack();
    new ProcessingQueue(stack, 'Orders', { retentionPeriod: Duration.days(14) });
    expect(warningIds(stack)).toContain('dead-letters-expire-early');
  });
});

test('A ProcessingQueue accepts values that are known only at deployment', () => {
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

describe('A function that consumes a ProcessingQueue', () => {
  function consumed(props: ProcessingQueueProps, timeout?: Duration): Stack {
    const stack = newStack();
    const alarmActions = [opsTopic(stack)];
    new ProcessingQueue(stack, 'Orders', { alarmActions, ...props }).addFunctionConsumer(
      newFunction(stack, { timeout }),
    );
    return stack;
  }

  test('reports the items of a batch on which it failed', () => {
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

  test('must not run for longer than the visibility timeout, because Lambda refuses that', () => {
    expect(() => consumed({ visibilityTimeout: Duration.seconds(29) }, Duration.seconds(30))).toThrow(
      'Stack/Orders has 1 problem:\n  - visibilityTimeout must not be below the timeout of Stack/Function, 30 seconds, got 29',
    );
  });
});

describe('The consumers of a ProcessingQueue', () => {
  test('are listed, each with the event source mapping that can stop it', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const consumer = queue.addFunctionConsumer(newFunction(stack));
    const second = queue.addFunctionConsumer(newFunction(new Construct(stack, 'Second')), { enabled: false });
    expect(queue.consumers).toEqual([consumer, second]);
    const [mapping, other] = Object.keys(templateOf(stack).findResources('AWS::Lambda::EventSourceMapping'));
    expect(stack.resolve(consumer.mapping.eventSourceMappingId)).toEqual({ Ref: mapping });
    expect(stack.resolve(second.mapping.eventSourceMappingId)).toEqual({ Ref: other });
  });

  test('have the logical ids that an SqsEventSource gives them', () => {
    const plain = newStack();
    newFunction(plain).addEventSource(new SqsEventSource(new Queue(plain, 'Orders')));
    const ours = newStack();
    new ProcessingQueue(ours, 'Orders').addFunctionConsumer(newFunction(ours));
    const idsOf = (stack: Stack) => Object.keys(templateOf(stack).findResources('AWS::Lambda::EventSourceMapping'));
    expect(idsOf(ours)).toEqual(idsOf(plain));
  });

  test('may be an alias, whose function is checked', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const alias = newFunction(stack, { timeout: Duration.seconds(31) }).addAlias('live');
    expect(() => queue.addFunctionConsumer(alias)).toThrow('must not be below the timeout of');
    const short = newFunction(new Construct(stack, 'Short'), { timeout: Duration.seconds(6) }).addAlias('live');
    queue.addFunctionConsumer(short);
    expect(warningIds(stack)).toContain('visibility-too-short');
  });

  test('may be an imported function of unknown timeout', () => {
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

test('A FIFO ProcessingQueue has a FIFO dead-letter queue, high-throughput settings, and the alarm at 80,000 in flight', () => {
  const stack = newStack();
  new ProcessingQueue(stack, 'Orders', {
    alarms: AlarmSet.ALL,
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
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmName: 'orders.fifo-InFlight',
    Threshold: 80_000,
  });
});

describe('The dead letters of a ProcessingQueue', () => {
  test('may be moved back and read by a principal that is granted it', () => {
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

const days = Duration.days;
const actionsIn = (stack: Stack) => [opsTopic(stack)];

/** Returns the warnings of a queue whose alarms have actions. */
function warned(make: (stack: Stack) => unknown): string[] {
  const stack = newStack(APP_ENV);
  make(stack);
  return warningIds(stack);
}

describe('A ProcessingQueue gets a warning only if messages may expire unseen:', () => {
  test.each<[string, ProcessingQueueProps, string[]]>([
    ['an hour, and an alarm after it', { retentionPeriod: Duration.hours(1) }, ['age-alarm-never-fires']],
    ['an hour and a second', { retentionPeriod: Duration.seconds(3_601) }, []],
    ['the default, and an alarm after it', { ageAlarmThreshold: days(4) }, ['age-alarm-never-fires']],
    ['the default, and an alarm before it', { ageAlarmThreshold: Duration.seconds(345_599) }, []],
    ['as long as its receives take', receives(8), ['expires-before-last-receive']],
    ['longer than they take', receives(7), []],
    ['nobody knows how long', { ...receives(8), retentionPeriod: Duration.seconds(numberToken()) }, []],
    ['receives nobody knows', receives(numberToken()), []],
  ])('it keeps %s', (_, props, ids) => {
    expect(warned(stack => new ProcessingQueue(stack, 'It', { ...props, alarmActions: actionsIn(stack) }))).toEqual(
      ids,
    );
  });

  test('it counts the receives of a dead-letter queue that was passed', () => {
    const ids = warned(stack => {
      const alarmActions = actionsIn(stack);
      const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Dlq', { alarmActions }), maxReceiveCount: 8 };
      return new ProcessingQueue(stack, 'It', {
        visibilityTimeout: Duration.hours(12),
        deadLetterQueue,
        alarmActions,
      });
    });
    expect(ids).toEqual(['expires-before-last-receive']);
  });
});

function receives(maxReceiveCount: number): ProcessingQueueProps {
  return { visibilityTimeout: Duration.hours(12), maxReceiveCount };
}

describe('A dead-letter queue gets a warning only if it keeps messages too short:', () => {
  const TOO_SHORT = ['dead-letters-kept-too-short'];

  test.each<[string, DeadLetterQueueProps, string[]]>([
    ['for less than the time to respond', { retentionPeriod: days(2) }, TOO_SHORT],
    ['for as long', { retentionPeriod: days(3) }, []],
    [
      'until the unattended alarm',
      { retentionPeriod: days(1), timeToRespond: Duration.hours(1), alarms: AlarmSet.ALL },
      TOO_SHORT,
    ],
    ['beyond it', { retentionPeriod: Duration.hours(25), timeToRespond: Duration.hours(1), alarms: AlarmSet.ALL }, []],
    [
      'for a day, without such an alarm',
      { retentionPeriod: days(1), timeToRespond: days(1), watchUnattended: false, alarms: AlarmSet.ALL },
      [],
    ],
    ['nobody knows how long', { retentionPeriod: Duration.seconds(numberToken()) }, []],
  ])('%s', (_, props, ids) => {
    expect(warned(stack => new DeadLetterQueue(stack, 'It', { ...props, alarmActions: actionsIn(stack) }))).toEqual(
      ids,
    );
  });

  test('is found in another stack too', () => {
    const ids = warned(stack => {
      const props = { queue: importedQueue(stack), retentionPeriod: days(2), alarmActions: actionsIn(stack) };
      return new ImportedDeadLetterQueue(stack, 'It', props);
    });
    expect(ids).toEqual(TOO_SHORT);
  });
});

const CODE = 'exports.handler = async () => {};';

/** Adds a queue, and a function with this timeout that consumes it through CDK's event source. */
function consumed(stack: Stack, seconds: number, props: ProcessingQueueProps = {}, source: SqsEventSourceProps = {}) {
  const queue = new ProcessingQueue(stack, 'Orders', props);
  const handler = inlineFunction(stack, 'Function', CODE, { timeout: Duration.seconds(seconds) });
  handler.addEventSource(new SqsEventSource(queue, source));
  return { queue, handler };
}

const raised = (stack: Stack) => warningIds(stack).filter(id => id !== 'alarm-tells-nobody');

describe('A ProcessingQueue checks a function that consumes it by addEventSource as one by addFunctionConsumer:', () => {
  test.each<[string, number, ProcessingQueueProps, SqsEventSourceProps, string[]]>([
    ['one that fits', 5, {}, {}, []],
    ['one with no room for a throttled batch', 20, {}, {}, ['visibility-too-short']],
    [
      'one whose batching window takes that room',
      5,
      {},
      { maxBatchingWindow: Duration.seconds(1) },
      ['visibility-too-short'],
    ],
    ['one with a single receive', 5, { maxReceiveCount: 1 }, {}, ['too-few-receives']],
    ['one that filters', 5, {}, { filters: [FilterCriteria.filter({ body: ['paid'] })] }, ['filters-delete-messages']],
  ])('%s', (_, seconds, props, source, ids) => {
    const stack = newStack();
    consumed(stack, seconds, props, source);
    expect(raised(stack)).toEqual(ids);
  });

  test('it refuses one that runs for longer than the visibility timeout', () => {
    const app = newApp();
    consumed(new Stack(app, 'Stack'), 31);
    expect(problemsOf(() => app.synth()).join('\n')).toContain(
      '[Stack/Orders] visibilityTimeout must not be below the timeout of Stack/Function, 31 seconds, got 30',
    );
  });

  test('it checks the function of an alias', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders');
    const alias = inlineFunction(stack, 'Function', CODE, { timeout: Duration.seconds(20) }).addAlias('live');
    alias.addEventSource(new SqsEventSource(queue));
    expect(warningText(stack, 'visibility-too-short')).toContain(
      'leaves Stack/Function/Aliaslive no time for a throttled batch',
    );
  });

  test('it checks a function of another stack', () => {
    const app = newApp();
    const [one, other] = [new Stack(app, 'One'), new Stack(app, 'Other')];
    const queue = new ProcessingQueue(one, 'Orders');
    const handler = inlineFunction(other, 'Function', CODE, { timeout: Duration.seconds(20) });
    handler.addEventSource(new SqsEventSource(queue));
    expect(raised(one)).toEqual(['visibility-too-short']);
  });

  test('it checks each function once, and no function of another queue', () => {
    const stack = newStack();
    const { queue, handler } = consumed(stack, 5);
    queue.addFunctionConsumer(inlineFunction(stack, 'Slow', CODE, { timeout: Duration.seconds(20) }));
    handler.addEventSource(new SqsEventSource(new Queue(stack, 'Another'), { filters: [FilterCriteria.filter({})] }));
    expect(raised(stack)).toEqual(['visibility-too-short']);
    const said = queue.node.metadata.filter(({ data }) => String(data).includes('visibility-too-short'));
    expect(said).toHaveLength(1);
  });

  test('it checks what is known of a function before deployment', () => {
    const stack = newStack();
    const queue = new ProcessingQueue(stack, 'Orders', { maxReceiveCount: 1 });
    new CfnEventSourceMapping(stack, 'Plain', { functionName: 'fulfil', eventSourceArn: queue.queueArn });
    const target = inlineFunction(stack, 'Function', CODE);
    new EventSourceMapping(stack, 'Late', {
      target,
      eventSourceArn: queue.queueArn,
      maxBatchingWindow: Duration.seconds(numberToken()),
    });
    expect(raised(stack)).toEqual(['too-few-receives']);
  });
});

/** Returns only the warnings about consumers. */
function warningsOf(fill: (stack: Stack, topic: DurableTopic) => unknown): string[] {
  const stack = newStack();
  fill(stack, new DurableTopic(stack, 'Topic'));
  return warningIds(stack).filter(id => id.endsWith('keeps-nothing'));
}

const records = (stack: Stack) => new SqsDestination(new Queue(stack, 'Records'));

describe('A delivery to a function', () => {
  test.each<[string, (stack: Stack, topic: DurableTopic) => unknown]>([
    ['a plain one', (stack, topic) => topic.deliverToFunction('X', newFunction(stack))],
    [
      'one that keeps successes',
      (stack, topic) => topic.deliverToFunction('X', newFunction(stack, { onSuccess: records(stack) })),
    ],
    ['an alias of a plain one', (stack, topic) => topic.deliverToFunction('X', newFunction(stack).addAlias('live'))],
    [
      'an alias of one whose latest version alone has a destination',
      (stack, topic) =>
        topic.deliverToFunction('X', newFunction(stack, { onFailure: records(stack) }).addAlias('live')),
    ],
    [
      'an added subscription of one',
      (stack, topic) => topic.addSubscription(new LambdaSubscription(newFunction(stack))),
    ],
  ])('gets a warning if the function has no dead-letter queue for its events: %s', (_, fill) => {
    expect(warningsOf(fill)).toEqual(['function-keeps-nothing']);
  });

  test.each<[string, (stack: Stack, topic: DurableTopic) => unknown]>([
    [
      'a dead-letter queue',
      (stack, topic) => topic.deliverToFunction('X', newFunction(stack, { deadLetterQueueEnabled: true })),
    ],
    [
      'a destination',
      (stack, topic) => topic.deliverToFunction('X', newFunction(stack, { onFailure: records(stack) })),
    ],
    [
      'a configuration of its own',
      (stack, topic) => {
        const handler = newFunction(stack);
        topic.deliverToFunction('X', handler);
        return new EventInvokeConfig(stack, 'Config', { function: handler, onFailure: records(stack) });
      },
    ],
    [
      'a FunctionFailures made later',
      (stack, topic) => {
        const handler = newFunction(stack);
        topic.deliverToFunction('X', handler);
        return new FunctionFailures(stack, 'Failures', { handler });
      },
    ],
    [
      'the records of an alias',
      (stack, topic) => {
        const handler = newFunction(stack).addAlias('live');
        topic.deliverToFunction('X', handler);
        return new FunctionFailures(stack, 'Failures', { handler, keptAs: FailedEventForm.RECORD });
      },
    ],
    [
      'what nobody here knows, for it was made elsewhere',
      (stack, topic) => {
        const functionArn = 'arn:aws:lambda:us-east-1:111122223333:function:x';
        return topic.deliverToFunction('X', LambdaFunction.fromFunctionArn(stack, 'Imported', functionArn));
      },
    ],
  ])('gets no warning if the function has %s', (_, fill) => {
    expect(warningsOf(fill)).toEqual([]);
  });
});

describe('A delivery to a queue', () => {
  test('without a redrive policy gets a warning, also if it was added as a subscription', () => {
    expect(warningsOf((stack, topic) => topic.deliverToQueue('X', new Queue(stack, 'Queue')))).toEqual([
      'queue-keeps-nothing',
    ]);
    expect(warningsOf((stack, topic) => topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue'))))).toEqual(
      ['queue-keeps-nothing'],
    );
  });

  test('gets no warning if the queue has a redrive policy, is a dead-letter queue or is imported', () => {
    const elsewhere = 'arn:aws:sqs:us-east-1:111122223333:orders';
    expect(
      warningsOf((stack, topic) => {
        topic.deliverToQueue('A', new ProcessingQueue(stack, 'Queue'));
        topic.deliverToQueue('B', new DeadLetterQueue(stack, 'Letters'));
        topic.deliverToQueue('C', Queue.fromQueueArn(stack, 'Imported', elsewhere));
      }),
    ).toEqual([]);
  });
});
