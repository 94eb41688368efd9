import { Duration, NestedStack, Stack, Tags, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { AwsSolutionsChecks } from 'cdk-nag';
import {
  DeadLetterQueue,
  DurableTopic,
  FunctionFailures,
  HttpRelay,
  type IDeadLetterQueue,
  ProcessingQueue,
  Quarantine,
  Redrive,
  RedriveDestination,
  RedriveLane,
  type RedriveQueueOptions,
  RelayEndpoint,
} from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { acknowledgeFunctions, findings } from '../../support/validations';
import { arn, OTHER_ACCOUNT_ENV } from '../bad-input/refused';
import {
  newApp,
  newStack,
  numberToken,
  only,
  opsTopic,
  templateOf,
  textToken,
  warningIds,
  warningText,
} from '../support';
import { grantsOf, settingsOf } from './redrive-support';

const minutes = (count: number) => Duration.minutes(count);

/** A queue, and a topic that delivers to it. */
function subscribed(stack: Stack) {
  const orders = new ProcessingQueue(stack, 'Orders');
  const delivery = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false }).deliverToQueue('Orders', orders);
  return { orders, delivery };
}

function relayIn(stack: Stack): HttpRelay {
  return new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl('https://partner.example.com/orders') });
}

/** A redrive of each kind of dead-letter queue. */
const KINDS = {
  "a queue's": stack => new ProcessingQueue(stack, 'Orders').redriveDeadLetters('Redrive'),
  "a queue's, by a lane": stack => {
    const { deadLetters: deadLetterQueue } = new ProcessingQueue(stack, 'Orders');
    const lane = new RedriveLane(stack, 'Lane', { handler: newFunction(stack, { timeout: minutes(1) }) });
    return new Redrive(stack, 'Redrive', { deadLetterQueue, destination: RedriveDestination.lane(lane) });
  },
  "a relay's": stack => relayIn(stack).redriveDeadLetters('Redrive'),
  "a subscribed queue's": stack => subscribed(stack).delivery.redriveDeadLetters(stack, 'Redrive'),
  "a subscribed function's": stack => {
    const handler = newFunction(stack, { timeout: minutes(1) });
    new FunctionFailures(stack, 'Failures', { handler });
    const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
    return topic.deliverToFunction('Billing', handler).redriveDeadLetters(stack, 'Redrive');
  },
  "an endpoint's": stack => {
    const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
    const { deadLetterQueue } = topic.deliverToEndpoint('Partner', 'https://partner.example.com/orders');
    const destination = RedriveDestination.relay(relayIn(stack));
    return new Redrive(stack, 'Redrive', { deadLetterQueue, destination });
  },
  "a function's": stack =>
    new FunctionFailures(stack, 'Failures', { handler: newFunction(stack) }).redriveDeadLetters('Redrive'),
} as const satisfies Record<string, (stack: Stack) => Redrive>;

const QUEUE = (name: string) => ({ url: name, arn: `${name}.Arn` });

