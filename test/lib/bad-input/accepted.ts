import { Annotations, CfnResource, Duration, type Stack } from 'aws-cdk-lib';
import { Alarm, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { FilterCriteria, FilterRule, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LoggingProtocol, SubscriptionFilter, Topic } from 'aws-cdk-lib/aws-sns';
import { SmsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import {
  DeadLetterQueue,
  DeliveryStatusLogging,
  DurableTopic,
  type DurableTopicProps,
  FunctionFailures,
  HttpRelay,
  ImportedTopic,
  OpsDashboard,
  OpsTopic,
  ProcessingQueue,
  type ProcessingQueueProps,
  Redrive,
  RedriveDestination,
  RedriveLane,
  type RedriveProps,
  RelayEndpoint,
  TopicDeliveryPolicy,
} from '../../../lib';
import type { WarningId } from '../../../lib/shared/checks';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { vpcIn } from '../../support/vpc';
import { numberToken, opsTopic } from '../support';
import { type Act, arn, importedQueue, OTHER_ACCOUNT_ENV, URL } from './refused';

const oneOf = (count: number) =>
  SubscriptionFilter.stringFilter({ allowlist: Array.from({ length: count }, (_, index) => `${index}`) });

/** The lowest and highest valid values of everything with a limit. The next value is in the table of refused input. */
export const ACCEPTED: Readonly<Record<string, Act>> = {
  'the least of a queue': stack =>
    new DeadLetterQueue(stack, 'It', {
      retentionPeriod: Duration.seconds(60),
      visibilityTimeout: Duration.seconds(0),
      deliveryDelay: Duration.seconds(0),
      receiveMessageWaitTime: Duration.seconds(0),
      maxMessageSizeBytes: 1_024,
      timeToRespond: Duration.seconds(60),
      unattendedAfter: Duration.hours(1),
    }),
  'the most of a queue': stack =>
    new DeadLetterQueue(stack, 'It', {
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.hours(12),
      deliveryDelay: Duration.minutes(15),
      receiveMessageWaitTime: Duration.seconds(20),
      maxMessageSizeBytes: 1_048_576,
      timeToRespond: Duration.days(14),
      unattendedAfter: Duration.days(7),
    }),
  'the longest name of a queue, and the most sources it allows': stack =>
    new DeadLetterQueue(stack, 'It', {
      queueName: 'x'.repeat(80),
      redriveAllowPolicy: { sourceQueues: Array.from({ length: 10 }, (_, i) => new Queue(stack, `Source${i}`)) },
    }),
  'the longest names of FIFO queues, and the settings of high throughput': stack =>
    new ProcessingQueue(stack, 'It', {
      queueName: `${'x'.repeat(75)}.fifo`,
      deadLetterQueueName: `${'y'.repeat(75)}.fifo`,
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
    }),
  'one receive, of a message that is seen again a second later than its consumer takes': stack =>
    new ProcessingQueue(stack, 'It', {
      maxReceiveCount: 1,
      consumerTimeout: Duration.seconds(29),
      ageAlarmThreshold: Duration.seconds(1),
    }),
  'a thousand receives': stack =>
    new ProcessingQueue(stack, 'It', { maxReceiveCount: 1_000, ageAlarmThreshold: Duration.days(14) }),
  'a function that takes as long as its messages are invisible': stack =>
    new ProcessingQueue(stack, 'It').addFunctionConsumer(
      inlineFunction(stack, 'F', 'exports.handler = async () => {};', { timeout: Duration.seconds(30) }),
    ),
  'the least of a function’s retries': stack =>
    new FunctionFailures(stack, 'It', {
      handler: inlineFunction(stack, 'F', 'exports.handler = async () => {};'),
      retryAttempts: 0,
      maxEventAge: Duration.seconds(60),
    }),
  'the most of a function’s retries': stack =>
    new FunctionFailures(stack, 'It', {
      handler: inlineFunction(stack, 'F', 'exports.handler = async () => {};'),
      retryAttempts: 2,
      maxEventAge: Duration.hours(6),
    }),
  'the longest name of a topic': stack =>
    new DurableTopic(stack, 'It', { topicName: 'x'.repeat(256), displayName: 'x'.repeat(100), signatureVersion: '2' }),
  'the longest name of a FIFO topic': stack =>
    new DurableTopic(stack, 'It', { topicName: 'x'.repeat(251), fifo: true, contentBasedDeduplication: true }),
  'the least of a log': stack => new DurableTopic(stack, 'It', { deliveryStatusLogging: { successSampleRate: 0 } }),
  'the most of a log': stack => new DurableTopic(stack, 'It', { deliveryStatusLogging: { successSampleRate: 100 } }),
  'a mailbox': stack => new OpsTopic(stack, 'It', { email: 'ops@example.com' }),
  'a hundred retries in an hour': stack =>
    new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, {
      deliveryPolicy: {
        healthyRetryPolicy: {
          numRetries: 100,
          minDelayTarget: Duration.seconds(36),
          maxDelayTarget: Duration.seconds(36),
        },
        throttlePolicy: { maxReceivesPerSecond: 1 },
        requestPolicy: { headerContentType: 'text/plain' },
      },
    }),
  'no retry': stack =>
    new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, {
      deliveryPolicy: { healthyRetryPolicy: { numRetries: 0 } },
    }),
  'five names': stack =>
    new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, {
      filterPolicy: Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map(name => [name, SubscriptionFilter.existsFilter()]),
      ),
    }),
  'a hundred and fifty combinations of values': stack =>
    new DurableTopic(stack, 'It').deliverToEndpoint('X', URL, { filterPolicy: { a: oneOf(75), b: oneOf(2) } }),
  'the least of a lane': stack =>
    new RedriveLane(stack, 'It', {
      handler: newFunction(stack),
      maxReceiveCount: 1,
      maximumConcurrency: 2,
      batchSize: 1,
      retentionPeriod: Duration.seconds(60),
    }),
  'the most of a lane': stack =>
    new RedriveLane(stack, 'It', {
      handler: newFunction(stack),
      maxReceiveCount: 1_000,
      maximumConcurrency: 1_000,
      batchSize: 10,
      visibilityTimeout: Duration.hours(12),
      retentionPeriod: Duration.days(14),
    }),
};

