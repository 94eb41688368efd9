import { Duration, type Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  FilterOrPolicy,
  LoggingProtocol,
  Subscription,
  SubscriptionFilter,
  SubscriptionProtocol,
  Topic,
} from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic, HttpRelay, RelayEndpoint } from '../../../../lib';
import { inlineFunction } from '../../../support/inline-function';
import { logFailures, loggingRole } from '../../../support/status-logging';

export const PARTNER = 'https://partner.example.com/orders';

/** Throws at what it gets. */
const THROWS = `exports.handler = async () => { throw new Error('no such order: ' + Math.random()); };`;

/** Takes five seconds. */
const DAWDLES = 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 5_000));';

/**
 * Adds plain L2 constructs with one dead-letter queue for all. A topic that logs has these subscribers: a queue whose policy denies
 * it, a queue whose key denies it, a queue that is deleted later and filters by the body, an endpoint, and a function that throws. A queue
 * has a function that takes too long.
 */
export function plainOrders(stack: Stack): void {
  const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
  const topic = new Topic(stack, 'Orders');
  logFailures(topic, [LoggingProtocol.SQS, LoggingProtocol.HTTP]);
  const bills = new Queue(stack, 'Bills');
  const key = new Key(stack, 'Key');
  const parcels = new Queue(stack, 'Parcels', { encryption: QueueEncryption.KMS, encryptionMasterKey: key });
  parcels.addToResourcePolicy(
    new PolicyStatement({
      actions: ['sqs:SendMessage'],
      principals: [new ServicePrincipal('sns.amazonaws.com')],
      resources: [parcels.queueArn],
    }),
  );
  for (const [id, queue] of Object.entries({ ToBills: bills, ToParcels: parcels })) {
    const endpoint = queue.queueArn;
    new Subscription(stack, id, { topic, endpoint, protocol: SubscriptionProtocol.SQS, deadLetterQueue: dead });
  }
  topic.addSubscription(
    new SqsSubscription(new Queue(stack, 'Gone', { queueName: 'gone' }), {
      deadLetterQueue: dead,
      filterPolicyWithMessageBody: { order: FilterOrPolicy.filter(SubscriptionFilter.existsFilter()) },
    }),
  );
  topic.addSubscription(new UrlSubscription(PARTNER, { deadLetterQueue: dead }));
  const clerk = inlineFunction(stack, 'Clerk', THROWS, { deadLetterQueue: dead, retryAttempts: 0 });
  topic.addSubscription(new LambdaSubscription(clerk, { deadLetterQueue: dead }));
  const work = new Queue(stack, 'Work', {
    visibilityTimeout: Duration.seconds(10),
    deadLetterQueue: { queue: dead, maxReceiveCount: 1 },
  });
  inlineFunction(stack, 'Dawdler', DAWDLES, { timeout: Duration.seconds(3) }).addEventSource(new SqsEventSource(work));
}

/** The host of the relay's endpoint. */
export const BANK = 'bank.example.com';

/**
 * Adds these, each with its own dead-letter queue: a topic that logs nothing, a topic with raw delivery and a rule, all to queues
 * that deny every sender; and one of our relays.
 */
export function tellersOfOneStory(stack: Stack): void {
  const failureFeedbackRole = loggingRole(stack);
  for (const [id, rawMessageDelivery] of [
    ['Quiet', false],
    ['Bare', true],
  ] as const) {
    const deadLetterQueue = new Queue(stack, `${id}Dead`);
    const topic = new Topic(stack, id);
    const endpoint = new Queue(stack, `${id}Bills`).queueArn;
    const protocol = SubscriptionProtocol.SQS;
    new Subscription(stack, `${id}ToBills`, { topic, endpoint, protocol, deadLetterQueue, rawMessageDelivery });
    if (rawMessageDelivery) topic.addLoggingConfig({ protocol: LoggingProtocol.SQS, failureFeedbackRole });
  }
  const ruled = new Queue(stack, 'Ruled');
  const target = new SqsQueue(ruled, { deadLetterQueue: new Queue(stack, 'RuledDead'), retryAttempts: 0 });
  new Rule(stack, 'Rule', { eventPattern: { source: ['shop'] }, targets: [target] });
  const relay = new HttpRelay(stack, 'Bank', { endpoint: RelayEndpoint.fromUrl(`https://${BANK}/bills`) });
  new DurableTopic(stack, 'Payments').deliverToQueue('Bank', relay.queue);
}
