import { Duration } from 'aws-cdk-lib';
import { SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { DeduplicationScope, FifoThroughputLimit, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, FunctionFailures, OpsTopic, ProcessingQueue, RedriveLane } from '../../../lib';
import { inlineFunction, newFunction } from '../../support/inline-function';
import { type Act, URL } from './refused';

const oneOf = (count: number) =>
  SubscriptionFilter.stringFilter({ allowlist: Array.from({ length: count }, (_, index) => `${index}`) });

/** The least and the most there can be of everything that has a limit: what stands next to it is refused. */
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