/** Alarm actions, so that a row gets no other warning. */
const actionsIn = (stack: Stack) => [opsTopic(stack)];

const topicIn = (stack: Stack, props: DurableTopicProps = {}) =>
  new DurableTopic(stack, 'Topic', { alarmActions: actionsIn(stack), ...props });

/** A queue with an imported dead-letter queue. */
const careful = (stack: Stack, id: string, props: QueueProps = {}) => {
  const queue = Queue.fromQueueArn(stack, `${id}Dlq`, arn('sqs', props.fifo ? 'dlq.fifo' : 'dlq'));
  return new Queue(stack, id, { ...props, deadLetterQueue: { queue, maxReceiveCount: 5 } });
};

/** The properties of a redrive for a queue and its dead-letter queue. */
function orders(stack: Stack, props: ProcessingQueueProps = {}): RedriveProps {
  const alarmActions = actionsIn(stack);
  const queue = new ProcessingQueue(stack, 'Orders', { alarmActions, ...props });
  return { deadLetterQueue: queue.deadLetters, destination: RedriveDestination.queue(queue), alarmActions };
}

const alarmOn = (stack: Stack, metric: IMetric, treatMissingData?: TreatMissingData) =>
  new Alarm(stack, 'Alarm', {
    metric,
    threshold: 1,
    evaluationPeriods: 1,
    ...(treatMissingData && { treatMissingData }),
  });

const ANY = { filterPolicy: { any: SubscriptionFilter.existsFilter() } };
const POLICY = { deliveryPolicy: { throttlePolicy: { maxReceivesPerSecond: 1 } } };

