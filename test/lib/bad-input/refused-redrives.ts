import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnEventSourceMapping, type CfnEventSourceMappingProps, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterQueue,
  DurableTopic,
  FailedEventForm,
  FunctionFailures,
  HttpRelay,
  ProcessingQueue,
  Quarantine,
  Redrive,
  RedriveDestination,
  RedriveLane,
  type RedriveLaneProps,
  type RedriveOptions,
  type RedriveProps,
  RelayEndpoint,
} from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import {
  type Act,
  arn,
  LEGAL,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  plainQueue,
  type Refused,
  URL,
} from './refused';

/** A queue and its dead-letter queue, redriven. */
const redriven =
  (more: (stack: Stack, orders: ProcessingQueue) => Partial<RedriveProps>): Act =>
  stack => {
    const orders = new ProcessingQueue(stack, 'Orders');
    const { deadLetters: deadLetterQueue } = orders;
    const destination = RedriveDestination.queue(orders);
    return new Redrive(stack, 'It', { deadLetterQueue, destination, ...more(stack, orders) });
  };

const refused = (props: RedriveOptions, line: string): Refused => ({
  what: `Redrive ${JSON.stringify(props)}`,
  act: redriven(() => props),
  line,
  aws: OURS,
});

const withParts = (
  what: string,
  more: (stack: Stack, orders: ProcessingQueue) => Partial<RedriveProps>,
  line: string,
  aws: Act | string = OURS,
): Refused => ({ what: `Redrive with ${what}`, act: redriven(more), line, aws });

/** A redrive that invokes a function with its failed events. */
const replayed =
  (props: RedriveOptions, deadLetterQueue?: (stack: Stack) => IQueue): Act =>
  stack => {
    const failures = new FunctionFailures(stack, 'Failures', { handler: newFunction(stack) });
    const destination = RedriveDestination.failedEvents(failures.handler);
    const queue = deadLetterQueue?.(stack) ?? failures.deadLetterQueue;
    return new Redrive(stack, 'It', { deadLetterQueue: queue, destination, ...props });
  };

const refusedReplay = (props: RedriveOptions, line: string): Refused => ({
  what: `Redrive of events ${JSON.stringify(props)}`,
  act: replayed(props),
  line,
  aws: OURS,
});

const queueAt = (stack: Stack, place: { account: string; region: string }, service = 'sqs') =>
  Queue.fromQueueArn(stack, 'Elsewhere', arn(service, 'dead', place));

const alarmAt = (stack: Stack, place: { account: string; region: string }) =>
  Alarm.fromAlarmArn(stack, 'Alarm', arn('cloudwatch', 'alarm:billing', place));

const days = (count: number) => Duration.days(count);

const A_DAY = '86,400 seconds';

const ONE_CONSUMER =
  'must contain messages for one consumer, because all go to one destination: use one dead-letter queue for each';

const OR_BY_HAND = `${ONE_CONSUMER}, or dlo dlq redrive, which returns to each subscriber only the messages for it`;

const toQueue = (topic: Topic, { queueArn: endpoint }: IQueue) => ({
  topic,
  protocol: SubscriptionProtocol.SQS,
  endpoint,
});

