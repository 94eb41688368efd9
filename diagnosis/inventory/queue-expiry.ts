import { QUEUE_LIMITS } from '../../policy/limits/queue-limits';
import { type ExpirySpan, firstExpiry } from '../../policy/messages/expiry-span';
import { knownValue } from '../../template/told';
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