describe.each<[keyof typeof KINDS, object]>([
  [
    "a queue's",
    {
      deadLetters: QUEUE('OrdersDeadLetterQueue'),
      destination: { kind: 'queue', ...QUEUE('Orders') },
      carrier: 'task',
    },
  ],
  [
    "a queue's, by a lane",
    {
      destination: { kind: 'queue', ...QUEUE('LaneQueue') },
      failures: QUEUE('LaneQuarantine'),
      carrier: 'task',
      settleMs: 3 * 360_000,
    },
  ],
  [
    "a relay's",
    {
      deadLetters: QUEUE('RelayQueueDeadLetterQueue'),
      destination: { kind: 'queue', ...QUEUE('RelayQueue') },
      failures: QUEUE('RelayQueueDeadLetterQueue'),
      carrier: 'task',
      settleMs: 900_000,
    },
  ],
  [
    "a subscribed queue's",
    {
      deadLetters: QUEUE('TopicDeliveriesOrdersDeadLetterQueue'),
      destination: { kind: 'queue', ...QUEUE('Orders') },
      failures: QUEUE('OrdersDeadLetterQueue'),
      carrier: 'task',
      settleMs: 180_000,
    },
  ],
  [
    "a subscribed function's",
    {
      deadLetters: QUEUE('TopicDeliveriesBillingDeadLetterQueue'),
      destination: {
        kind: 'function',
        arn: 'Function.Arn',
        bodyIs: 'envelope',
        subscriptionArn: 'TopicDeliveriesBillingSubscription',
      },
      failures: QUEUE('TopicDeliveriesBillingDeadLetterQueue'),
      carrier: 'replay',
      proofOfHealth: false,
      settleMs: 180_000,
    },
  ],
  [
    "an endpoint's",
    {
      deadLetters: QUEUE('TopicDeliveriesPartnerDeadLetterQueue'),
      destination: { kind: 'queue', ...QUEUE('RelayQueue') },
      failures: QUEUE('RelayQueueDeadLetterQueue'),
      carrier: 'task',
    },
  ],
  [
    "a function's",
    {
      deadLetters: QUEUE('FailuresDeadLetterQueue'),
      destination: { kind: 'function', arn: 'Function.Arn', bodyIs: 'event' },
      failures: QUEUE('FailuresDeadLetterQueue'),
      carrier: 'replay',
      proofOfHealth: false,
      settleMs: 180_000,
    },
  ],
])('A redrive of %s dead-letter queue', (kind, reported) => {
  const isNative = ["a queue's", "a queue's, by a lane", "a relay's"].includes(kind);
  const isReplay = ["a subscribed function's", "a function's"].includes(kind);

  test('has the expected destination, carrier and queue for repeated failures', () => {
    const stack = newStack();
    const redrive = KINDS[kind](stack);
    expect(settingsOf(redrive)).toMatchObject({ ...reported, functionTimeoutMs: isNative ? 60_000 : 900_000 });
    expect(warningIds(stack)).toEqual(['alarm-tells-nobody']);
  });

  test(`${isNative ? 'shares what concurrency there is' : 'runs once at a time, as it may carry messages itself'}`, () => {
    const { handler } = KINDS[kind](newStack());
    const { reservedConcurrentExecutions, timeout } = Object(handler.node.defaultChild);
    expect([reservedConcurrentExecutions, timeout]).toEqual(isNative ? [undefined, 60] : [1, 900]);
  });

  test(`has ${isNative || isReplay ? 'no anchor' : 'an anchor'}`, () => {
    const stack = newStack();
    const { anchor, deadLetterQueue } = KINDS[kind](stack);
    const { redrivePolicy } = Object(anchor?.node.defaultChild);
    const named = { deadLetterTargetArn: deadLetterQueue.queueArn, maxReceiveCount: 1_000 };
    expect(redrivePolicy).toEqual(isNative || isReplay ? undefined : named);
  });
});

test('A redrive by move tasks needs no more memory at a higher rate', () => {
  const orders = new ProcessingQueue(newStack(), 'Orders');
  const { handler } = orders.redriveDeadLetters('Redrive', { maxMessagesPerSecond: 500 });
  expect(Object(handler.node.defaultChild).memorySize).toBe(256);
});

test.each([
  [50, 256],
  [100, 256],
  [101, 512],
  [500, 512],
  [numberToken(), 512],
])('A redrive that may move messages itself, at %s a second, has %s MB', (maxMessagesPerSecond, memory) => {
  const stack = newStack();
  const { handler } = subscribed(stack).delivery.redriveDeadLetters(stack, 'Redrive', { maxMessagesPerSecond });
  expect(Object(handler.node.defaultChild).memorySize).toBe(memory);
});

