import { Duration, type Stack } from 'aws-cdk-lib';
import { DeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import {
  type CfnSubscriptionProps,
  type CfnTopicProps,
  type DeliveryPolicy,
  FifoThroughputScope,
  FilterOrPolicy,
  type ITopicSubscription,
  LoggingProtocol,
  SubscriptionFilter,
  SubscriptionProtocol,
  Topic,
} from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import {
  DeadLetterAccess,
  DeadLetterQueue,
  DeliveryStatusLogging,
  DurableTopic,
  type DurableTopicProps,
  type EndpointDeliveryOptions,
  ImportedDeadLetterQueue,
  TopicDeliveryPolicy,
} from '../../../lib';
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
  plainSubscription,
  plainTopic,
  type Refused,
  UNRECORDED,
  URL,
} from './refused';

const topic = (props: DurableTopicProps, line: string, plain: CfnTopicProps | string): Refused => ({
  what: `DurableTopic ${JSON.stringify(props).slice(0, 80)}`,
  act: stack => new DurableTopic(stack, 'It', props),
  line,
  aws: typeof plain === 'string' ? plain : plainTopic(plain),
});

const STANDARD_NAME =
  'topicName must be 1 to 256 alphanumeric characters, hyphens and underscores where the topic is not FIFO';
const FIFO_NAME =
  'topicName must be alphanumeric characters, hyphens and underscores, 256 characters at most, .fifo at its end included';
const NOT_FIFO = 'must be absent where fifo is not true';
const NO_ARCHIVE = 'the embedded AWS has no archives';
const LONG = 'x'.repeat(252);

const TOPICS: readonly Refused[] = [
  topic({ topicName: 'a b' }, `${STANDARD_NAME}, got "a b"`, { topicName: 'a b' }),
  topic({ topicName: 'a.fifo' }, `${STANDARD_NAME}, got "a.fifo"`, { topicName: 'a.fifo' }),
  topic({ topicName: 'a.b', fifo: true }, `${FIFO_NAME}, got "a.b"`, { topicName: 'a.b.fifo', fifoTopic: true }),
  topic({ topicName: LONG, fifo: true }, `${FIFO_NAME}, got "${'x'.repeat(118)}…`, {
    topicName: `${LONG}.fifo`,
    fifoTopic: true,
  }),
  topic({ contentBasedDeduplication: true }, `contentBasedDeduplication ${NOT_FIFO}, got true`, {
    contentBasedDeduplication: true,
  }),
  topic({ fifoThroughputScope: FifoThroughputScope.TOPIC }, `fifoThroughputScope ${NOT_FIFO}, got "Topic"`, {
    fifoThroughputScope: 'Topic',
  }),
  topic({ messageRetentionPeriodInDays: 1 }, `messageRetentionPeriodInDays ${NOT_FIFO}, got 1`, NO_ARCHIVE),
  topic(
    { fifo: true, messageRetentionPeriodInDays: 366 },
    'messageRetentionPeriodInDays must be a whole number from 1 to 365 days, got 366',
    NO_ARCHIVE,
  ),
  topic({ displayName: 'x'.repeat(101) }, 'displayName must have at most 100 characters, got 101', {
    displayName: 'x'.repeat(101),
  }),
  topic(
    { deliveryFailureRateAlarm: { thresholdPercent: 100 } },
    'deliveryFailureRateAlarm.thresholdPercent must be a whole number from 0 to 99, got 100',
    OURS,
  ),
  topic(
    { deliveryFailureRateAlarm: { minimumAttempts: 0 } },
    'deliveryFailureRateAlarm.minimumAttempts must be a whole number from 1 to 1,000,000,000, got 0',
    OURS,
  ),
  topic({ signatureVersion: '3' }, 'signatureVersion must be 1 or 2, got "3"', { signatureVersion: '3' }),
  topic(
    { disableSubscriptionOverrides: true },
    'disableSubscriptionOverrides must be absent where deliveryPolicy is absent, got true',
    OURS,
  ),
  {
    what: 'DurableTopic.addLoggingConfig with a sample rate of 101',
    act: stack =>
      new DurableTopic(stack, 'It').addLoggingConfig({ protocol: LoggingProtocol.SQS, successFeedbackSampleRate: 101 }),
    line: 'successFeedbackSampleRate must be a whole number from 0 to 100, got 101',
    aws: plainTopic({ deliveryStatusLogging: [{ protocol: 'sqs', successFeedbackSampleRate: '101' }] }),
  },
  {
    what: 'DeliveryStatusLogging of a topic that has one',
    act: stack => new DeliveryStatusLogging(stack, 'It', { topic: new DurableTopic(stack, 'T') }),
    line: 'topic must have no other DeliveryStatusLogging, because its log groups have the same names, got "Stack/T/DeliveryStatus"',
    aws: stack => {
      for (const id of ['One', 'Other'])
        new CfnLogGroup(stack, id, { logGroupName: 'sns/us-east-1/123456789012/orders' });
    },
  },
  ...(
    [
      [OTHER_REGION_ENV, 'must be in the Region of the stack, us-east-1, got "eu-west-1"'],
      [OTHER_ACCOUNT_ENV, 'must be in the account of the stack, 123456789012, got "999999999999"'],
    ] as const
  ).map(
    ([env, rule]): Refused => ({
      what: `DeliveryStatusLogging of a topic of another place: ${rule}`,
      act: stack => {
        const it = Topic.fromTopicArn(stack, 'Topic', arn('sns', 'orders', env));
        return new DeliveryStatusLogging(stack, 'It', { topic: it });
      },
      line: `topic ${rule}`,
      aws: ONE_PLACE,
    }),
  ),
  {
    what: 'DeliveryStatusLogging with a sample rate of 101',
    act: stack => new DeliveryStatusLogging(stack, 'It', { topic: new Topic(stack, 'T'), successSampleRate: 101 }),
    line: 'successSampleRate must be a whole number from 0 to 100, got 101',
    aws: plainTopic({ deliveryStatusLogging: [{ protocol: 'sqs', successFeedbackSampleRate: '101' }] }),
  },
];