/** Invalid sources. */
const SOURCES: readonly Refused[] = [
  withParts(
    'a topic for a dead-letter queue',
    stack => ({ deadLetterQueue: queueAt(stack, { ...OTHER_ACCOUNT_ENV, account: '123456789012' }, 'sns') }),
    'deadLetterQueue must be an SQS queue, got "arn:aws:sns:us-east-1:123456789012:dead"',
  ),
  withParts(
    'a queue that has a dead-letter queue',
    (stack, { deadLetters }) => ({
      deadLetterQueue: new ProcessingQueue(stack, 'Live'),
      destination: RedriveDestination.queue(deadLetters),
    }),
    'deadLetterQueue must be a dead-letter queue, but has a dead-letter queue itself, got "Stack/Live"',
    LEGAL,
  ),
  withParts(
    'the queue of a relay',
    stack => ({ deadLetterQueue: new HttpRelay(stack, 'Relay', { endpoint: RelayEndpoint.fromUrl(URL) }).queue }),
    'deadLetterQueue must not be the queue of an HttpRelay, which delivers its messages by itself, got "Stack/Relay/Queue"',
    LEGAL,
  ),
  withParts(
    'a queue that a function consumes',
    stack => {
      const deadLetterQueue = new Queue(stack, 'Live');
      newFunction(stack).addEventSourceMapping('Mapping', { eventSourceArn: deadLetterQueue.queueArn });
      return { deadLetterQueue };
    },
    'deadLetterQueue must be a dead-letter queue, but an event source mapping sends its messages to a function, got "Stack/Function/Mapping/Resource"',
    LEGAL,
  ),
  withParts(
    'a quarantine',
    stack => ({ deadLetterQueue: new Quarantine(stack, 'Quarantine') }),
    'deadLetterQueue must not be a Quarantine, whose messages had their automatic retry and wait for an operator, got "Stack/Quarantine"',
  ),
  withParts(
    'a dead-letter queue of two queues',
    (stack, orders) => {
      const { watchedDeadLetters: queue } = orders;
      if (queue) {
        const deadLetterQueue = { queue, maxReceiveCount: 5 };
        new ProcessingQueue(stack, 'Invoices', { deadLetterQueue });
      }
      return {};
    },
    `deadLetterQueue ${ONE_CONSUMER}, got "Stack/Orders, Stack/Invoices"`,
    LEGAL,
  ),
  withParts(
    'a dead-letter queue that is told nothing, of two queues',
    stack => {
      const queue = new Queue(stack, 'Dead');
      for (const id of ['Bills', 'Refunds']) new Queue(stack, id, { deadLetterQueue: { queue, maxReceiveCount: 5 } });
      return { deadLetterQueue: queue };
    },
    `deadLetterQueue ${ONE_CONSUMER}, got "Stack/Bills, Stack/Refunds"`,
    LEGAL,
  ),
  withParts(
    'the dead-letter queue of a queue, in which SNS keeps what was meant for another',
    (stack, { deadLetters: deadLetterQueue }) => {
      const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
      topic.deliverToQueue('ToInvoices', new ProcessingQueue(stack, 'Invoices'), { deadLetterQueue });
      return {};
    },
    `deadLetterQueue ${ONE_CONSUMER}, got "Stack/Orders, Stack/Topic/Deliveries/ToInvoices/Subscription"`,
    LEGAL,
  ),
  withParts(
    'a dead-letter queue of two subscriptions, of which one is plain',
    (stack, orders) => {
      const deadLetterQueue = new Queue(stack, 'Dead');
      const topic = new Topic(stack, 'Topic');
      new Subscription(stack, 'ToOrders', { ...toQueue(topic, orders), deadLetterQueue });
      const durable = new DurableTopic(stack, 'Durable', { logDeliveryStatus: false });
      durable.deliverToEndpoint('Partner', URL, { deadLetterQueue });
      return { deadLetterQueue };
    },
    `deadLetterQueue ${OR_BY_HAND}, got "Stack/ToOrders, Stack/Durable/Deliveries/Partner/Subscription"`,
    LEGAL,
  ),
  {
    what: 'Redrive of the failed deliveries of two functions',
    act: stack => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
      const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
      const other = inlineFunction(stack, 'Other', 'exports.handler = async () => {};');
      topic.deliverToFunction('ToOther', other, { deadLetterQueue });
      return topic.deliverToFunction('ToIt', newFunction(stack), { deadLetterQueue }).redriveDeadLetters(stack, 'It');
    },
    line: `deadLetterQueue ${OR_BY_HAND}, got "Stack/Topic/Deliveries/ToOther/Subscription, Stack/Topic/Deliveries/ToIt/Subscription"`,
    aws: LEGAL,
  },
  withParts(
    'a dead-letter queue that another redrives, by another name',
    (stack, orders) => {
      orders.redriveDeadLetters('First');
      return { deadLetterQueue: Queue.fromQueueArn(stack, 'Again', orders.deadLetters.queueArn) };
    },
    'deadLetterQueue must have only one Redrive, because each would treat the moves of the other as foreign, got "Stack/Orders/First"',
  ),
  withParts(
    'a dead-letter queue of another Region',
    stack => ({ deadLetterQueue: queueAt(stack, OTHER_REGION_ENV) }),
    'deadLetterQueue must be in the Region of this stack, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  withParts(
    'a dead-letter queue of another account',
    stack => ({ deadLetterQueue: queueAt(stack, OTHER_ACCOUNT_ENV) }),
    'deadLetterQueue must be in the account of this stack, 123456789012, got "999999999999"',
    ONE_PLACE,
  ),
];

/** A redrive to a function, from a dead-letter queue that also has another feeder. */
const mixed = (what: string, feed: (stack: Stack, queue: DeadLetterQueue) => unknown, line: string): Refused => ({
  what: `Redrive of the failures of a function and ${what}`,
  act: stack => {
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
    const failures = { handler: newFunction(stack), deadLetterQueue };
    const redrive = new FunctionFailures(stack, 'Failures', failures).redriveDeadLetters('It');
    feed(stack, deadLetterQueue);
    return redrive;
  },
  line,
  aws: LEGAL,
});

