import { Duration, type Stack } from 'aws-cdk-lib';
import { CfnRule, Rule } from 'aws-cdk-lib/aws-events';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  CfnEventSourceMapping,
  type CfnEventSourceMappingProps,
  FilterCriteria,
  Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource, type SqsEventSourceProps } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Schedule as OneSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import {
  CfnQueue,
  type CfnQueueProps,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type RedriveAllowPolicy,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  AlarmSet,
  CostReport,
  DeadLetterAccess,
  DeadLetterQueue,
  type DeadLetterQueueProps,
  ImportedDeadLetterQueue,
  type ImportedDeadLetterQueueProps,
  ProcessingQueue,
  type ProcessingQueueProps,
} from '../../../lib';
import { newRule, newSchedule } from '../../support/feeders';
import { newFunction } from '../../support/inline-function';
import {
  type Act,
  APP_ENV,
  arn,
  importedQueue,
  LEGAL,
  ONE_PLACE,
  OTHER_ACCOUNT_ENV,
  OTHER_REGION_ENV,
  OURS,
  plainQueue,
  plainSubscription,
  type Refused,
  UNRECORDED,
} from './refused';

const RETENTION = 'must be a whole number from 60 to 1,209,600 seconds';
const VISIBILITY = 'must be a whole number from 0 to 43,200 seconds';
const NAME = 'must be 1 to 80 alphanumeric characters, hyphens and underscores where the queue is not FIFO';
const FIFO_NAME =
  'must be alphanumeric characters, hyphens and underscores and .fifo at its end, 80 characters at most';
const SIZE = 'must be a whole number from 1,024 to 1,048,576 bytes';

/** Properties of any queue that SQS rejects, and the same in CloudFormation. */
const OF_ANY_QUEUE: readonly [string, DeadLetterQueueProps & ProcessingQueueProps, string, CfnQueueProps][] = [
  [
    'messages kept for more than 14 days',
    { retentionPeriod: Duration.days(15) },
    `retentionPeriod ${RETENTION}, got 1296000`,
    { messageRetentionPeriod: 1_296_000 },
  ],
  [
    'a visibility timeout of 13 hours',
    { visibilityTimeout: Duration.hours(13) },
    `visibilityTimeout ${VISIBILITY}, got 46800`,
    { visibilityTimeout: 46_800 },
  ],
  [
    'a fraction of a second',
    { visibilityTimeout: Duration.millis(1500) },
    `visibilityTimeout ${VISIBILITY}, got 1.5`,
    { visibilityTimeout: 1.5 },
  ],
  [
    'a delay of 16 minutes',
    { deliveryDelay: Duration.minutes(16) },
    'deliveryDelay must be a whole number from 0 to 900 seconds, got 960',
    { delaySeconds: 960 },
  ],
  [
    'a long poll of 21 seconds',
    { receiveMessageWaitTime: Duration.seconds(21) },
    'receiveMessageWaitTime must be a whole number from 0 to 20 seconds, got 21',
    { receiveMessageWaitTimeSeconds: 21 },
  ],
  [
    'a data key for less than a minute',
    { dataKeyReuse: Duration.seconds(59), encryption: QueueEncryption.KMS_MANAGED },
    'dataKeyReuse must be a whole number from 60 to 86,400 seconds, got 59',
    { kmsMasterKeyId: 'alias/aws/sqs', kmsDataKeyReusePeriodSeconds: 59 },
  ],
  [
    'messages above 1 MiB',
    { maxMessageSizeBytes: 1_048_577 },
    `maxMessageSizeBytes ${SIZE}, got 1048577`,
    { maximumMessageSize: 1_048_577 },
  ],
  ['a name with a blank', { queueName: 'a b!' }, `queueName ${NAME}, got "a b!"`, { queueName: 'a b!' }],
  [
    'FIFO, and a name that does not say so',
    { queueName: 'orders', fifo: true },
    `queueName ${FIFO_NAME}, got "orders"`,
    { queueName: 'orders', fifoQueue: true },
  ],
  [
    'what only a FIFO queue has',
    { fifo: false, contentBasedDeduplication: true },
    'contentBasedDeduplication must be absent where fifo is false, got true',
    { contentBasedDeduplication: true },
  ],
  [
    'a throughput limit by group and deduplication by queue',
    { fifo: true, fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID },
    'fifoThroughputLimit must be perQueue where deduplicationScope is not messageGroup, got "perMessageGroupId"',
    { fifoQueue: true, fifoThroughputLimit: 'perMessageGroupId' },
  ],
];