/** Adds many deliveries with one dead-letter queue. */
function crowd(
  topic: DurableTopic,
  deliver: (id: string, options: { deadLetterQueue: DeadLetterQueue }) => unknown,
): void {
  const { stack, fifo } = topic;
  const watched = { alarmActions: [opsTopic(stack, 'Others')] };
  const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq', fifo ? { ...watched, fifo } : watched);
  for (let i = 0; i < (fifo ? 101 : 201); i += 1) deliver(`Crowd${i}`, { deadLetterQueue });
}

/** For each warning, a choice that causes only this warning. */
export const WARNED: Readonly<Record<WarningId, Act>> = {
  'age-alarm-never-fires': stack =>
    new ProcessingQueue(stack, 'It', { retentionPeriod: Duration.hours(1), alarmActions: actionsIn(stack) }),
  'alarm-action-of-another-account': stack => {
    const alarmActions = [new SnsAction(Topic.fromTopicArn(stack, 'Ops', arn('sns', 'ops', OTHER_ACCOUNT_ENV)))];
    return new DeadLetterQueue(stack, 'It', { alarmActions });
  },
  'alarm-tells-nobody': stack => new DeadLetterQueue(stack, 'It'),
  'alarm-topic-closed': stack =>
    new DeadLetterQueue(stack, 'It', { alarmActions: [new SnsAction(new Topic(stack, 'Ops', { enforceSSL: true }))] }),
  'alarm-topic-fifo': stack => {
    Annotations.of(stack).acknowledgeWarning('dead-letter-office:ops-topic-unheard', 'It is the other row.');
    return new DeadLetterQueue(stack, 'It', { alarmActions: [new OpsTopic(stack, 'Ops', { fifo: true })] });
  },
  'breaker-alarm-full': stack => {
    const endpoint = RelayEndpoint.fromUrl('https://partner.example.com/orders');
    for (let index = 0; index <= 5; index += 1) {
      new HttpRelay(stack, `Relay${index}`, { endpoint, alarmActions: [opsTopic(stack, `Ops${index}`)] });
    }
  },
  'confirmation-needed': stack =>
    topicIn(stack).deliverToPush('X', arn('sns', 'endpoint/GCM/Rental/1', OTHER_ACCOUNT_ENV)),
  'cross-region-unsupported': stack =>
    topicIn(stack).deliverToPush('X', 'arn:aws:sns:eu-west-1:123456789012:endpoint/GCM/Rental/1'),
  'dashboard-shows-nothing': stack => new OpsDashboard(stack, 'It'),
  'dead-letter-queue-of-another-type': stack => {
    const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq', { fifo: true, alarmActions: actionsIn(stack) });
    const topic = new DurableTopic(stack, 'Topic', { fifo: true, alarmActions: [opsTopic(stack, 'Others')] });
    return topic.deliverToQueue('X', careful(stack, 'Queue'), { deadLetterQueue });
  },
  'dead-letters-expire-early': stack =>
    new ProcessingQueue(stack, 'It', { retentionPeriod: Duration.days(14), alarmActions: actionsIn(stack) }),
  'dead-letters-kept-too-short': stack =>
    new DeadLetterQueue(stack, 'It', { retentionPeriod: Duration.days(2), alarmActions: actionsIn(stack) }),
  'dead-letters-unencrypted': stack =>
    new DeadLetterQueue(stack, 'It', { encryption: QueueEncryption.UNENCRYPTED, alarmActions: actionsIn(stack) }),
  'dead-letters-unwatched': stack =>
    topicIn(stack).deliverToEndpoint('X', URL, { deadLetterQueue: new Queue(stack, 'Dlq') }),
  'delivery-policy-overridden': stack =>
    topicIn(stack, { ...POLICY, disableSubscriptionOverrides: true }).deliverToEndpoint('X', URL, POLICY),
  'delivery-policy-without-effect': stack =>
    new TopicDeliveryPolicy(stack, 'It', { topic: new Topic(stack, 'Topic', { fifo: true }), ...POLICY }),
  'expires-before-last-receive': stack =>
    new ProcessingQueue(stack, 'It', {
      visibilityTimeout: Duration.hours(12),
      maxReceiveCount: 8,
      alarmActions: actionsIn(stack),
    }),
  'duration-not-known': stack =>
    new DeadLetterQueue(stack, 'It', {
      timeToRespond: Duration.seconds(numberToken()),
      alarmActions: actionsIn(stack),
    }),
  'endpoint-unreachable': stack => topicIn(stack).deliverToEndpoint('X', 'https://10.0.0.1/orders'),
  'feeder-unknown': stack => {
    const queue = new DeadLetterQueue(stack, 'It', { alarmActions: actionsIn(stack) });
    return new Queue(stack, 'Source', { deadLetterQueue: { queue, maxReceiveCount: 3 } });
  },
  'fifo-subscriptions-quota': stack => {
    const topic = topicIn(stack, { fifo: true });
    crowd(topic, (id, options) => topic.deliverToQueue(id, careful(stack, id, { fifo: true }), options));
  },
  'filter-policies-quota': stack => {
    const topic = topicIn(stack);
    crowd(topic, (id, options) => topic.deliverToEndpoint(id, `https://${id}.example.com`, { ...ANY, ...options }));
  },
  'filters-delete-messages': stack =>
    new ProcessingQueue(stack, 'It', { alarmActions: actionsIn(stack) }).addFunctionConsumer(
      newFunction(stack, { timeout: Duration.seconds(5) }),
      { filters: [FilterCriteria.filter({ body: { kind: FilterRule.isEqual('order') } })] },
    ),
  'function-keeps-nothing': stack =>
    topicIn(stack).deliverToFunction('X', newFunction(stack, { timeout: Duration.seconds(5) })),
  'function-policy-not-writable': stack =>
    topicIn(stack).deliverToFunction(
      'X',
      LambdaFunction.fromFunctionAttributes(stack, 'Function', {
        functionArn: arn('lambda', 'function:x'),
        sameEnvironment: false,
      }),
    ),
  'key-of-another-account': stack => {
    const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', arn('kms', 'key/letters', OTHER_ACCOUNT_ENV));
    return new DeadLetterQueue(stack, 'It', { encryptionMasterKey, alarmActions: actionsIn(stack) });
  },
  'key-policy-not-writable': stack => {
    const encryptionMasterKey = Key.fromKeyArn(stack, 'Key', arn('kms', 'key/1234abcd-12ab-34cd-56ef-1234567890ab'));
    return topicIn(stack).deliverToQueue('X', careful(stack, 'Queue', { encryptionMasterKey }));
  },
  'logging-unused': stack => new DeliveryStatusLogging(stack, 'It', { topic: new Topic(stack, 'Topic') }),
  'logging-without-role': stack => topicIn(stack).addLoggingConfig({ protocol: LoggingProtocol.SQS }),
  'losses-counted-elsewhere': stack => {
    Annotations.of(stack).acknowledgeWarning('dead-letter-office:topic-of-another-account', 'It is the other row.');
    const topic = Topic.fromTopicArn(stack, 'Topic', arn('sns', 'orders', OTHER_ACCOUNT_ENV));
    return new ImportedTopic(stack, 'It', { topic, alarmActions: actionsIn(stack) }).deliverToEndpoint('X', URL);
  },
  'no-dead-letter-queue': stack => topicIn(stack).addSubscription(new UrlSubscription(URL)),
  'ops-topic-unheard': stack => new OpsTopic(stack, 'It'),
  'phone-number-without-country-code': stack => topicIn(stack).deliverToSms('X', '5550100'),
  'policy-nearly-too-large': stack => {
    const deadLetterQueue = new DeadLetterQueue(stack, 'It', { alarmActions: actionsIn(stack) });
    for (let i = 0; i < 100; i += 1) deadLetterQueue.fedBy(new Topic(stack, `Topic${i}`));
  },
  'private-ranges-without-vpc': stack =>
    new HttpRelay(stack, 'It', {
      endpoint: RelayEndpoint.fromUrl('https://10.1.2.3/orders'),
      allowedPrivateRanges: ['10.0.0.0/8'],
      alarmActions: actionsIn(stack),
    }),
  'queue-keeps-nothing': stack => topicIn(stack).deliverToQueue('X', new Queue(stack, 'Queue')),
  'queue-policy-not-writable': stack => topicIn(stack).deliverToQueue('X', importedQueue(stack)),
  'redrive-after-expiry': stack =>
    new Redrive(stack, 'It', {
      ...orders(stack),
      schedules: [ScheduleExpression.rate(Duration.days(10)), ScheduleExpression.rate(Duration.days(15))],
    }),
  'redrive-bars-itself': stack => {
    const { deadLetterQueue, ...others } = orders(stack);
    const waiting = deadLetterQueue.metricApproximateNumberOfMessagesVisible();
    const healthAlarms = [alarmOn(stack, waiting, TreatMissingData.NOT_BREACHING)];
    return new Redrive(stack, 'It', { deadLetterQueue, ...others, healthAlarms });
  },
  'redrive-by-hand-alone': stack => new Redrive(stack, 'It', { ...orders(stack), enabled: true }),
  'redrive-judged-too-soon': stack =>
    new Redrive(stack, 'It', {
      ...orders(stack, { visibilityTimeout: Duration.seconds(37) }),
      settle: Duration.seconds(184),
    }),
  'redrive-reorders': stack => new Redrive(stack, 'It', { ...orders(stack, { fifo: true }), allowFifo: true }),
  'redrive-shut-without-data': stack => {
    const errors = new Metric({ namespace: 'Shop', metricName: 'Errors' });
    return new Redrive(stack, 'It', { ...orders(stack), recoveryAlarms: [alarmOn(stack, errors)] });
  },
  'redrive-source-unknown': stack =>
    new Redrive(stack, 'It', { ...orders(stack), deadLetterQueue: importedQueue(stack) }),
  'relay-without-tls': stack =>
    new HttpRelay(stack, 'It', {
      endpoint: RelayEndpoint.fromUrl('http://10.1.2.3/orders'),
      allowedPrivateRanges: ['10.0.0.0/8'],
      vpc: vpcIn(stack),
      alarmActions: actionsIn(stack),
    }),
  'sms-without-dead-letter-queue': stack => topicIn(stack).addSubscription(new SmsSubscription('+15550100')),
  'stack-nearly-full': stack => {
    stack.node.setContext('@aws-cdk/core:stackResourceLimit', 20);
    const resources = () => stack.node.findAll().filter(it => CfnResource.isCfnResource(it));
    const queue = new DeadLetterQueue(stack, 'It', { alarmActions: actionsIn(stack) });
    for (let n = resources().length; n < 20; n += 1) new StringParameter(stack, `Value${n}`, { stringValue: 'It' });
    return queue;
  },
  'too-few-receives': stack =>
    new ProcessingQueue(stack, 'It', { maxReceiveCount: 4, alarmActions: actionsIn(stack) }).addFunctionConsumer(
      newFunction(stack, { timeout: Duration.seconds(5) }),
    ),
  'topic-of-another-account': stack =>
    new TopicDeliveryPolicy(stack, 'It', {
      topic: Topic.fromTopicArn(stack, 'Topic', arn('sns', 'orders', OTHER_ACCOUNT_ENV)),
      ...POLICY,
    }),
  'visibility-too-short': stack =>
    new ProcessingQueue(stack, 'It', { alarmActions: actionsIn(stack) }).addFunctionConsumer(
      newFunction(stack, { timeout: Duration.seconds(6) }),
    ),
};
