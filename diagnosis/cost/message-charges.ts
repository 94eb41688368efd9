import { ownMember } from '../../policy/json-members';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { SubscriptionFacts } from '../inventory/inventory';
import type { ResourceReading } from '../template-reader/app-reading';
import {
  CHUNK_KILOBYTES,
  type CostAssumptions,
  DATA_KEY_SECONDS,
  KILOBYTES_IN_A_GIGABYTE,
  MILLION,
  MONTH_SECONDS,
  STATUS_RECORD_KILOBYTES,
} from './assumptions';
import {
  type Charge,
  type Counted,
  charger,
  chargesOnly,
  functionCharges,
  NOTHING,
  together,
  unknownOf,
} from './charge';
import type { CostedApp } from './costed-app';
import { FAIR_METADATA } from './declared-usage';
import type { PriceName } from './price-list';

/** The price of a delivery by its protocol. SNS charges nothing for deliveries to SQS and Lambda. */
const DELIVERY_PRICES: Readonly<Record<string, PriceName>> = {
  http: 'httpDelivery',
  https: 'httpDelivery',
  email: 'emailDelivery',
  'email-json': 'emailDelivery',
  firehose: 'firehoseDelivery',
  application: 'pushDelivery',
};

const FREE_PROTOCOLS: readonly string[] = ['sqs', 'lambda'];

/** SNS and SQS bill each 64 KB of a message. */
function chunks(kilobytes: number): number {
  return Math.max(1, Math.ceil(kilobytes / CHUNK_KILOBYTES));
}

function gigabytes({ messageKilobytes }: CostAssumptions): number {
  return (MILLION * messageKilobytes) / KILOBYTES_IN_A_GIGABYTE;
}

/**
 * Requests for data keys in a month in which messages arrive all the time: two for each producer and one for each
 * consumer, in each period of reuse.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-estimate-kms-usage.html
 */
function keyCharges(resource: ResourceReading, parties: number): Charge[] {
  if (resource.given('KmsMasterKeyId').isPresent === false) return [];
  const reuse = knownValue(resource.given('KmsDataKeyReusePeriodSeconds').number(DATA_KEY_SECONDS)) ?? DATA_KEY_SECONDS;
  return [charger(resource.as(''), 'million')('keyRequest', (MONTH_SECONDS / reuse) * parties, 'data keys')];
}

const [OF_A_TOPIC, OF_A_QUEUE] = [2, 3];

/** A function that a topic, a queue or an asynchronous caller invokes for each message or batch. */
export function invoked(
  handler: ResourceReading,
  batchSize: number,
  { assumptions }: CostedApp,
  messages = MILLION,
): Counted {
  const runs = { invocations: messages / batchSize, messages, billedFor: 'million' } as const;
  return functionCharges(handler, { ...runs, purpose: 'for messages' }, assumptions);
}

/** How many messages a queue gets, and how many of them with one request. */
interface Inflow {
  readonly messages: number;
  readonly sendBatch: number;
}

const FROM_OUTSIDE: Inflow = { messages: MILLION, sendBatch: 1 };

/**
 * The sends, the receives and deletes of batches, the function that a mapping invokes with each batch, and the queues that this function
 * fills.
 */
export function queueCharges(queue: ResourceReading, costed: CostedApp, inflow = FROM_OUTSIDE): Counted {
  const { messages, sendBatch } = inflow;
  const { assumptions } = costed;
  const { messageKilobytes, batchSize } = assumptions;
  const arn = queue.attribute('Arn');
  const [mapping, ...others] = costed.mappings.filter(it => it.sourceArn === arn);
  const most = mapping ? knownValue(mapping.batchSize) : undefined;
  const batch = Math.min(batchSize, most ?? batchSize);
  const charge = charger(queue.as(''), 'million');
  const standard = queue.metadata[FAIR_METADATA] === true ? 'fairQueueRequest' : 'queueRequest';
  const price = costed.isFifoQueue(queue) ? 'fifoQueueRequest' : standard;
  const own = [
    charge(price, (messages / sendBatch) * chunks(messageKilobytes * sendBatch), 'sends'),
    charge(price, (messages / batch) * (chunks(messageKilobytes * batch) + 1), 'receives and deletes'),
    ...keyCharges(queue, OF_A_QUEUE),
  ];
  const handler = mapping && costed.functionAt(mapping.functionArn);
  const shared =
    others.length > 0 ? unknownOf(queue.as(''), 'its mappings share its messages; one is counted') : NOTHING;
  // A queue that is filled fills no other, whatever a template says.
  const fed = inflow === FROM_OUTSIDE ? costed.fedBy(queue) : [];
  return together([
    chargesOnly(own),
    shared,
    handler ? invoked(handler, batch, costed, messages) : NOTHING,
    ...fed.map(it => queueCharges(it.queue, costed, { messages: messages * it.feed.messages, sendBatch: batch })),
  ]);
}