const redrive =
  (maxReceiveCount: number, fifo = false): Act =>
  stack => {
    const source = new CfnQueue(stack, 'Source');
    const { attrArn: deadLetterTargetArn } = new CfnQueue(stack, 'Dead', fifo ? { fifoQueue: true } : {});
    source.redrivePolicy = { deadLetterTargetArn, maxReceiveCount };
  };

interface Feeding {
  readonly by: string;
  readonly props: DeadLetterQueueProps;
  readonly feed: (queue: DeadLetterQueue, stack: Stack) => unknown;
  readonly line: string;
  readonly aws: Act | string;
}

const MANAGED = { encryption: QueueEncryption.KMS_MANAGED };
const managed = (service: string) =>
  `encryption must not be KMS_MANAGED, because its key policy cannot allow ${service}, got "KMS_MANAGED"`;
const standardOnly = (service: string) =>
  `fifo must be false, because ${service} accepts only a standard queue as dead-letter queue, got true`;

const FEEDINGS: readonly Feeding[] = [
  {
    by: 'a topic, with the AWS-managed key',
    props: MANAGED,
    feed: (queue, stack) => queue.fedBy(new Topic(stack, 'Topic')),
    line: managed('SNS'),
    aws: LEGAL,
  },
  {
    by: 'a standard topic, and FIFO',
    props: { fifo: true },
    feed: (queue, stack) => queue.fedBy(new Topic(stack, 'Topic')),
    line: 'fifo must be false, because topic Stack/Topic is a standard topic, got true',
    aws: stack => {
      const deadLetterTargetArn = new Queue(stack, 'Dead', { fifo: true }).queueArn;
      return plainSubscription({ redrivePolicy: { deadLetterTargetArn } })(stack);
    },
  },
  {
    by: 'a rule, with the AWS-managed key',
    props: MANAGED,
    feed: (queue, stack) => queue.fedBy(newRule(stack)),
    line: managed('EventBridge'),
    aws: LEGAL,
  },
  {
    by: 'a rule, and FIFO',
    props: { fifo: true },
    feed: (queue, stack) => queue.fedBy(newRule(stack)),
    line: standardOnly('EventBridge'),
    aws: stack => newRule(stack, new Queue(stack, 'Dead', { fifo: true })),
  },
  {
    by: 'a rule of another Region',
    props: {},
    feed: (queue, stack) =>
      queue.fedBy(Rule.fromEventRuleArn(stack, 'There', arn('events', 'rule/nightly', OTHER_REGION_ENV))),
    line: 'region must be that of rule Stack/There, eu-west-1, got "us-east-1"',
    aws: stack => {
      const deadLetterConfig = { arn: arn('sqs', 'dead', OTHER_REGION_ENV) };
      const targets = [{ id: 'Target', arn: new Queue(stack, 'Target').queueArn, deadLetterConfig }];
      return new CfnRule(stack, 'Rule', { scheduleExpression: 'rate(1 minute)', targets });
    },
  },
  {
    by: 'a schedule, and FIFO',
    props: { fifo: true },
    feed: (queue, stack) => queue.fedBy(newSchedule(stack)),
    line: standardOnly('EventBridge Scheduler'),
    aws: UNRECORDED,
  },
  {
    by: 'a schedule of another app',
    props: {},
    feed: (queue, stack) =>
      queue.fedBy(OneSchedule.fromScheduleArn(stack, 'Schedule', arn('scheduler', 'schedule/default/x'))),
    line: 'schedule must be created in this app, because only its resource names its role; otherwise pass the role to fedByRole, got "Stack/Schedule"',
    aws: OURS,
  },
  {
    by: 'a function, and FIFO',
    props: { fifo: true },
    feed: (queue, stack) => queue.fedBy(newFunction(stack)),
    line: standardOnly('Lambda'),
    aws: stack => newFunction(stack, { deadLetterQueue: new Queue(stack, 'Dead', { fifo: true }) }),
  },
  {
    by: 'a standard queue, and FIFO',
    props: { fifo: true },
    feed: (queue, stack) => queue.fedBy(new Queue(stack, 'Source')),
    line: 'fifo must be false, like its source Stack/Source, got true',
    aws: redrive(1, true),
  },
];

