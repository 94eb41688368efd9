import type { Message } from '@aws-sdk/client-sqs';
import { deadLetterOf } from '../../../lambda/redrive/stint/dead-letter';
import type { Letter } from '../../../lib/policy/letters/decoded-letter';

/** A letter that is hidden from others for a while. */
export interface HeldLetter extends Letter {
  readonly receiptHandle: string;
  /** All that SQS says of it, by SQS's names. */
  readonly system: Readonly<Record<string, string>>;
}

export function heldLetterOf(message: Message): HeldLetter {
  const { Attributes: system = {} } = message;
  const { ApproximateReceiveCount, ApproximateFirstReceiveTimestamp, MessageDeduplicationId } = system;
  const { SequenceNumber, DeadLetterQueueSourceArn } = system;
  return {
    ...deadLetterOf(message),
    firstReceivedAtMs: Number(ApproximateFirstReceiveTimestamp ?? 0),
    receiveCount: Number(ApproximateReceiveCount ?? 1),
    ...(MessageDeduplicationId !== undefined && { deduplicationId: MessageDeduplicationId }),
    ...(SequenceNumber !== undefined && { sequenceNumber: SequenceNumber }),
    ...(DeadLetterQueueSourceArn !== undefined && { movedFromArn: DeadLetterQueueSourceArn }),
    system,
  };
}
