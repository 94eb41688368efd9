import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { knownValue } from '../../template/maybe-known';
import type { FedQueue } from './feeders';

/**
 * The longest retention period of the queues from which SQS moves messages here; undefined if there are none. An
 * unknown period, and one of a queue that nothing feeds any more, counts as the longest that SQS allows.
 */
function sourceRetention({ feeders }: FedQueue): number | undefined {
  if (feeders.length === 0) return QUEUE_LIMITS.retentionSeconds.max;
  const kept = feeders
    .filter(feeder => feeder.kind === 'queue')
    .map(({ resource }) => knownValue(resource.retentionSeconds) ?? QUEUE_LIMITS.retentionSeconds.max);
  return kept.length === 0 ? undefined : Math.max(...kept);
}

/**
 * When a dead-letter queue loses its first message; undefined if its retention period is unknown.
 * @param heldSinceMs when the queue received its oldest message
 */
export function queueExpiry(fed: FedQueue, heldSinceMs: number, nowMs: number): ExpirySpan | undefined {
  const retentionSeconds = fed.queue && knownValue(fed.queue.retentionSeconds);
  if (fed.queue === undefined || retentionSeconds === undefined) return undefined;
  const sourceRetentionSeconds = sourceRetention(fed);
  const isFifo = fed.queue.isFifo === true;
  return firstExpiry({ heldSinceMs, retentionSeconds, isFifo, sourceRetentionSeconds }, nowMs);
}

export interface OldestMessage {
  /** When the queue received it. For a message that SQS moved, its age counts from the move. */
  readonly heldSinceMs: number;
  readonly retentionSeconds: number;
  readonly isFifo: boolean;
  /** The longest retention period of the queues from which SQS moves messages here. Undefined if there are none. */
  readonly sourceRetentionSeconds: number | undefined;
}

/** When the first message of a queue expires: between these two times. */
export interface ExpirySpan {
  readonly earliestMs: number;
  readonly latestMs: number;
}

/**
 * Returns when the first message of a queue expires. A standard queue counts the retention period from when the message
 * was first sent, to any queue. The age that CloudWatch reports for a dead-letter queue counts from the move. So a
 * message may have waited in its source for the whole retention period there, and expires that much earlier. A FIFO
 * queue starts counting again at the move.
 *
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html
 */
export function firstExpiry(oldest: OldestMessage, nowMs: number): ExpirySpan {
  const { heldSinceMs, retentionSeconds, isFifo, sourceRetentionSeconds = 0 } = oldest;
  const latestMs = Math.max(nowMs, heldSinceMs + retentionSeconds * 1_000);
  const waitedMs = isFifo ? 0 : sourceRetentionSeconds * 1_000;
  // A message that is still there has not expired yet.
  return { earliestMs: Math.max(nowMs, latestMs - waitedMs), latestMs };
}