type Deliver = (topic: DurableTopic, stack: Stack) => unknown;

const delivery = (what: string, deliver: Deliver, line: string, aws: Act | string, props = {}): Refused => ({
  what: `A delivery ${what}`,
  act: stack => deliver(new DurableTopic(stack, 'Topic', props), stack),
  line,
  aws,
});

/** The same subscription with a plain dead-letter queue. */
const plainDeadLetters =
  (deadFifo: boolean): Act =>
  stack => {
    const deadLetterTargetArn = new Queue(stack, 'Dead', deadFifo ? { fifo: true } : {}).queueArn;
    return plainSubscription({ redrivePolicy: { deadLetterTargetArn } })(stack);
  };

const fifoQueue = (stack: Stack) => new Queue(stack, 'Queue', { fifo: true });
const MANAGED = { encryption: QueueEncryption.KMS_MANAGED };
const NOT_MANAGED = 'must not be KMS_MANAGED, because its key policy cannot allow SNS, got "KMS_MANAGED"';
const APP_ARN = arn('sns', 'app/GCM/Rental');

const RECIPIENTS: readonly Refused[] = [
  delivery(
    'to no e-mail address',
    it => it.deliverToEmail('X', 'ops'),
    'address must be one e-mail address, got "ops"',
    plainSubscription({ protocol: 'email', endpoint: 'ops' }),
  ),
  delivery(
    'to no phone number',
    it => it.deliverToSms('X', 'ops@example.com'),
    'phoneNumber must be a phone number, such as +15550100, got "ops@example.com"',
    plainSubscription({ protocol: 'sms', endpoint: 'ops@example.com' }),
  ),
  delivery(
    'to an app in place of a device',
    it => it.deliverToPush('X', APP_ARN),
    `endpointArn must be the ARN of a platform endpoint, got "${APP_ARN}"`,
    plainSubscription({ protocol: 'application', endpoint: APP_ARN }),
  ),
  delivery(
    'to a stream that is a queue',
    (it, stack) =>
      it.deliverToFirehose('X', DeliveryStream.fromDeliveryStreamArn(stack, 'S', arn('sqs', 'deliverystream/x'))),
    `stream must be a Firehose stream, got "${arn('sqs', 'deliverystream/x')}"`,
    plainSubscription({
      protocol: 'firehose',
      endpoint: arn('sqs', 'deliverystream/x'),
      subscriptionRoleArn: 'arn:aws:iam::123456789012:role/x',
    }),
  ),
  delivery(
    'to a queue that is a topic',
    (it, stack) => it.deliverToQueue('X', importedQueue(stack, APP_ENV, 'sns')),
    `queue must be an SQS queue, got "${arn('sns', 'orders')}"`,
    plainSubscription({ protocol: 'sqs', endpoint: arn('sns', 'orders') }),
  ),
  delivery(
    'to a function whose ARN is a layer’s',
    (it, stack) => it.deliverToFunction('X', LambdaFunction.fromFunctionArn(stack, 'F', arn('lambda', 'layer:x'))),
    `handler must be a Lambda function, got "${arn('lambda', 'layer:x')}"`,
    plainSubscription({ protocol: 'lambda', endpoint: arn('lambda', 'layer:x') }),
  ),
  delivery(
    'to a FIFO queue, of a standard topic',
    (it, stack) => it.deliverToQueue('X', fifoQueue(stack)),
    'queue must not be FIFO, because the topic is standard, got "Stack/Queue"',
    stack => plainSubscription({ protocol: 'sqs', endpoint: fifoQueue(stack).queueArn })(stack),
  ),
  delivery(
    'to a queue with the AWS-managed key',
    (it, stack) => it.deliverToQueue('X', new Queue(stack, 'Queue', MANAGED)),
    `queue.encryption ${NOT_MANAGED}`,
    LEGAL,
  ),
  delivery(
    'to a server, of a FIFO topic',
    it => it.deliverToEndpoint('X', URL),
    'url must be a queue, because the topic is FIFO: put a queue between them, got "https://partner.example.com"',
    plainSubscription({}, { fifoTopic: true }),
    { fifo: true },
  ),
  delivery(
    'to a function, of a FIFO topic',
    (it, stack) => it.deliverToFunction('X', newFunction(stack)),
    'handler must be a queue, because the topic is FIFO: put a queue between them, got "Stack/Function"',
    stack =>
      plainSubscription({ protocol: 'lambda', endpoint: newFunction(stack).functionArn }, { fifoTopic: true })(stack),
    { fifo: true },
  ),
  delivery(
    'to what is subscribed already',
    it => {
      it.deliverToEndpoint('Once', URL);
      return it.deliverToEndpoint('X', URL);
    },
    'endpoint must not be subscribed to this topic already, got "Stack/Topic/Deliveries/Once/Subscription"',
    'SNS answers the first subscription again',
  ),
  delivery(
    'to another Region, without a dead-letter queue in this one',
    (it, stack) => it.deliverToQueue('X', importedQueue(stack, OTHER_REGION_ENV)),
    'deadLetterQueue must be passed if the consumer is not in the Region of the topic, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  delivery(
    'whose alarm actions are stated, and whose dead-letter queue has its own',
    (it, stack) =>
      it.deliverToEndpoint('X', URL, { deadLetterQueue: new DeadLetterQueue(stack, 'D'), alarmActions: [] }),
    'alarmActions must be absent where deadLetterQueue is present, got []',
    OURS,
  ),
  delivery(
    'to a queue that is its own dead-letter queue',
    (it, stack) => {
      const deadLetterQueue = new DeadLetterQueue(stack, 'D');
      return it.deliverToQueue('X', deadLetterQueue, { deadLetterQueue });
    },
    'deadLetterQueue must be another queue than the subscribed one, got "Stack/D"',
    LEGAL,
  ),
];

