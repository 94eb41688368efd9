import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda';
import { readEnvelope } from '../../policy/messages/envelope';
import type { QueueAttribute, QueueAttributes } from '../../policy/messages/queue-attributes';
import type { DeadLetterCause } from '../../policy/relay/attempt-verdict';

export interface RelayMessage {
  /** SQS's id, not SNS's. */
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** 1 at the first receive. */
  readonly receiveCount: number;
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  readonly groupId?: string;
}

function attributesOf(attributes: SQSMessageAttributes): QueueAttributes {
  const entries = Object.entries(attributes).map(([name, { dataType, stringValue, binaryValue }]) => {
    const attribute: QueueAttribute = {
      DataType: dataType,
      ...(stringValue !== undefined && { StringValue: stringValue }),
      // Lambda writes bytes in base64.
      ...(binaryValue !== undefined && { BinaryValue: Buffer.from(binaryValue, 'base64') }),
    };
    return [name, attribute] as const;
  });
  return Object.fromEntries(entries);
}

/** A number that SQS wrote. `otherwise` is the value of a message that was just sent. */
function numberOf(text: string | undefined, otherwise: number): number {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : otherwise;
}

/**
 * Reads a record of Lambda's SQS event.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event
 */
export function relayMessageOf(record: SQSRecord, nowMs: number): RelayMessage {
  const { messageId, receiptHandle, body, messageAttributes = {} } = record;
  const { ApproximateReceiveCount, SentTimestamp, ApproximateFirstReceiveTimestamp, MessageGroupId } =
    record.attributes;
  return {
    messageId,
    receiptHandle,
    body,
    attributes: attributesOf(messageAttributes),
    receiveCount: Math.max(1, numberOf(ApproximateReceiveCount, 1)),
    sentAtMs: numberOf(SentTimestamp, nowMs),
    firstReceivedAtMs: numberOf(ApproximateFirstReceiveTimestamp, nowMs),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
  };
}

/** How log lines other than attempt records name a message. */
export interface MessageIds {
  /**
   * SNS's id, which the publisher knows, as in the attempt records.
   * @default - the message is not an SNS notification
   */
  readonly messageId?: string;
  readonly sqsMessageId: string;
  readonly receiveCount: number;
}

/** Reads the envelope again, so it is called only when something went wrong. */
export function idsOf({ body, messageId: sqsMessageId, receiveCount }: RelayMessage): MessageIds {
  const reading = readEnvelope(body);
  const messageId = reading.kind === 'notification' ? reading.envelope.MessageId : undefined;
  return { ...(messageId !== undefined && { messageId }), sqsMessageId, receiveCount };
}

/** What became of a message in an invocation. */
export type DeliveryResult =
  | { readonly kind: 'delivered' }
  /** The dead-letter queue has it. */
  | { readonly kind: 'dead'; readonly cause: DeadLetterCause }
  /** It is hidden until `dueAtMs`. */
  | { readonly kind: 'retry'; readonly dueAtMs: number }
  /** It becomes visible at once: nothing was tried, or no time is left. */
  | { readonly kind: 'handed-back'; readonly reason: string }
  /** The relay failed: the message becomes visible after the queue's own visibility timeout. */
  | { readonly kind: 'left'; readonly reason: string };

/** Whether the message may be deleted from the queue. */
export function isDone({ kind }: DeliveryResult): boolean {
  return kind === 'delivered' || kind === 'dead';
}

/**
 * Returns how long to hide the message from `nowMs` on, in whole seconds; undefined if the queue's own timeout applies. The delay
 * counts from the attempt, no matter how long the rest of the batch took.
 */
export function visibilitySeconds(result: DeliveryResult, nowMs: number): number | undefined {
  if (result.kind === 'handed-back') return 0;
  if (result.kind !== 'retry') return undefined;
  return Math.max(0, Math.ceil((result.dueAtMs - nowMs) / 1_000));
}