describe('The role of a redrive', () => {
  const MOVES = ['CancelMessageMoveTask', 'DeleteMessage', 'GetQueueAttributes', 'ListMessageMoveTasks'];
  const STARTS = ['ReceiveMessage', 'StartMessageMoveTask'];

  test('may only move messages between the two queues, and read facts', () => {
    const stack = newStack();
    const orders = new ProcessingQueue(stack, 'Orders');
    orders.addFunctionConsumer(newFunction(stack));
    const { killSwitch } = orders.redriveDeadLetters('Redrive', { recoveryAlarms: [orders.ageAlarm] });
    expect(grantsOf(templateOf(stack))).toEqual(
      [
        'cloudwatch:DescribeAlarmHistory :alarm:*',
        'cloudwatch:DescribeAlarms :alarm:*',
        'cloudwatch:GetMetricData *',
        'lambda:GetEventSourceMapping FunctionSqsEventSourceStackOrders',
        ...['CreateLogStream', 'PutLogEvents'].map(action => `logs:${action} OrdersRedriveLog.Arn`),
        ...MOVES.map(action => `sqs:${action} OrdersDeadLetterQueue.Arn`),
        'sqs:GetQueueAttributes Orders.Arn',
        ...STARTS.map(action => `sqs:${action} OrdersDeadLetterQueue.Arn`),
        'sqs:SendMessage Orders.Arn',
        `ssm:GetParameter :parameter${killSwitch.parameterName}`,
      ].sort(),
    );
  });

  test('may invoke the one function and start no task if it replays events', () => {
    const stack = newStack();
    const quarantine = new Quarantine(stack, 'Quarantine');
    const resultsTopic = new Topic(stack, 'Results');
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack) });
    const { killSwitch } = failures.redriveDeadLetters('Redrive', { quarantine, resultsTopic });
    const grants = grantsOf(templateOf(stack)).filter(grant => !grant.startsWith('logs:'));
    expect(grants).toEqual([
      'cloudwatch:GetMetricData *',
      'lambda:GetFunctionConfiguration Function.Arn',
      'lambda:GetFunctionEventInvokeConfig Function.Arn',
      'lambda:InvokeFunction Function.Arn',
      'sns:Publish Results',
      'sqs:ChangeMessageVisibility FailuresDeadLetterQueue.Arn',
      'sqs:DeleteMessage FailuresDeadLetterQueue.Arn',
      'sqs:GetQueueAttributes FailuresDeadLetterQueue.Arn',
      'sqs:ListMessageMoveTasks FailuresDeadLetterQueue.Arn',
      'sqs:ReceiveMessage FailuresDeadLetterQueue.Arn',
      'sqs:SendMessage Quarantine.Arn',
      `ssm:GetParameter :parameter${killSwitch.parameterName}`,
    ]);
  });

  test('may use the keys of both queues, of the quarantine and of the topic, each for its purpose', () => {
    const stack = newStack();
    const key = (id: string) => new Key(stack, id);
    const quarantine = new Quarantine(stack, 'Quarantine', { encryptionMasterKey: key('QuarantineKey') });
    const resultsTopic = new Topic(stack, 'Results', { masterKey: key('ResultsKey') });
    const failures = { handler: newFunction(stack), encryptionKey: key('FailuresKey') };
    new FunctionFailures(stack, 'Failures', failures).redriveDeadLetters('Redrive', { quarantine, resultsTopic });
    expect(grantsOf(templateOf(stack)).filter(grant => grant.startsWith('kms:'))).toEqual([
      'kms:Decrypt FailuresKey.Arn',
      'kms:Decrypt QuarantineKey.Arn',
      'kms:Decrypt ResultsKey.Arn',
      'kms:GenerateDataKey QuarantineKey.Arn',
      'kms:GenerateDataKey ResultsKey.Arn',
    ]);
  });

  test('may read another queue for failures', () => {
    const stack = newStack();
    subscribed(stack).delivery.redriveDeadLetters(stack, 'Redrive');
    expect(grantsOf(templateOf(stack))).toContain('sqs:GetQueueAttributes OrdersDeadLetterQueue.Arn');
  });

  test('needs the permission of a topic in another account', () => {
    const stack = newStack({ account: '123456789012', region: 'us-east-1' });
    const resultsTopic = Topic.fromTopicArn(stack, 'Results', arn('sns', 'results', OTHER_ACCOUNT_ENV));
    new ProcessingQueue(stack, 'Orders').redriveDeadLetters('Redrive', { resultsTopic });
    expect(warningText(stack, 'topic-of-another-account')).toMatch(
      /Without this statement no notification of results: .*sns:Publish/,
    );
  });
});

