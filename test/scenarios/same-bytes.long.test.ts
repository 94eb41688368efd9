import { createHash } from 'node:crypto';
import { StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { response } from '../../local';
import { assemblyOfStack } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const PARTNER = 'partner.example.com';

/** Fails on about a third of its messages at random, and logs when. */
const CONSUMER = `exports.handler = async ({ Records }) => {
  const failed = Records.findIndex(() => Math.random() < 0.3);
  console.log(new Date().toISOString(), Records.length, failed);
  const rest = failed === -1 ? [] : Records.slice(failed);
  return { batchItemFailures: rest.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

/** Invalid JSON whose parser error differs between releases of Node.js. */
const POISON = '{"invoice": 20,\n poison';

/** Parses each message as JSON. */
const READER = `exports.handler = async ({ Records }) => {
  for (const { body } of Records) console.log(JSON.parse(body).invoice);
};`;

/** Throws for one message in four. */
const SUBSCRIBER = `exports.handler = async ({ Records: [{ Sns }] }) => {
  await new Promise(resolve => setTimeout(resolve, 1_000 * Math.random()));
  if (Math.random() < 0.25) throw new Error('cannot take ' + Sns.MessageId);
};`;

/**
 * Adds a FIFO topic, its queue and consumer; a topic with a queue whose consumer reads JSON; a topic with a function and a partner;
 * dead-letter queues for all of them.
 */
function everything(stack: Stack): void {
  const fifo = { fifo: true, contentBasedDeduplication: true };
  const ledgerDlq = new Queue(stack, 'LedgerDlq', { fifo: true });
  const ledger = new Queue(stack, 'Ledger', {
    fifo: true,
    visibilityTimeout: Duration.seconds(30),
    deadLetterQueue: { queue: ledgerDlq, maxReceiveCount: 3 },
  });
  const payments = new Topic(stack, 'Payments', fifo);
  payments.addSubscription(new SqsSubscription(ledger, { rawMessageDelivery: true }));
  const consumer = inlineFunction(stack, 'Consumer', CONSUMER, { timeout: Duration.seconds(5) });
  consumer.addEventSource(new SqsEventSource(ledger, { batchSize: 5, reportBatchItemFailures: true }));

  const invoices = new Queue(stack, 'Invoices', {
    visibilityTimeout: Duration.minutes(2),
    deadLetterQueue: { queue: new Queue(stack, 'InvoicesDlq'), maxReceiveCount: 2 },
  });
  const reader = inlineFunction(stack, 'Reader', READER);
  reader.addEventSource(new SqsEventSource(invoices, { batchSize: 1 }));
  const events = new Topic(stack, 'Events');
  events.addSubscription(new SqsSubscription(invoices, { rawMessageDelivery: true }));

  const orders = new Topic(stack, 'Orders');
  const ordersDlq = new Queue(stack, 'OrdersDlq');
  const subscriber = inlineFunction(stack, 'Subscriber', SUBSCRIBER, { deadLetterQueue: ordersDlq });
  orders.addSubscription(new LambdaSubscription(subscriber));
  orders.addSubscription(
    new UrlSubscription(`https://${PARTNER}/orders`, {
      protocol: SubscriptionProtocol.HTTPS,
      deadLetterQueue: ordersDlq,
    }),
  );
  ordersDlq
    .metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' })
    .createAlarm(stack, 'Dead', { threshold: 1, evaluationPeriods: 1 });
  for (const [name, queue] of Object.entries({ Ledger: ledger, LedgerDlq: ledgerDlq })) {
    new CfnOutput(stack, `${name}Arn`, { value: queue.queueArn });
  }
}

const assembly = assemblyOfStack(everything);

/** Plays an hour in which the partner fails at random, then redrives the dead payments. */
async function play(seed: number): Promise<Deployed> {
  const deployed = await Deployed.assembly(assembly, { seed, sns: { jitter: true } });
  const { aws } = deployed;
  aws.confirmSubscription(`https://${PARTNER}/orders`);
  const chance = aws.random('partner');
  aws
    .endpoint(PARTNER)
    .behave(...Array.from({ length: 60 }, () => ({ reply: response(chance.fraction() < 0.5 ? 503 : 200), count: 1 })));
  for (let minute = 0; minute < 60; minute += 1) {
    await deployed.publish('Payments', `payment ${minute}`, { MessageGroupId: `account-${minute % 4}` });
    await deployed.publish('Orders', `order ${minute}`);
    if (minute % 20 === 0) await deployed.publish('Events', minute === 20 ? POISON : `{"invoice": ${minute}}`);
    await aws.advance({ minutes: 1 });
  }
  await aws.advance({ minutes: 30 });
  await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn: aws.output('LedgerDlqArn') }));
  await aws.advance({ hours: 1 });
  return deployed;
}

const bytesOf = ({ aws }: Deployed): string => aws.trace.toJsonLines();

describe('an hour of FIFO, functions and HTTP, with chance at work in all of them', () => {
  test('writes the bytes on record for a seed, on every release of Node, and others for another', async () => {
    const [once, another] = [await play(7), await play(8)];
    expect(bytesOf(another)).not.toBe(bytesOf(once));
    // Whoever plays it, on whatever release of Node.
    expect(createHash('sha256').update(bytesOf(once)).digest('hex')).toMatchInlineSnapshot(
      `"4ee9c1f3f173dd56150fe6f720b49f91e954ad7e10cb5f92579bc0245cfb2f62"`,
    );
    const reported = once.happened('lambda.finished').map(({ errorMessage }) => errorMessage);
    expect(reported).toContain('Expected double-quoted property name in JSON at position 17 (line 2 column 2)');
    const types = new Set(once.aws.trace.events.map(({ type }) => type));
    expect([...types]).toEqual(
      expect.arrayContaining([
        'sns.attempt',
        'sns.dead-lettered',
        'sqs.dead-lettered',
        'lambda.finished',
        'sqs.move-task-ended',
        'cloudwatch.alarm-state-changed',
      ]),
    );
  });
});