const MIXED: readonly Refused[] = [
  mixed(
    'what a topic could not deliver',
    (stack, queue) => queue.fedBy(new Topic(stack, 'Topic')),
    'deadLetterQueue must be fed by a function only, because a function is invoked with its messages, got "Stack/Topic"',
  ),
  mixed(
    'those of another',
    (stack, queue) => queue.fedBy(inlineFunction(stack, 'Other', 'exports.handler = async () => {};')),
    `deadLetterQueue ${ONE_CONSUMER}, got "Stack/Function, Stack/Other"`,
  ),
];

/** Invalid destinations. */
const DESTINATIONS: readonly Refused[] = [
  withParts(
    'a topic for a destination',
    stack => ({
      destination: RedriveDestination.queue(queueAt(stack, { ...OTHER_ACCOUNT_ENV, account: '123456789012' }, 'sns')),
    }),
    'destination must be an SQS queue, got "arn:aws:sns:us-east-1:123456789012:dead"',
  ),
  withParts(
    'its dead-letter queue for a destination',
    (_, { deadLetters }) => ({ destination: RedriveDestination.queue(deadLetters) }),
    'destination must not be the dead-letter queue itself, got "Stack/Orders/DeadLetterQueue"',
  ),
  withParts(
    'a FIFO destination',
    stack => ({ destination: RedriveDestination.queue(new ProcessingQueue(stack, 'Ordered', { fifo: true })) }),
    'destination must be standard, like its dead-letter queue, got "FIFO"',
  ),
  withParts(
    'a quarantine for a destination',
    stack => ({ destination: RedriveDestination.queue(new Quarantine(stack, 'Quarantine')) }),
    'destination must not be a Quarantine, which has no consumer, got "Stack/Quarantine"',
  ),
  withParts(
    'a destination of another account',
    stack => ({ destination: RedriveDestination.queue(queueAt(stack, OTHER_ACCOUNT_ENV)) }),
    'destination must be in the account of this stack, 123456789012, got "999999999999"',
    ONE_PLACE,
  ),
  {
    what: 'Redrive of a FIFO queue to a function',
    act: replayed({ allowFifo: true }, stack => new DeadLetterQueue(stack, 'Dead', { fifo: true })),
    line: 'deadLetterQueue must be a standard queue if the destination is a function, got "FIFO"',
    aws: OURS,
  },
  {
    what: 'Redrive to a function that runs longer than a replay can wait',
    act: stack => {
      const failures = { handler: newFunction(stack, { timeout: Duration.seconds(781) }) };
      return new FunctionFailures(stack, 'Failures', failures).redriveDeadLetters('It');
    },
    line: 'destination must be a function with a timeout of at most 780 seconds, because a replay waits for its result. Use dlo dlq redrive, which can wait longer, got "Stack/Function, 781 seconds"',
    aws: OURS,
  },
  {
    what: 'Redrive to a function with an on-success destination',
    act: stack => {
      const handler = newFunction(stack, { onSuccess: new SqsDestination(new Queue(stack, 'Done')) });
      const destination = RedriveDestination.failedEvents(handler);
      return new Redrive(stack, 'It', { deadLetterQueue: new DeadLetterQueue(stack, 'Dead'), destination });
    },
    line: 'destination must be a function without an on-success destination, to which Lambda would send nothing: a replay waits for the result, so it is a synchronous invocation, got "Stack/Function/EventInvokeConfig/Resource"',
    aws: OURS,
  },
  {
    what: 'RedriveDestination.subscriber of an endpoint',
    act: stack => {
      const delivery = new DurableTopic(stack, 'Topic').deliverToEndpoint('Partner', URL);
      return delivery.redriveDeadLetters(stack, 'It');
    },
    line: 'delivery must be to a queue or function of this app; for an HTTP/S endpoint use RedriveDestination.relay instead, got "https"',
    aws: OURS,
  },
  {
    what: 'Redrive of records',
    act: stack => {
      const failures = { handler: newFunction(stack), keptAs: FailedEventForm.RECORD };
      return new FunctionFailures(stack, 'Failures', failures).redriveDeadLetters('It');
    },
    line: 'keptAs must be FailedEventForm.EVENT, because a record is not the event that the function was invoked with, got "RECORD"',
    aws: OURS,
  },
];

