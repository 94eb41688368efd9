import { LambdaClient, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import {
  EmailSubscription,
  LambdaSubscription,
  SqsSubscription,
  UrlSubscription,
} from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { isoInstant, type ListenOptions, response } from '../../local';
import { assemblyOf } from './assembly';
import { Deployed } from './deployed';
import { inlineFunction } from './inline-function';
import { logFailures } from './status-logging';

const CARRIER = 'hooks.carrier.example.com';
export const CARRIER_URL = `https://${CARRIER}/orders`;

/** Code of a function that logs each order after this many milliseconds. */
const does = (done: string, milliseconds: number) => `exports.handler = async ({ Records }) => {
  for (const { body, Sns } of Records) {
    const { Message } = Sns ?? JSON.parse(body);
    await new Promise(resolve => setTimeout(resolve, ${milliseconds}));
    console.log('${done} ' + Message);
  }
};`;

/** The functions that process each order, and what they log. */
const DONE = { invoicing: 'invoiced', picking: 'picked', mailing: 'mailed' } as const;

export type Consumer = keyof typeof DONE;

export const DEAD_LETTER_QUEUES = ['invoices-dlq', 'picking-dlq', 'mailing-dlq', 'carrier-dlq'] as const;

export const CONSUMERS = Object.keys(DONE) as readonly Consumer[];

/**
 * A shop of plain L2 constructs. A topic logs failed deliveries. It delivers to a queue (whose subscription has a dead-letter
 * queue), to a queue with its own dead-letter queue, to a function, and to an endpoint. One of the four dead-letter queues has
 * an alarm.
 */
function nightShop(stack: Stack): void {
  const deadLetters = (queueName: string, retentionPeriod = Duration.days(4)) =>
    new Queue(stack, queueName, { queueName, retentionPeriod });
  const orders = new Topic(stack, 'orders', { topicName: 'orders' });
  logFailures(orders, [LoggingProtocol.SQS, LoggingProtocol.HTTP]);

  const invoices = new Queue(stack, 'invoices', { queueName: 'invoices' });
  orders.addSubscription(new SqsSubscription(invoices, { deadLetterQueue: deadLetters('invoices-dlq') }));
  const invoicing = inlineFunction(stack, 'invoicing', does(DONE.invoicing, 100), { functionName: 'invoicing' });
  invoicing.addEventSource(new SqsEventSource(invoices));

  const pickingDlq = deadLetters('picking-dlq', Duration.days(14));
  const pick = new Queue(stack, 'picking-queue', {
    queueName: 'picking',
    visibilityTimeout: Duration.minutes(1),
    deadLetterQueue: { queue: pickingDlq, maxReceiveCount: 3 },
  });
  orders.addSubscription(new SqsSubscription(pick, { deadLetterQueue: pickingDlq }));
  const timeout = Duration.seconds(10);
  const picking = inlineFunction(stack, 'picking', does(DONE.picking, 2_500), { functionName: 'picking', timeout });
  picking.addEventSource(new SqsEventSource(pick, { batchSize: 1 }));

  const mailing = inlineFunction(stack, 'mailing', does(DONE.mailing, 100), { functionName: 'mailing' });
  orders.addSubscription(new LambdaSubscription(mailing, { deadLetterQueue: deadLetters('mailing-dlq') }));
  orders.addSubscription(new UrlSubscription(CARRIER_URL, { deadLetterQueue: deadLetters('carrier-dlq') }));

  const onCall = new Topic(stack, 'on-call', { topicName: 'on-call' });
  onCall.addSubscription(new EmailSubscription('on-call@example.com'));
  new Alarm(stack, 'picking-died', {
    alarmName: 'picking-died',
    metric: pickingDlq.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: 'Maximum' }),
    threshold: 1,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  }).addAlarmAction(new SnsAction(onCall));
}

const EVERY_MINUTES = 5;

/** One night of the shop, in which three things break, and one alarm fires. */
export class Night {
  /** The published orders, in that order. */
  readonly orders: string[] = [];

  private constructor(
    readonly shop: Deployed,
    readonly url: string,
  ) {}

  /** The evening: orders arrive and everything works. @param listen how the embedded AWS listens */
  static async begin(listen: ListenOptions = {}): Promise<Night> {
    const assembly = assemblyOf(app => nightShop(new Stack(app, 'Shop')));
    const shop = await Deployed.assembly(assembly, { seed: 'one night', startAt: '2026-03-13T22:00:00Z' });
    shop.aws.confirmSubscription(CARRIER_URL);
    shop.aws.confirmSubscription('on-call@example.com');
    const { url } = await shop.aws.listen(listen);
    const night = new Night(shop, url);
    await night.until('2026-03-14T00:30:00Z');
    return night;
  }

  /** A colleague removes the policy of a queue, because it seems unused. */
  async tidyUp(): Promise<void> {
    await this.shop.takeQueuePolicyAway('/Shop/invoices');
    await this.until('2026-03-14T01:45:00Z');
  }

  /** The carrier's old URL stops working. */
  async carrierMoves(): Promise<void> {
    this.shop.aws.endpoint(CARRIER).behave({ reply: response(410, '{"error":"this hook has moved"}') });
    await this.until('2026-03-14T02:40:00Z');
  }

  /** A deployment sets a timeout that is too short. */
  async deployBreaks(): Promise<void> {
    const lambda = new LambdaClient({ ...this.shop.aws.clientConfig(), maxAttempts: 1 });
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName: 'picking', Timeout: 2 }));
    await this.until('2026-03-14T03:00:00Z');
  }

  /** All three, until all orders of the night are published and the failed ones are in dead-letter queues. */
  async breaks(): Promise<void> {
    await this.tidyUp();
    await this.carrierMoves();
    await this.deployBreaks();
    await this.shop.advance({ minutes: 7 });
  }

  /** One more hour of orders. */
  async morning(): Promise<void> {
    await this.until(isoInstant(this.shop.aws.nowMs + 3_600_000));
    await this.shop.advance({ minutes: 7 });
  }

  /** How often a consumer processed each order. */
  done(consumer: Consumer): Readonly<Record<string, number>> {
    const times: Record<string, number> = {};
    for (const line of this.shop.log(`/aws/lambda/${consumer}`)) {
      const [, order] = new RegExp(`\\b${DONE[consumer]} (\\S+)`).exec(line) ?? [];
      if (order !== undefined) times[order] = (times[order] ?? 0) + 1;
    }
    return times;
  }

  /** Publishes an order every few minutes. */
  private async until(instant: string): Promise<void> {
    while (this.shop.aws.nowMs < Date.parse(instant)) {
      const order = `R-${String(this.orders.length + 1).padStart(4, '0')}`;
      this.orders.push(order);
      await this.shop.publish('/Shop/orders', order);
      await this.shop.advance({ minutes: EVERY_MINUTES });
    }
  }
}