describe('The mappings that must be enabled before a redrive', () => {
  test('are those of this stack that read the destination, created before or after, by any method', () => {
    const stack = newStack();
    const orders = new ProcessingQueue(stack, 'Orders');
    const NOTHING = 'exports.handler = async () => {};';
    orders.addFunctionConsumer(inlineFunction(stack, 'Before', NOTHING));
    const redrive = orders.redriveDeadLetters('Redrive');
    inlineFunction(stack, 'After', NOTHING).addEventSource(new SqsEventSource(orders));
    inlineFunction(stack, 'Other', NOTHING).addEventSource(new SqsEventSource(new Queue(stack, 'Others')));
    expect(settingsOf(redrive).mappingIds).toEqual([
      'BeforeSqsEventSourceStackOrders',
      'AfterSqsEventSourceStackOrders',
    ]);
  });

  test('include those of other stacks only if they are stated, because those stacks may depend on this one', () => {
    const stack = newStack();
    const orders = new ProcessingQueue(stack, 'Orders');
    const redrive = orders.redriveDeadLetters('Redrive');
    const elsewhere = new Stack(stack.node.root, 'Elsewhere');
    orders.addFunctionConsumer(newFunction(elsewhere));
    expect(settingsOf(redrive).mappingIds).toEqual([]);
  });

  test('are the stated ones', () => {
    const stack = newStack();
    const { mapping } = new ProcessingQueue(stack, 'Orders').addFunctionConsumer(newFunction(stack));
    const queue = Queue.fromQueueArn(stack, 'Imported', textToken());
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
    const destination = RedriveDestination.queue(queue, { mappings: [mapping] });
    const redrive = new Redrive(stack, 'Redrive', { deadLetterQueue, destination });
    expect(settingsOf(redrive).mappingIds).toEqual(['FunctionSqsEventSourceStackOrders']);
  });
});

describe('A redrive of an imported queue', () => {
  const imported = (stack: Stack, id = 'Imported') => Queue.fromQueueArn(stack, id, arn('sqs', id));

  test('does not know where repeated failures end unless that is stated', () => {
    const reported = (options: (deadLetterQueue: IQueue) => RedriveQueueOptions) => {
      const stack = newStack();
      const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
      const destination = RedriveDestination.queue(imported(stack), options(deadLetterQueue));
      return settingsOf(new Redrive(stack, 'It', { deadLetterQueue, destination }));
    };
    const unsaid = reported(() => ({}));
    expect([unsaid.failures, unsaid.settleMs]).toEqual([undefined, 900_000]);
    expect(reported(deadLetterQueue => ({ deadLetterQueue })).failures).toEqual(QUEUE('Dead'));
  });

  test('creates an anchor queue that names the dead-letter queue, unless another queue is stated', () => {
    const redriveOf = (anchor?: boolean) => {
      const stack = newStack();
      const destination = RedriveDestination.queue(new ProcessingQueue(stack, 'Orders'));
      const deadLetterQueue = imported(stack, 'dead');
      return new Redrive(stack, 'Redrive', {
        deadLetterQueue,
        destination,
        ...(anchor !== undefined && { anchor }),
      });
    };
    expect(redriveOf().anchor).toBeDefined();
    expect(redriveOf(false).anchor).toBeUndefined();
  });
});