const deadLetters = (what: string, dead: (stack: Stack) => DeadLetters, line: string, aws: Act | string): Refused =>
  delivery(
    `with a dead-letter queue ${what}`,
    (it, stack) => it.deliverToEndpoint('X', URL, { deadLetterQueue: dead(stack) }),
    line,
    aws,
  );
type DeadLetters = NonNullable<EndpointDeliveryOptions['deadLetterQueue']>;

const DEAD_LETTERS: readonly Refused[] = [
  deadLetters(
    'in another Region',
    stack => importedQueue(stack, OTHER_REGION_ENV),
    'deadLetterQueue must be in the Region of the topic, us-east-1, got "eu-west-1"',
    ONE_PLACE,
  ),
  deadLetters(
    'of another account',
    stack => importedQueue(stack, OTHER_ACCOUNT_ENV),
    'deadLetterQueue must be in the account of the subscription, 123456789012, got "999999999999"',
    ONE_PLACE,
  ),
  deadLetters(
    'that is a topic',
    stack => importedQueue(stack, APP_ENV, 'sns'),
    `deadLetterQueue must be an SQS queue, got "${arn('sns', 'orders')}"`,
    plainSubscription({ redrivePolicy: { deadLetterTargetArn: arn('sns', 'orders') } }),
  ),
  deadLetters(
    'that is FIFO',
    stack => new DeadLetterQueue(stack, 'Dlq', { fifo: true }),
    'deadLetterQueue must be a standard queue, because the topic is standard, got "Stack/Dlq"',
    plainDeadLetters(true),
  ),
  deadLetters(
    'with the AWS-managed key',
    stack => new Queue(stack, 'Dlq', MANAGED),
    `deadLetterQueue.encryption ${NOT_MANAGED}`,
    LEGAL,
  ),
  delivery(
    'to a FIFO queue with a dead-letter queue that is not',
    (it, stack) => it.deliverToQueue('X', fifoQueue(stack), { deadLetterQueue: new DeadLetterQueue(stack, 'Dlq') }),
    'deadLetterQueue must be FIFO, because a FIFO topic delivers to a FIFO queue, got "Stack/Dlq"',
    stack => {
      const deadLetterTargetArn = new Queue(stack, 'Dead').queueArn;
      const { queueArn: endpoint } = fifoQueue(stack);
      const props = { protocol: 'sqs', endpoint, redrivePolicy: { deadLetterTargetArn } };
      return plainSubscription(props, { fifoTopic: true })(stack);
    },
    { fifo: true },
  ),
];

