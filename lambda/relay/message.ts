import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda';
import { readEnvelope } from '../../policy/messages/envelope';
import type { QueueAttribute, QueueAttributes } from '../../policy/messages/queue-attributes';
import type { DeadLetterCause } from '../../policy/relay/attempt-verdict';

/** A message of the relay's queue, as far as it is needed. */
export interface RelayMessage {
  /** SQS's own name for it, not SNS's. */
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** 1 at the first receive. */
  readonly receiveCount: number;
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
  /** What is delivered in order: a group of a FIFO queue. */
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

/** A number SQS wrote; what it left out is what is true of a message that has just come. */
function numberOf(text: string | undefined, otherwise: number): number {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : otherwise;
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html#example-standard-queue-message-event */
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

/** What a line of the log that is no record of an attempt calls a message. */
export interface MessageIds {
  /**
   * SNS's id, which the publisher has, as in the records of attempts.
   * @default - the message is no notification of SNS
   */
  readonly messageId?: string;
  readonly sqsMessageId: string;
  readonly receiveCount: number;
}

/** Reads the envelope once more: it is called only where something went wrong. */
export function idsOf({ body, messageId: sqsMessageId, receiveCount }: RelayMessage): MessageIds {
  const reading = readEnvelope(body);
  const messageId = reading.kind === 'notification' ? reading.envelope.MessageId : undefined;
  return { ...(messageId !== undefined && { messageId }), sqsMessageId, receiveCount };
}

/** What became of one message in an invocation. */
export type DeliveryResult =
  | { readonly kind: 'delivered' }
  /** The dead-letter queue has it. */
  | { readonly kind: 'dead'; readonly cause: DeadLetterCause }
  /** The queue keeps it until `dueAtMs`. */
  | { readonly kind: 'retry'; readonly dueAtMs: number }
  /** The queue has it again at once: nothing was tried, or there is no time to go on. */
  | { readonly kind: 'handed-back'; readonly reason: string }
  /** Something broke: the queue has it again after its own visibility timeout. */
  | { readonly kind: 'left'; readonly reason: string };

/** Whether the queue may forget the message. */
export function isDone({ kind }: DeliveryResult): boolean {
  return kind === 'delivered' || kind === 'dead';
}

/**
 * How long the queue hides the message, in whole seconds from `nowMs`; undefined where it is left to the queue. A delay
 * counts from the attempt, however long the rest of the batch took meanwhile.
 */
export function visibilitySeconds(ending: DeliveryResult, nowMs: number): number | undefined {
  if (ending.kind === 'handed-back') return 0;
  if (ending.kind !== 'retry') return undefined;
  return Math.max(0, Math.ceil((ending.dueAtMs - nowMs) / 1_000));
}