describe('A redrive', () => {
  const WARNED: readonly (readonly [string, string, (stack: Stack) => RedriveDestination])[] = [
    ['to a queue that loses poison', 'queue-keeps-nothing', stack => RedriveDestination.queue(new Queue(stack, 'To'))],
    [
      'to a queue with a key of another account',
      'key-of-another-account',
      stack => {
        const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', arn('kms', 'key/orders', OTHER_ACCOUNT_ENV));
        return RedriveDestination.queue(
          new ProcessingQueue(stack, 'To', { encryptionMasterKey, deadLetterQueue: kept(stack) }),
        );
      },
    ],
  ];

  /** A dead-letter queue for the destination queue. */
  const kept = (stack: Stack) => ({ queue: new DeadLetterQueue(stack, 'Kept'), maxReceiveCount: 5 });

  test.each(WARNED)('%s gets the warning %s', (_, id, destinationIn) => {
    const stack = newStack({ account: '123456789012', region: 'us-east-1' });
    const redrive = { deadLetterQueue: new DeadLetterQueue(stack, 'Dead'), destination: destinationIn(stack) };
    new Redrive(stack, 'It', redrive);
    expect(warningIds(stack).filter(it => it !== 'alarm-tells-nobody')).toEqual([id]);
  });

  test('may be in another stack than its queues, which then do not refer to it', () => {
    const stack = newStack();
    const key = (id: string) => new Key(stack, id);
    const orders = new ProcessingQueue(stack, 'Orders', { encryptionMasterKey: key('OrdersKey') });
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dead', { encryptionMasterKey: key('DeadKey') });
    deadLetterQueue.fedBy(new Topic(stack, 'Topic'));
    const elsewhere = new Stack(stack.node.root, 'Elsewhere');
    const redrive = new Redrive(elsewhere, 'Redrive', {
      deadLetterQueue,
      destination: RedriveDestination.queue(orders),
      recoveryAlarms: [orders.ageAlarm],
    });
    expect(settingsOf(redrive).deadLetters.arn).toMatch(/^Stack:ExportsOutputFnGetAttDead/);
    expect(elsewhere.dependencies).toEqual([stack]);
    expect(stack.dependencies).toEqual([]);
    expect(grantsOf(templateOf(elsewhere)).filter(grant => grant.startsWith('kms:'))).toHaveLength(3);
  });

  test('to a version of a function invokes that version, and knows where the function’s failures end', () => {
    const stack = newStack();
    const handler = newFunction(stack);
    const { deadLetterQueue } = new FunctionFailures(stack, 'Failures', { handler });
    const destination = RedriveDestination.failedEvents(handler.addAlias('live'));
    const redrive = new Redrive(stack, 'It', { deadLetterQueue, destination });
    expect(settingsOf(redrive)).toMatchObject({
      destination: { arn: 'FunctionAliaslive' },
      failures: QUEUE('FailuresDeadLetterQueue'),
    });
  });
});

describe('An anchor queue', () => {
  test('is not a feeder of the queue, and keeps no messages', () => {
    const stack = newStack();
    const { delivery } = subscribed(stack);
    const messages: IDeadLetterQueue | undefined = delivery.watchedDeadLetters;
    delivery.redriveDeadLetters(stack, 'Redrive');
    expect(messages?.feeders).toHaveLength(1);
    expect(messages?.waitingAlarm).toBeUndefined();
    templateOf(stack).hasResourceProperties('AWS::SQS::Queue', {
      RedrivePolicy: { maxReceiveCount: 1_000 },
      MessageRetentionPeriod: 60,
      SqsManagedSseEnabled: true,
    });
  });

  test('of a FIFO queue is FIFO', () => {
    const stack = newStack();
    const orders = new ProcessingQueue(stack, 'Orders', { fifo: true });
    const topic = new DurableTopic(stack, 'Topic', { fifo: true, logDeliveryStatus: false });
    topic.deliverToQueue('Orders', orders).redriveDeadLetters(stack, 'Redrive', { allowFifo: true });
    const [id] = only(templateOf(stack), 'AWS::SQS::Queue', {
      Properties: { RedrivePolicy: { maxReceiveCount: 1_000 }, FifoQueue: true },
    });
    expect(id).toMatch(/^RedriveAnchor/);
  });
});

