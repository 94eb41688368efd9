import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda';
import type { QueueAttribute, QueueAttributes } from '../../policy/messages/queue-attributes';

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
