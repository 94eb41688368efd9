import type { Message } from '@aws-sdk/client-sqs';
import type { QueueAttribute, QueueAttributes } from '../../../lib/policy/letters/queue-attributes';

/** A message of the dead-letter queue, in our hands. */
export interface DeadLetter {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: QueueAttributes;
  /** Where SQS itself moved it there, when it came to the queue before. */
  readonly sentAtMs: number;
  /** Of a FIFO queue, and of fair ones. */
  readonly groupId?: string;
  /** X-Ray's. */
  readonly traceHeader?: string;
}

function attributesOf({ MessageAttributes = {} }: Message): QueueAttributes {
  const entries = Object.entries(MessageAttributes).map(([name, { DataType = '', StringValue, BinaryValue }]) => {
    const attribute: QueueAttribute = {
      DataType,
      ...(StringValue !== undefined && { StringValue }),
      ...(BinaryValue && { BinaryValue }),
    };
    return [name, attribute] as const;
  });
  return Object.fromEntries(entries);
}

export function deadLetterOf(message: Message): DeadLetter {
  const { MessageId: messageId = '', ReceiptHandle: receiptHandle = '', Body: body = '', Attributes = {} } = message;
  const { SentTimestamp, MessageGroupId, AWSTraceHeader } = Attributes;
  return {
    messageId,
    receiptHandle,
    body,
    attributes: attributesOf(message),
    sentAtMs: Number(SentTimestamp ?? 0),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(AWSTraceHeader !== undefined && { traceHeader: AWSTraceHeader }),
  };
}