const imported = (
  place: typeof APP_ENV,
  props: Partial<ImportedDeadLetterQueueProps>,
  line: string,
  aws: string,
): Refused => ({
  what: `ImportedDeadLetterQueue of ${place.account} in ${place.region}, ${Object.keys(props)}`,
  act: stack => new ImportedDeadLetterQueue(stack, 'It', { queue: importedQueue(stack, place), ...props }),
  line,
  aws,
});

const working = (props: ProcessingQueueProps, line: string, aws: Act | string): Refused => ({
  what: `ProcessingQueue ${JSON.stringify(props)}`,
  act: stack => new ProcessingQueue(stack, 'It', props),
  line,
  aws,
});

const allowing = (
  { redrivePermission }: RedriveAllowPolicy,
  count: number,
  line: string,
  plain: string | undefined = redrivePermission,
): Refused => ({
  what: `DeadLetterQueue with a redrive-allow policy of ${redrivePermission} and ${count} queues`,
  act: stack => {
    const sourceQueues = Array.from({ length: count }, (_, i) => new Queue(stack, `Source${i}`));
    return new DeadLetterQueue(stack, 'It', { redriveAllowPolicy: { redrivePermission, sourceQueues } });
  },
  line: `redriveAllowPolicy.sourceQueues ${line}, got ${count}`,
  aws: plainQueue({
    redriveAllowPolicy: {
      redrivePermission: plain,
      sourceQueueArns: Array.from({ length: count }, (_, i) => arn('sqs', `source-${i}`)),
    },
  }),
});

const BATCH = 'must be a whole number from 1 to 10 without maxBatchingWindow';
const PATTERN = 'must be created by FilterCriteria.filter from an object whose leaves are lists of values to match';

const consumed = (
  options: SqsEventSourceProps,
  line: string,
  props: ProcessingQueueProps = {},
  plain: Partial<CfnEventSourceMappingProps> = {},
): Refused => ({
  what: `A function consuming ${JSON.stringify(props)} with ${JSON.stringify(options)}`,
  act: stack => new ProcessingQueue(stack, 'It', props).addFunctionConsumer(newFunction(stack), options),
  line,
  aws: stack => {
    const { batchSize, maxBatchingWindow, maxConcurrency, provisionedPollerConfig, filters } = options;
    const handler = newFunction(stack);
    const queue = new Queue(stack, 'Queue', props.fifo ? { fifo: true } : {});
    queue.grantConsumeMessages(handler);
    return new CfnEventSourceMapping(stack, 'Mapping', {
      functionName: handler.functionName,
      eventSourceArn: queue.queueArn,
      batchSize,
      maximumBatchingWindowInSeconds: maxBatchingWindow?.toSeconds(),
      ...(maxConcurrency && { scalingConfig: { maximumConcurrency: maxConcurrency } }),
      ...(provisionedPollerConfig && { provisionedPollerConfig }),
      ...(filters && { filterCriteria: { filters: filters.map(({ pattern }) => ({ pattern })) } }),
      ...plain,
    });
  },
});

const SOURCES = 'must be 1 to 10 queues, or absent and redrivePermission allowAll';
const NO_SOURCES = 'must be absent where redrivePermission is allowAll or denyAll';

const RECEIVES = 'must be a whole number from 1 to 1,000';

