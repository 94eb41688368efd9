import type { QueueMessage } from '../../../policy/messages/decoded-letter';
import type { NamedQueue } from '../the-queue';

/** When a queue loses a letter. */
export interface MessageExpiry {
  readonly atMs: number;
  /** Whether it may be later: a FIFO queue counts anew from the move, of which nobody tells when it was. */
  readonly mayBeLater: boolean;
}

/**
 * A letter is kept from when it was first sent, to whichever queue: a move by a redrive policy does not make it younger.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function expiryOf(
  { sentAtMs, movedFromArn }: Pick<QueueMessage, 'sentAtMs' | 'movedFromArn'>,
  { isFifo, attributes }: Pick<NamedQueue, 'isFifo' | 'attributes'>,
): MessageExpiry {
  const retentionMs = Number(attributes['MessageRetentionPeriod']) * 1_000;
  return { atMs: sentAtMs + retentionMs, mayBeLater: isFifo && movedFromArn !== undefined };
}