describe('The kill switch of a redrive', () => {
  test('is on until an operator creates the parameter, which no deployment creates or resets', () => {
    const stack = newStack();
    const redrive = new ProcessingQueue(stack, 'Orders').redriveDeadLetters('Redrive');
    Tags.of(stack).add('commit', '459f4fe');
    const template = templateOf(stack);
    template.resourceCountIs('AWS::SSM::Parameter', 0);
    expect(Object.keys(template.findParameters('*'))).toEqual(['BootstrapVersion']);
    expect(settingsOf(redrive).switchMayBeAbsent).toBe(true);
  });

  test('can be that of another redrive', () => {
    const stack = newStack();
    const { killSwitch } = new ProcessingQueue(stack, 'A').redriveDeadLetters('Redrive');
    const other = new ProcessingQueue(stack, 'B').redriveDeadLetters('Redrive', { killSwitch });
    expect(settingsOf(other)).toMatchObject({
      switchParameter: expect.stringContaining('/StackARedrive'),
      switchMayBeAbsent: true,
    });
  });

  test('has a name made of the deployed stack’s name, because a stack class may be deployed more than once', () => {
    const stack = newStack();
    const nested = new NestedStack(stack, 'Nested');
    const { killSwitch } = new ProcessingQueue(nested, 'Orders').redriveDeadLetters('Redrive');
    expect(stack.resolve(nested.resolve(killSwitch.parameterName))).toMatchObject({
      'Fn::Join': ['', expect.arrayContaining(['/dead-letter-office/'])],
    });
  });

  test('can be shared by several redrives', () => {
    const stack = newStack();
    const killSwitch = new StringParameter(stack, 'Switch', { stringValue: 'on' });
    const redrives = ['A', 'B'].map(id => new ProcessingQueue(stack, id).redriveDeadLetters('Redrive', { killSwitch }));
    expect(redrives.map(it => settingsOf(it).switchParameter)).toEqual(['Switch', 'Switch']);
    expect(redrives.map(it => settingsOf(it).switchMayBeAbsent)).toEqual([false, false]);
    templateOf(stack).resourceCountIs('AWS::SSM::Parameter', 1);
  });
});

test('cdk-nag finds nothing in the redrives', () => {
  const app = newApp();
  acknowledgeFunctions(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stack = new Stack(app, 'Stack');
  const handler = newFunction(stack, { runtime: Runtime.NODEJS_22_X });
  new FunctionFailures(stack, 'Failures', { handler }).redriveDeadLetters('Redrive');
  const { orders, delivery } = subscribed(stack);
  delivery.redriveDeadLetters(stack, 'Redrive', {
    schedules: [ScheduleExpression.rate(Duration.hours(1))],
    recoveryAlarms: [orders.ageAlarm],
    resultsTopic: opsTopic(stack),
  });
  expect(findings(app)).toEqual([]);
});

test('A dead-letter queue of a queue may also keep what SNS could not deliver to that queue', () => {
  const stack = newStack();
  const orders = new ProcessingQueue(stack, 'Orders', { alarmActions: [opsTopic(stack)] });
  const { deadLetters: deadLetterQueue } = orders;
  for (const id of ['Topic', 'Other']) {
    const topic = new DurableTopic(stack, id, {
      logDeliveryStatus: false,
      alarmActions: [opsTopic(stack, `${id}Ops`)],
    });
    topic.deliverToQueue('Orders', orders, { deadLetterQueue });
  }
  const redrive = orders.redriveDeadLetters('Redrive');
  expect(settingsOf(redrive)).toMatchObject({ deadLetters: QUEUE('OrdersDeadLetterQueue'), carrier: 'task' });
});