export const REFUSED_QUEUES: readonly Refused[] = [
  ...OF_ANY_QUEUE.flatMap(([what, props, line, plain]): Refused[] => [
    {
      what: `DeadLetterQueue with ${what}`,
      act: stack => new DeadLetterQueue(stack, 'It', props),
      line,
      aws: plainQueue(plain),
    },
    {
      what: `ProcessingQueue with ${what}`,
      act: stack => new ProcessingQueue(stack, 'It', props),
      line,
      aws: plainQueue(plain),
    },
  ]),
  {
    what: 'DeadLetterQueue with more time to respond than it keeps anything',
    act: stack => new DeadLetterQueue(stack, 'It', { timeToRespond: Duration.days(15) }),
    line: `timeToRespond ${RETENTION}, got 1296000`,
    aws: OURS,
  },
  {
    what: 'DeadLetterQueue unattended for more than a week, which is as far as an alarm looks back',
    act: stack => new DeadLetterQueue(stack, 'It', { unattendedAfter: Duration.hours(169) }),
    line: 'unattendedAfter must be a whole number from 1 to 168 hours, got 169',
    aws: OURS,
  },
  {
    what: 'DeadLetterQueue with one of its own',
    act: stack => {
      const deadLetterQueue = { queue: new Queue(stack, 'Other'), maxReceiveCount: 1 };
      return new DeadLetterQueue(stack, 'It', { deadLetterQueue });
    },
    line: 'deadLetterQueue must be absent, because a dead-letter queue has no dead-letter queue of its own, got "Stack/Other"',
    aws: OURS,
  },
  ...FEEDINGS.map(
    ({ by, props, feed, line, aws }): Refused => ({
      what: `DeadLetterQueue fed by ${by}`,
      act: stack => feed(new DeadLetterQueue(stack, 'It', props), stack),
      line,
      aws,
    }),
  ),
  imported(
    OTHER_REGION_ENV,
    {},
    'queue must be in the Region of the stack, because an alarm reads the metrics of its own Region, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  imported(
    OTHER_ACCOUNT_ENV,
    { access: DeadLetterAccess.WRITE_POLICY },
    'queue must be in the account of the stack that writes its policy, 123456789012, got "999999999999"',
    ONE_PLACE,
  ),
  imported(APP_ENV, { retentionPeriod: Duration.days(15) }, `retentionPeriod ${RETENTION}, got 1296000`, OURS),
  imported(APP_ENV, { timeToRespond: Duration.seconds(59) }, `timeToRespond ${RETENTION}, got 59`, OURS),
  allowing({}, 11, SOURCES, 'byQueue'),
  allowing({ redrivePermission: RedrivePermission.BY_QUEUE }, 0, SOURCES),
  allowing({ redrivePermission: RedrivePermission.ALLOW_ALL }, 1, NO_SOURCES),
  allowing({ redrivePermission: RedrivePermission.DENY_ALL }, 1, NO_SOURCES),
  working(
    { deadLetterQueueName: 'a b!' },
    `deadLetterQueueName ${NAME}, got "a b!"`,
    plainQueue({ queueName: 'a b!' }),
  ),
  working({ maxReceiveCount: 1_001 }, `maxReceiveCount ${RECEIVES}, got 1001`, redrive(1_001)),
  working({ maxReceiveCount: 0 }, `maxReceiveCount ${RECEIVES}, got 0`, redrive(0)),
  {
    what: 'ProcessingQueue with 1,001 receives before a dead-letter queue it was given',
    act: stack => {
      const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Other'), maxReceiveCount: 1_001 };
      return new ProcessingQueue(stack, 'It', { deadLetterQueue });
    },
    line: `deadLetterQueue.maxReceiveCount ${RECEIVES}, got 1001`,
    aws: redrive(1_001),
  },
  {
    what: 'ProcessingQueue with a dead-letter queue and the name of another',
    act: stack => {
      const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Other'), maxReceiveCount: 3 };
      return new ProcessingQueue(stack, 'It', { deadLetterQueue, deadLetterQueueName: 'another' });
    },
    line: 'deadLetterQueueName must be absent where deadLetterQueue is present, got "another"',
    aws: OURS,
  },
  {
    what: 'ProcessingQueue with a dead-letter queue and a number of receives beside its own',
    act: stack => {
      const deadLetterQueue = { queue: new DeadLetterQueue(stack, 'Other'), maxReceiveCount: 3 };
      return new ProcessingQueue(stack, 'It', { deadLetterQueue, maxReceiveCount: 7 });
    },
    line: 'maxReceiveCount must be absent where deadLetterQueue is present, which has its own, got 7',
    aws: OURS,
  },
  working(
    { consumerTimeout: Duration.seconds(30) },
    'visibilityTimeout must be longer than consumerTimeout, 30 seconds, got 30',
    OURS,
  ),
  working(
    { consumerTimeout: Duration.millis(1500) },
    'consumerTimeout must be a whole number from 0 to 43,200 seconds, got 1.5',
    OURS,
  ),
  {
    what: 'CostReport with a cost that is no number of dollars',
    act: () => void new CostReport({ maxIdleDollarsPerMonth: -1 }),
    line: 'maxIdleDollarsPerMonth must be a number of US dollars, 0 or more, got -1',
    aws: OURS,
  },
  {
    what: 'AlarmDefaults that come after a construct with alarms',
    act: stack => {
      new DeadLetterQueue(stack, 'It');
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
    },
    line: 'alarms must be set before constructs with alarms are created, got "Stack/It"',
    aws: OURS,
  },
  working(
    { ageAlarmThreshold: Duration.days(15) },
    'ageAlarmThreshold must be a whole number from 1 to 1,209,600 seconds, got 1296000',
    OURS,
  ),
  ...[DeadLetterQueue, ProcessingQueue].flatMap((kind): Refused[] => [
    {
      what: `${kind.name} that says for how long it uses a data key, and has none`,
      act: stack => new kind(stack, 'It', { dataKeyReuse: Duration.hours(1) }),
      line: 'dataKeyReuse must be absent where no key of KMS encrypts the queue, got 3600',
      aws: OURS,
    },
    {
      what: `${kind.name} that has a key, and is to be encrypted with none`,
      act: stack => {
        const encryptionMasterKey = new Key(stack, 'Key');
        return new kind(stack, 'It', { encryptionMasterKey, encryption: QueueEncryption.SQS_MANAGED });
      },
      line: 'encryptionMasterKey must be absent where encryption is SQS_MANAGED, got "Stack/Key"',
      aws: plainQueue({ kmsMasterKeyId: 'alias/aws/sqs', sqsManagedSseEnabled: true }),
    },
  ]),
  {
    what: 'ProcessingQueue consumed twice by a function',
    act: stack => {
      const queue = new ProcessingQueue(stack, 'It');
      const handler = newFunction(stack);
      queue.addFunctionConsumer(handler);
      return queue.addFunctionConsumer(handler, { batchSize: 1 });
    },
    line: 'handler must not consume the queue already, because Lambda maps a queue to a function only once, got "Stack/Function"',
    aws: stack => {
      const handler = newFunction(stack);
      const queue = new Queue(stack, 'Queue');
      handler.addEventSource(new SqsEventSource(queue));
      handler.addEventSourceMapping('Again', { eventSourceArn: queue.queueArn });
    },
  },
  {
    what: 'A function that consumes a queue with a key for filters, and without filters',
    act: stack =>
      new ProcessingQueue(stack, 'It').addFunctionConsumer(newFunction(stack), {
        filterEncryption: new Key(stack, 'Key'),
      }),
    line: 'filterEncryption must be absent where filters is absent, got "Stack/Key"',
    aws: OURS,
  },
  consumed({ batchSize: 2.5 }, `batchSize ${BATCH}, got 2.5`),
  consumed({ batchSize: 11 }, `batchSize ${BATCH}, got 11`),
  consumed(
    { batchSize: 10_001, maxBatchingWindow: Duration.seconds(1) },
    'batchSize must be a whole number from 1 to 10,000, got 10001',
  ),
  consumed(
    { maxBatchingWindow: Duration.seconds(301) },
    'maxBatchingWindow must be a whole number from 0 to 300 seconds, got 301',
  ),
  consumed(
    { maxBatchingWindow: Duration.seconds(1) },
    'maxBatchingWindow must be absent where the queue is FIFO, got 1',
    { fifo: true },
  ),
  consumed({ batchSize: 11 }, 'batchSize must be a whole number from 1 to 10, got 11', { fifo: true }),
  consumed({ maxConcurrency: 1 }, 'maxConcurrency must be a whole number from 2 to 1,000, got 1'),
  consumed(
    { provisionedPollerConfig: { minimumPollers: 1 } },
    'provisionedPollerConfig.minimumPollers must be a whole number from 2 to 200, got 1',
  ),
  consumed(
    { provisionedPollerConfig: { maximumPollers: 2_001 } },
    'provisionedPollerConfig.maximumPollers must be a whole number from 2 to 2,000, got 2001',
  ),
  consumed(
    { provisionedPollerConfig: { minimumPollers: 6, maximumPollers: 5 } },
    'provisionedPollerConfig.minimumPollers must be at most maximumPollers, 5, got 6',
  ),
  consumed(
    { provisionedPollerConfig: {}, maxConcurrency: 2 },
    'maxConcurrency must be absent where provisionedPollerConfig is present, got 2',
    {},
    { provisionedPollerConfig: { minimumPollers: 2 }, scalingConfig: { maximumConcurrency: 2 } },
  ),
  consumed({ filters: [{ pattern: 'paid' }] }, `filters[0] ${PATTERN}, got "paid"`),
  consumed({ filters: [{ pattern: '{"body":"paid"}' }] }, `filters[0] ${PATTERN}, got "{\\"body\\":\\"paid\\"}"`),
  consumed(
    { filters: Array.from({ length: 11 }, () => FilterCriteria.filter({ body: ['paid'] })) },
    'filters must be at most 10, got 11',
  ),
  {
    what: 'ProcessingQueue consumed by a function of another Region',
    act: stack =>
      new ProcessingQueue(stack, 'It').addFunctionConsumer(
        LambdaFunction.fromFunctionArn(stack, 'There', arn('lambda', 'function:x', OTHER_REGION_ENV)),
      ),
    line: 'handler must be in the Region of the queue, us-east-1, got "eu-west-1"',
    aws: ONE_PLACE,
  },
  {
    what: 'ProcessingQueue with a dead-letter queue of another Region',
    act: stack =>
      new ProcessingQueue(stack, 'It', {
        deadLetterQueue: { queue: importedQueue(stack, OTHER_REGION_ENV), maxReceiveCount: 5 },
      }),
    line: 'deadLetterQueue.region must be that of its source Stack/It, us-east-1, got "eu-west-1"',
    aws: ONE_PLACE,
  },
  {
    what: 'ProcessingQueue with a dead-letter queue of another account',
    act: stack =>
      new ProcessingQueue(stack, 'It', {
        deadLetterQueue: { queue: importedQueue(stack, OTHER_ACCOUNT_ENV), maxReceiveCount: 5 },
      }),
    line: `deadLetterQueue.account must be that of its source Stack/It, ${APP_ENV.account}, got "${OTHER_ACCOUNT_ENV.account}"`,
    aws: ONE_PLACE,
  },
  {
    what: 'DeadLetterQueue fed by a topic of another Region',
    act: stack =>
      new DeadLetterQueue(stack, 'It').fedBy(Topic.fromTopicArn(stack, 'There', arn('sns', 'there', OTHER_REGION_ENV))),
    line: 'region must be that of topic Stack/There, eu-west-1, got "us-east-1"',
    aws: ONE_PLACE,
  },
  {
    what: 'ProcessingQueue whose messages are seen again while its function runs',
    act: stack =>
      new ProcessingQueue(stack, 'It').addFunctionConsumer(newFunction(stack, { timeout: Duration.seconds(31) })),
    line: 'visibilityTimeout must not be below the timeout of Stack/Function, 31 seconds, got 30',
    aws: stack =>
      newFunction(stack, { timeout: Duration.seconds(31) }).addEventSource(
        new SqsEventSource(new Queue(stack, 'Queue')),
      ),
  },
];
