import type { Message } from '@aws-sdk/client-sqs';
import type { QueueMessage } from '../policy/messages/decoded-letter';
import type { QueueAttribute, QueueAttributes } from '../policy/messages/queue-attributes';

/** A message of the dead-letter queue, in our hands. */
export interface DeadLetter extends QueueMessage {
  readonly receiptHandle: string;
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
  const { MessageGroupId, MessageDeduplicationId, SequenceNumber, DeadLetterQueueSourceArn, AWSTraceHeader } =
    Attributes;
  return {
    messageId,
    receiptHandle,
    body,
    attributes: attributesOf(message),
    sentAtMs: Number(Attributes.SentTimestamp ?? 0),
    firstReceivedAtMs: Number(Attributes.ApproximateFirstReceiveTimestamp ?? 0),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
    ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
    ...(SequenceNumber !== undefined && { sequenceNumber: SequenceNumber }),
    ...(DeadLetterQueueSourceArn !== undefined && { movedFromArn: DeadLetterQueueSourceArn }),
    ...(AWSTraceHeader !== undefined && { traceHeader: AWSTraceHeader }),
  };
}