/** Everything that stops the synthesis of a redrive. */
export const REFUSED_REDRIVES: readonly Refused[] = [
  ...SOURCES,
  ...MIXED,
  ...DESTINATIONS,
  {
    what: 'Redrive of a FIFO queue nobody allowed',
    act: stack => new ProcessingQueue(stack, 'Orders', { fifo: true }).redriveDeadLetters('It'),
    line: 'allowFifo must be true if the queues are FIFO, because redriven messages come after those sent meanwhile, got false',
    aws: LEGAL,
  },
  withParts(
    'health alarms whose names do not fit into the environment of its function',
    stack => ({
      healthAlarms: Array.from({ length: 90 }, (_, i) =>
        Alarm.fromAlarmArn(
          stack,
          `Alarm${i}`,
          arn('cloudwatch', `alarm:the-consumer-of-orders-is-behind-for-tenant-${i}`),
        ),
      ),
    }),
    'healthAlarms must have names that fit, with the other settings, into the 4,096 bytes of a function\'s environment; combine alarms in a composite alarm, got "at least 5,203 bytes"',
    stack =>
      new CfnFunction(stack, 'Function', {
        runtime: 'nodejs24.x',
        handler: 'index.handler',
        code: { zipFile: 'exports.handler = async () => {};' },
        role: 'arn:aws:iam::123456789012:role/x',
        environment: { variables: { NAMES: 'x'.repeat(4_096) } },
      }),
  ),
  withParts(
    'a FIFO topic for results',
    stack => ({ resultsTopic: new Topic(stack, 'Results', { fifo: true }) }),
    'resultsTopic must be a standard topic, because the function sets no message group, got "Stack/Results"',
  ),
  withParts(
    'a topic of another Region for results',
    stack => ({ resultsTopic: Topic.fromTopicArn(stack, 'Results', arn('sns', 'results', OTHER_REGION_ENV)) }),
    'resultsTopic must be in the Region of this stack, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  withParts(
    'an alarm of another Region',
    stack => ({ recoveryAlarms: [alarmAt(stack, OTHER_REGION_ENV)] }),
    'recoveryAlarms[0] must be in the Region of this stack, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  withParts(
    'a health alarm of another account',
    stack => ({ healthAlarms: [alarmAt(stack, OTHER_ACCOUNT_ENV)] }),
    'healthAlarms[0] must be in the account of this stack, 123456789012, got "999999999999"',
    ONE_PLACE,
  ),
  withParts(
    'a quarantine beside a queue',
    stack => ({ quarantine: new Quarantine(stack, 'Quarantine') }),
    'quarantine must be absent where messages go to a queue: pass the queue of a RedriveLane, which has one, got "Stack/Quarantine"',
  ),
  refusedReplay({ maxBacklog: 10 }, 'maxBacklog must be absent where a function is invoked, got 10'),
  refusedReplay({ maxAge: days(1) }, 'maxAge must be absent where a function is invoked, got "Duration.days(1)"'),
  refusedReplay({ proofOfHealth: true }, 'proofOfHealth must be absent where a function is invoked, got true'),
  refusedReplay({ anchor: true }, 'anchor must be absent where a function is invoked, got true'),
  refused({ healthyFor: days(2) }, `healthyFor must be a whole number from 0 to ${A_DAY}, got 172800`),
  refused({ maxBacklog: -1 }, 'maxBacklog must be a whole number from 0 to 1,000,000,000, got -1'),
  refused({ maxAge: days(15) }, 'maxAge must be a whole number from 0 to 1,209,600 seconds, got 1296000'),
  withParts(
    'letters that are gone before they are counted',
    stack => ({
      deadLetterQueue: new DeadLetterQueue(stack, 'Brief', { retentionPeriod: Duration.minutes(10) }),
      settle: Duration.minutes(10),
    }),
    'settle must be less than the 600 seconds that the dead-letter queue keeps messages, because the redrive counts returned messages only after settle, got 600',
  ),
  refused({ settle: days(2) }, `settle must be a whole number from 180 to ${A_DAY}, got 172800`),
  refused({ restAfterReturn: days(2) }, `restAfterReturn must be a whole number from 0 to ${A_DAY}, got 172800`),
  refused({ maxMessagesPerSecond: 501 }, 'maxMessagesPerSecond must be a whole number from 1 to 500, got 501'),
  refused(
    { steps: [{ messagesPerSecond: 5 }], maxMessagesPerSecond: 5 },
    'maxMessagesPerSecond must be absent where steps is present, got 5',
  ),
  refused({ steps: [] }, 'steps must be from 1 to 10 steps: SQS lists only the last 10 tasks of a queue, got 0'),
  refused(
    { steps: [{ messagesPerSecond: 5, messages: 5 }, { messagesPerSecond: 5 }] },
    'steps[1].messagesPerSecond must be more than the rate of the step before it, 5, got 5',
  ),
  refused(
    { steps: [{ messagesPerSecond: 5, messages: 5 }] },
    'steps[0].messages must be absent in the last step, which moves all that is left, got 5',
  ),
  refused({ runsPerDay: 11 }, 'runsPerDay must be a whole number from 1 to 10, got 11'),
  refused(
    { messagesPerDay: 130 },
    'messagesPerDay must be at least 131: the canary can move that many before a check stops it, and with a smaller budget no run could begin, got 130',
  ),
  refused({ maxReturnedPercent: 101 }, 'maxReturnedPercent must be a number from 0 to 100, got 101'),
];