/** The same check, for a subscription added as on a `Topic`. */
const added = (
  what: string,
  plain: (stack: Stack) => ITopicSubscription,
  line: string,
  aws: Act | string,
  props = {},
) => delivery(`added by addSubscription ${what}`, (it, stack) => it.addSubscription(plain(stack)), line, aws, props);

const addedWith = (what: string, dead: (stack: Stack) => DeadLetters, line: string, aws: Act | string): Refused =>
  added(
    `with a dead-letter queue ${what}`,
    stack => new SqsSubscription(new Queue(stack, 'Queue'), { deadLetterQueue: dead(stack) }),
    line,
    aws,
  );

const ADDED: readonly Refused[] = [
  addedWith(
    'of another account, whose owner lets it in',
    stack =>
      new ImportedDeadLetterQueue(stack, 'Dlq', {
        queue: importedQueue(stack, OTHER_ACCOUNT_ENV),
        access: DeadLetterAccess.GRANTED_ELSEWHERE,
      }),
    'deadLetterQueue must be in the account of the subscription, 123456789012, got "999999999999"',
    ONE_PLACE,
  ),
  added(
    'of a FIFO queue, to a standard topic',
    stack => new SqsSubscription(fifoQueue(stack)),
    'queue must not be FIFO, because the topic is standard, got "Stack/Queue"',
    stack => plainSubscription({ protocol: 'sqs', endpoint: fifoQueue(stack).queueArn })(stack),
  ),
  added(
    'of a FIFO queue that is known by its ARN alone',
    () => ({
      bind: () => ({ subscriberId: 'X', protocol: SubscriptionProtocol.SQS, endpoint: arn('sqs', 'orders.fifo') }),
    }),
    `endpoint must not be a FIFO queue, because the topic is standard, got "${arn('sqs', 'orders.fifo')}"`,
    plainSubscription({ protocol: 'sqs', endpoint: arn('sqs', 'orders.fifo') }),
  ),
  added(
    'with a hundred retries, an hour apart',
    () => {
      const [minDelayTarget, maxDelayTarget] = [Duration.hours(1), Duration.hours(1)];
      const healthyRetryPolicy = { numRetries: 100, minDelayTarget, maxDelayTarget };
      return new UrlSubscription(URL, { deliveryPolicy: { healthyRetryPolicy } });
    },
    'deliveryPolicy.healthyRetryPolicy must spend at most 3600 seconds in the delays of all its retries together, got 360000',
    plainSubscription({
      deliveryPolicy: { healthyRetryPolicy: { numRetries: 100, minDelayTarget: 3600, maxDelayTarget: 3600 } },
    }),
  ),
  added(
    'of no e-mail address',
    () => new EmailSubscription('ops'),
    'address must be one e-mail address, got "ops"',
    plainSubscription({ protocol: 'email', endpoint: 'ops' }),
  ),
];

const filtered = (options: EndpointDeliveryOptions, line: string, filterPolicy: unknown): Refused =>
  delivery(
    `with a filter that gets: ${line.slice(0, 70)}`,
    it => it.deliverToEndpoint('X', URL, options),
    line,
    typeof filterPolicy === 'string' ? filterPolicy : plainSubscription({ filterPolicy }),
  );

