import { createHash } from 'node:crypto';
import type { Cause } from '../../../diagnosis/causes/cause';
import type { Evidence, LoggedDelivery, SampledMessage, TopicLog } from '../../../diagnosis/causes/evidence';
import { explain } from '../../../diagnosis/causes/explain';
import { decodeMessage, type QueueMessage } from '../../../policy/messages/decode-message';
import { redrivePolicyText, type StatusRecord } from '../../../policy/messages/delivery-status';
import { type QueueAttributes, textAttribute } from '../../../policy/messages/queue-attributes';
import { inventoryOf, queueArn, topicArn } from '../inventories';

/** The queue whose messages are explained. */
export const DEAD = queueArn('dead');
export const ORDERS = topicArn('orders');

export const T0 = Date.UTC(2026, 0, 5, 2);

export function seen(body: string, facts: Partial<QueueMessage> = {}): SampledMessage {
  const message: QueueMessage = {
    messageId: 'letter-1',
    body,
    attributes: {},
    sentAtMs: T0,
    firstReceivedAtMs: T0 + 1_000,
    receiveCount: 1,
    ...facts,
  };
  return { decoded: decodeMessage(message), bodyMd5: createHash('md5').update(body).digest('hex') };
}

/** Returns a message with text attributes. */
export function saying(
  said: Readonly<Record<string, string>>,
  body = '{}',
  facts: Partial<QueueMessage> = {},
): SampledMessage {
  const attributes: QueueAttributes = Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, textAttribute(value)]),
  );
  return seen(body, { attributes, ...facts });
}

/** Returns the message that SNS sends to the dead-letter queue of a subscription. */
export function notified(
  messageId: string,
  subscription = 'to-bills',
  facts: Partial<QueueMessage> = {},
): SampledMessage {
  const url = `https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=${ORDERS}:${subscription}`;
  const envelope = {
    Type: 'Notification',
    MessageId: messageId,
    TopicArn: ORDERS,
    Message: 'an order',
    Timestamp: new Date(T0).toISOString(),
    UnsubscribeURL: url,
  };
  return seen(JSON.stringify(envelope), facts);
}

/** Returns a delivery-status record as SNS writes it (aws-semantics.md, section 5). */
export function failed(
  destination: string,
  providerResponse: string | object,
  delivery: Partial<StatusRecord['delivery']> = {},
  notification: Partial<StatusRecord['notification']> = {},
): LoggedDelivery {
  const answer = typeof providerResponse === 'string' ? providerResponse : JSON.stringify(providerResponse);
  const record: StatusRecord = {
    notification: {
      messageMD5Sum: 'd41d8cd98f00b204e9800998ecf8427e',
      messageId: 'message-1',
      topicArn: ORDERS,
      timestamp: '2026-01-05 02:00:00.000',
      ...notification,
    },
    delivery: {
      deliveryId: 'delivery-1',
      redrivePolicy: redrivePolicyText(DEAD),
      destination,
      providerResponse: answer,
      dwellTimeMs: 53,
      attempts: 1,
      ...delivery,
    },
    status: 'FAILURE',
  };
  return { atMs: T0, record };
}

export function logOf(deliveries: readonly LoggedDelivery[], more: Partial<TopicLog> = {}): TopicLog {
  return { topicArn: ORDERS, logGroupName: 'sns/eu-west-1/111122223333/orders/Failure', deliveries, ...more };
}

export function evidenceOf(parts: Partial<Evidence>): Evidence {
  return {
    queueArn: DEAD,
    fromMs: T0,
    messages: [],
    inventory: inventoryOf(),
    topicLogs: [],
    functions: [],
    mappings: [],
    ...parts,
  };
}

/** Returns the only cause. */
export function onlyCause(parts: Partial<Evidence>): Cause {
  const { causes } = explain(evidenceOf(parts));
  const [cause, ...others] = causes;
  if (!cause || others.length > 0) throw new Error(`there are ${causes.length} causes, not one`);
  return cause;
}