const mappingOf =
  (props: Partial<CfnEventSourceMappingProps>): Act =>
  stack =>
    new CfnEventSourceMapping(stack, 'Mapping', {
      functionName: newFunction(stack).functionName,
      eventSourceArn: new CfnQueue(stack, 'Queue').attrArn,
      ...props,
    });

const lane = (
  what: string,
  props: (stack: Stack) => Partial<RedriveLaneProps>,
  line: string,
  aws: Act | string,
): Refused => ({
  what: `RedriveLane with ${what}`,
  act: stack => new RedriveLane(stack, 'It', { handler: newFunction(stack), ...props(stack) }),
  line,
  aws,
});

const consumed = (stack: Stack, functions: number): ProcessingQueue => {
  const laneOf = new ProcessingQueue(stack, 'Orders');
  for (let i = 0; i < functions; i += 1) {
    laneOf.addFunctionConsumer(inlineFunction(stack, `F${i}`, 'exports.handler = async () => {};'));
  }
  return laneOf;
};

const HANDLER = 'handler must be present, or laneOf must have exactly one function consumer when the lane is created';

const RETENTION = 'retentionPeriod must be a whole number from 60 to 1,209,600 seconds, got 1296000';

export const REFUSED_LANES: readonly Refused[] = [
  ...[0, 2].map(
    (functions): Refused => ({
      what: `RedriveLane of a queue that ${functions} functions consume`,
      act: stack => new RedriveLane(stack, 'It', { laneOf: consumed(stack, functions) }),
      line: `${HANDLER}, got "${functions} functions"`,
      aws: OURS,
    }),
  ),
  lane(
    'no receive',
    () => ({ maxReceiveCount: 0 }),
    'maxReceiveCount must be a whole number from 1 to 1,000, got 0',
    stack => {
      const { attrArn: deadLetterTargetArn } = new CfnQueue(stack, 'Dlq');
      return new CfnQueue(stack, 'Queue', { redrivePolicy: { deadLetterTargetArn, maxReceiveCount: 0 } });
    },
  ),
  lane(
    'one invocation at a time',
    () => ({ maximumConcurrency: 1 }),
    'maximumConcurrency must be a whole number from 2 to 1,000, got 1',
    mappingOf({ scalingConfig: { maximumConcurrency: 1 } }),
  ),
  lane(
    'eleven messages an invocation',
    () => ({ batchSize: 11 }),
    'batchSize must be a whole number from 1 to 10, got 11',
    mappingOf({ batchSize: 11 }),
  ),
  lane(
    'messages kept for 15 days',
    () => ({ retentionPeriod: Duration.days(15) }),
    RETENTION,
    plainQueue({ messageRetentionPeriod: 1_296_000 }),
  ),
  lane(
    'a type of its own beside a queue that has one',
    stack => ({ laneOf: new ProcessingQueue(stack, 'Orders'), fifo: true }),
    'fifo must be absent where laneOf is present, which determines the type of the lane, got true',
    OURS,
  ),
  lane(
    'a quarantine of the other type',
    stack => ({ fifo: true, quarantine: new Quarantine(stack, 'Quarantine') }),
    'quarantine.fifo must be true, like its source Stack/It, got false',
    stack => {
      const { attrArn: deadLetterTargetArn } = new CfnQueue(stack, 'Dlq');
      return new CfnQueue(stack, 'Queue', {
        fifoQueue: true,
        redrivePolicy: { deadLetterTargetArn, maxReceiveCount: 3 },
      });
    },
  ),
  lane(
    'a key of another Region',
    stack => ({ encryptionMasterKey: Key.fromKeyArn(stack, 'Key', arn('kms', 'key/1', OTHER_REGION_ENV)) }),
    'encryptionMasterKey must be in the Region of the queue, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
];
