import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { knownValue } from '../../template/maybe-known';
import type { FedQueue } from './feeders';

/**
 * Of the queues SQS moves letters from, how long the longest keeps a message; undefined where it moves none. One that does not
 * tell may keep them as long as any queue does.
 */
function sourceRetention({ feeders }: FedQueue): number | undefined {
  const kept = feeders
    .filter(feeder => feeder.kind === 'queue')
    .map(({ resource }) => knownValue(resource.retentionSeconds) ?? QUEUE_LIMITS.retentionSeconds.max);
  return kept.length === 0 ? undefined : Math.max(...kept);
}

/**
 * When a dead-letter queue loses the first of its letters; undefined where it does not tell how long it keeps them.
 * @param heldSinceMs since when it has the oldest
 */
export function queueExpiry(fed: FedQueue, heldSinceMs: number, nowMs: number): ExpirySpan | undefined {
  const retentionSeconds = fed.queue && knownValue(fed.queue.retentionSeconds);
  if (fed.queue === undefined || retentionSeconds === undefined) return undefined;
  const sourceRetentionSeconds = sourceRetention(fed);
  const isFifo = fed.queue.isFifo === true;
  return firstExpiry({ heldSinceMs, retentionSeconds, isFifo, sourceRetentionSeconds }, nowMs);
}

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