const EXISTS = SubscriptionFilter.existsFilter();
const many = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
const anyOf = (count: number) => SubscriptionFilter.stringFilter({ allowlist: many(count) });
const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];

const FILTERS: readonly Refused[] = [
  filtered({ filterPolicy: {} }, 'filterPolicy must have at least one name, got {}', UNRECORDED),
  filtered(
    { filterPolicy: { status: new SubscriptionFilter([]) } },
    'filterPolicy.status must list at least one condition, got []',
    { status: [] },
  ),
  filtered(
    { filterPolicy: Object.fromEntries(SIX.map(name => [name, EXISTS])) },
    'filterPolicy must have at most 5 names, got 6',
    Object.fromEntries(SIX.map(name => [name, [{ exists: true }]])),
  ),
  filtered(
    { filterPolicy: { a: anyOf(76), b: anyOf(2) } },
    'filterPolicy must have at most 150 combinations of values, got 152',
    { a: many(76), b: many(2) },
  ),
  filtered(
    { filterPolicy: { a: EXISTS }, filterPolicyWithMessageBody: { a: FilterOrPolicy.filter(EXISTS) } },
    'filterPolicyWithMessageBody must be absent where filterPolicy is present, got "both"',
    OURS,
  ),
];

const endpoint = (url: string, options: EndpointDeliveryOptions, line: string, aws: Act | string): Refused =>
  delivery(`to ${url}, ${JSON.stringify(options)}`, it => it.deliverToEndpoint('X', url, options), line, aws);

const ENDPOINTS: readonly Refused[] = [
  endpoint(
    'ftp://example.com',
    {},
    'url must be an absolute http or https URL, got "ftp://example.com"',
    plainSubscription({ endpoint: 'ftp://example.com' }),
  ),
  endpoint(
    'partner',
    {},
    'url must be an absolute http or https URL, got "7 characters that are not a URL"',
    plainSubscription({ endpoint: 'partner' }),
  ),
  endpoint(
    'https://a_b.example.com',
    {},
    'url must not have an underscore in its host name, because SNS does not support it, got "a_b.example.com"',
    plainSubscription({ endpoint: 'https://a_b.example.com' }),
  ),
  endpoint(
    URL,
    { protocol: SubscriptionProtocol.HTTP },
    `protocol must be the URL's own, https, got "http"`,
    plainSubscription({ protocol: 'http' }),
  ),
  endpoint(URL, { protocol: SubscriptionProtocol.EMAIL }, 'protocol must be HTTP or HTTPS, got "email"', OURS),
  delivery(
    'of text messages without their envelope',
    it => it.deliverToSms('X', '+15550100', { rawMessageDelivery: true } as object),
    'rawMessageDelivery must be absent, because SNS cannot deliver by sms without the envelope, got true',
    plainSubscription({ protocol: 'sms', endpoint: '+15550100', rawMessageDelivery: true }),
  ),
];

export const REFUSED_DELIVERIES: readonly Refused[] = [
  ...TOPICS,
  ...RECIPIENTS,
  ...DEAD_LETTERS,
  ...ADDED,
  ...FILTERS,
  ...ENDPOINTS,
];