function endpointCharges({ endpoint }: SubscriptionFacts, costed: CostedApp): Counted {
  const queue = isKnown(endpoint) ? costed.queues.get(endpoint) : undefined;
  const handler = costed.functionAt(endpoint);
  return together([queue ? queueCharges(queue, costed) : NOTHING, handler ? invoked(handler, 1, costed) : NOTHING]);
}

function deliveryCharges(subscription: SubscriptionFacts, isFifo: boolean, costed: CostedApp): Counted {
  const { protocol } = subscription;
  const charge = charger(subscription, 'million');
  const price = ownMember(DELIVERY_PRICES, protocol);
  if (price === undefined && !FREE_PROTOCOLS.includes(protocol)) {
    return unknownOf(subscription, `the price of a delivery by ${protocol} is unknown, so it is not counted`);
  }
  const fifo = [charge('fifoDelivery', MILLION), charge('fifoDeliveredGigabyte', gigabytes(costed.assumptions))];
  const own = isFifo ? fifo : price === undefined ? [] : [charge(price, MILLION)];
  return together([chargesOnly(own), endpointCharges(subscription, costed)]);
}

/** The protocol of a subscription, as a topic's logging names it. */
const LOGGED_AS: Readonly<Record<string, string>> = { http: 'http/s', https: 'http/s' };

/** The delivery-status records of successful deliveries, of which a topic logs a sample. */
function statusCharges(topic: ResourceReading, subscriptions: readonly SubscriptionFacts[]): Counted {
  const billed = topic.as('');
  const entries = topic.given('DeliveryStatusLogging').list();
  if (!isKnown(entries)) return unknownOf(billed, 'its delivery-status logging is unknown, so it is not counted');
  return together(
    entries.map(entry => {
      if (entry.at('SuccessFeedbackRoleArn').isPresent === false) return NOTHING;
      const protocol = entry.at('Protocol').text('');
      const percent = entry.at('SuccessFeedbackSampleRate').number(undefined);
      if (!isKnown(protocol) || !isKnown(percent) || percent === undefined) {
        return unknownOf(billed, 'the sample of its delivery-status log is unknown, so its log is not counted');
      }
      const delivered = subscriptions.filter(
        it => (ownMember(LOGGED_AS, it.protocol) ?? it.protocol) === protocol.toLowerCase(),
      );
      const kilobytes = delivered.length * MILLION * (percent / 100) * STATUS_RECORD_KILOBYTES;
      if (kilobytes === 0) return NOTHING;
      const charge = charger(billed, 'million');
      return chargesOnly([charge('logGigabyte', kilobytes / KILOBYTES_IN_A_GIGABYTE, 'delivery status')]);
    }),
  );
}

/** A million messages that are published to a topic. */
export function topicCharges(topic: ResourceReading, costed: CostedApp): Counted {
  const { assumptions } = costed;
  const isFifo = costed.isFifoTopic(topic);
  const arn: MaybeKnown<string> = topic.ref;
  const subscriptions = costed.subscriptions.filter(it => it.topicArn === arn);
  const charge = charger(topic.as(''), 'million');
  const fifo = [charge('fifoPublish', MILLION), charge('fifoPublishedGigabyte', gigabytes(assumptions))];
  const published = isFifo ? fifo : [charge('publish', MILLION * chunks(assumptions.messageKilobytes))];
  return together([
    chargesOnly([...published, ...keyCharges(topic, OF_A_TOPIC)]),
    statusCharges(topic, subscriptions),
    ...subscriptions.map(it => deliveryCharges(it, isFifo, costed)),
  ]);
}
