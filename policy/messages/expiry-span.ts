/** What is known of the oldest letter of a queue, and of how long letters are kept. */
export interface OldestMessage {
  /** Since when the queue has it: SQS counts the age of what it moved itself from the move. */
  readonly heldSinceMs: number;
  /** Of the queue. */
  readonly retentionSeconds: number;
  readonly isFifo: boolean;
  /** Of the queues SQS moves letters from, how long the longest keeps a message. Undefined where there is none. */
  readonly sourceRetentionSeconds: number | undefined;
}

/** When a queue loses the first of its letters: not before the one, and not after the other. */
export interface ExpirySpan {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * When the first letter of a queue expires. A standard queue keeps a message from when it was first sent, to whichever queue,
 * while the age that CloudWatch tells of a dead-letter queue counts from the move: a letter may have waited in its source
 * for as long as that keeps messages, and expires as much earlier. A FIFO queue begins to count anew.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
 */
export function firstExpiry(oldest: OldestMessage, nowMs: number): ExpirySpan {
  const { heldSinceMs, retentionSeconds, isFifo, sourceRetentionSeconds = 0 } = oldest;
  const latestMs = Math.max(nowMs, heldSinceMs + retentionSeconds * 1_000);
  const waitedMs = isFifo ? 0 : sourceRetentionSeconds * 1_000;
  // What is still there has not expired yet.
  return { earliestMs: Math.max(nowMs, latestMs - waitedMs), latestMs };
}