/** What SNS rejects of a delivery policy: every rule has its own test in test/policy. */
const POLICIES: readonly [DeliveryPolicy, string, Partial<CfnSubscriptionProps>['deliveryPolicy']][] = [
  [
    { healthyRetryPolicy: { numRetries: 101 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
    { healthyRetryPolicy: { numRetries: 101, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numRetries: 1.5 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be a whole number, got 1.5',
    { healthyRetryPolicy: { numRetries: 1.5, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { minDelayTarget: Duration.seconds(21) } },
    'deliveryPolicy.healthyRetryPolicy.minDelayTarget must be less than or equal to maxDelayTarget (20, the default), got 21',
    { healthyRetryPolicy: { numRetries: 3, minDelayTarget: 21, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numRetries: 2, numMinDelayRetries: 3 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries (3 + 0 + 0 = 3), got 2',
    { healthyRetryPolicy: { numRetries: 2, numMinDelayRetries: 3, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numNoDelayRetries: 5 } },
    'deliveryPolicy.healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries (0 + 5 + 0 = 5), got 3 (the default)',
    { healthyRetryPolicy: { numRetries: 3, numNoDelayRetries: 5, minDelayTarget: 20, maxDelayTarget: 20 } },
  ],
  [
    { healthyRetryPolicy: { numRetries: 100, minDelayTarget: Duration.hours(1), maxDelayTarget: Duration.hours(1) } },
    'deliveryPolicy.healthyRetryPolicy must spend at most 3600 seconds in the delays of all its retries together, got 360000',
    { healthyRetryPolicy: { numRetries: 100, minDelayTarget: 3_600, maxDelayTarget: 3_600 } },
  ],
  [
    { throttlePolicy: { maxReceivesPerSecond: 0 } },
    'deliveryPolicy.throttlePolicy.maxReceivesPerSecond must be greater than or equal to 1, got 0',
    { throttlePolicy: { maxReceivesPerSecond: 0 } },
  ],
];

const policyOf = (deliveryPolicy: DeliveryPolicy) => (stack: Stack) =>
  new TopicDeliveryPolicy(stack, 'It', { topic: new Topic(stack, 'Topic'), deliveryPolicy });

const NO_TOPIC_POLICY = 'CloudFormation has no such thing';
const CSV = { requestPolicy: { headerContentType: 'text/csv' } };
const CONTENT_TYPE = 'deliveryPolicy.requestPolicy.headerContentType must be one of application/json, text/plain';

export const REFUSED_POLICIES: readonly Refused[] = [
  ...POLICIES.flatMap(([deliveryPolicy, line, plain]): Refused[] => [
    endpoint(URL, { deliveryPolicy }, line, plainSubscription({ deliveryPolicy: plain })),
    {
      what: `TopicDeliveryPolicy ${line}`,
      act: policyOf(deliveryPolicy),
      line,
      aws: NO_TOPIC_POLICY,
    },
  ]),
  endpoint(
    URL,
    { deliveryPolicy: {} },
    'deliveryPolicy must have at least one of healthyRetryPolicy, throttlePolicy, requestPolicy, got {}',
    plainSubscription({ deliveryPolicy: {} }),
  ),
  endpoint(
    URL,
    { deliveryPolicy: CSV },
    `${CONTENT_TYPE} while raw message delivery is off, got "text/csv"`,
    plainSubscription({ deliveryPolicy: CSV }),
  ),
  {
    what: 'TopicDeliveryPolicy of a content type for raw messages alone',
    act: policyOf(CSV),
    line: `${CONTENT_TYPE} at a topic, got "text/csv"`,
    aws: NO_TOPIC_POLICY,
  },
  {
    what: 'TopicDeliveryPolicy that says nothing',
    act: policyOf({}),
    line: 'deliveryPolicy must have at least one of healthyRetryPolicy, throttlePolicy, requestPolicy, disableSubscriptionOverrides, got {}',
    aws: NO_TOPIC_POLICY,
  },
  {
    what: 'TopicDeliveryPolicy with a switch that is neither true nor false',
    act: stack =>
      new TopicDeliveryPolicy(stack, 'It', {
        topic: new Topic(stack, 'Topic'),
        disableSubscriptionOverrides: 'yes' as unknown as boolean,
        deliveryPolicy: { throttlePolicy: { maxReceivesPerSecond: 1 } },
      }),
    line: 'disableSubscriptionOverrides must be true or false, got "yes"',
    aws: NO_TOPIC_POLICY,
  },
  {
    what: 'TopicDeliveryPolicy of a topic that has one',
    act: stack => {
      const it = new Topic(stack, 'Topic');
      const deliveryPolicy = { throttlePolicy: { maxReceivesPerSecond: 1 } };
      new TopicDeliveryPolicy(stack, 'One', { topic: it, deliveryPolicy });
      return new TopicDeliveryPolicy(stack, 'Other', { topic: it, deliveryPolicy });
    },
    line: 'topic must have no other TopicDeliveryPolicy, because one would overwrite the other, got "Stack/One"',
    aws: OURS,
  },
  {
    what: 'TopicDeliveryPolicy of a topic in another Region',
    act: stack => {
      const it = Topic.fromTopicArn(stack, 'Topic', arn('sns', 'orders', OTHER_REGION_ENV));
      const deliveryPolicy = { throttlePolicy: { maxReceivesPerSecond: 1 } };
      return new TopicDeliveryPolicy(stack, 'It', { topic: it, deliveryPolicy });
    },
    line: 'topic must be in the Region of the stack, us-east-1, got "eu-west-1"',
    aws: ONE_PLACE,
  },
];
