import { Duration, type Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { inlineFunction } from '../../../support/inline-function';

/** Logs each message, and fails on poison. */
const WORKER = `exports.handler = async event => {
  for (const it of event.Records ?? [event]) {
    const text = it.body ?? it.Sns?.Message ?? JSON.stringify(it);
    if (text.includes('poison')) throw new Error('indigestible');
    console.log('done: ' + text);
  }
};`;

export const PARTNER = 'https://partner.example.com/news';

/**
 * Adds plain L2 constructs: a queue with a consumer and a dead-letter queue; a topic with a queue, a raw queue, a function and
 * an endpoint, each with its own dead-letter queue; a function that is invoked asynchronously; and FIFO queues.
 */
export function plainShop(stack: Stack): void {
  const dead = new Queue(stack, 'Dead', { retentionPeriod: Duration.days(14) });
  const orders = new Queue(stack, 'Orders', {
    visibilityTimeout: Duration.seconds(10),
    deadLetterQueue: { queue: dead, maxReceiveCount: 2 },
  });
  const worker = inlineFunction(stack, 'Worker', WORKER);
  worker.addEventSource(new SqsEventSource(orders, { batchSize: 1 }));
  const news = new Topic(stack, 'News');
  const [inbox, rawInbox] = [new Queue(stack, 'Inbox'), new Queue(stack, 'RawInbox')];
  news.addSubscription(new SqsSubscription(inbox, { deadLetterQueue: new Queue(stack, 'InboxDead') }));
  const clerk = inlineFunction(stack, 'Clerk', WORKER);
  news.addSubscription(new LambdaSubscription(clerk, { deadLetterQueue: new Queue(stack, 'ClerkDead') }));
  news.addSubscription(new UrlSubscription(PARTNER, { deadLetterQueue: new Queue(stack, 'PartnerDead') }));
  news.addSubscription(new SqsSubscription(rawInbox, { rawMessageDelivery: true }));
  inlineFunction(stack, 'Printer', WORKER, { deadLetterQueue: new Queue(stack, 'PrinterDead'), retryAttempts: 0 });
  const fifoDead = new Queue(stack, 'FifoDead', { fifo: true });
  new Queue(stack, 'Fifo', { fifo: true, deadLetterQueue: { queue: fifoDead, maxReceiveCount: 3 } });
  new Queue(stack, 'Lonely');
}
