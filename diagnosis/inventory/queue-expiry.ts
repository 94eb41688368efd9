import { QUEUE_LIMITS } from '../../policy/aws-limits';
import { DAY_MS } from '../../policy/time-units';
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

/** What the urgency of a dead-letter queue depends on. */
export interface UrgencyFacts {
  /** The messages in all states. Undefined if unknown. */
  readonly messages: number | undefined;
  /** When the first message expires. @default - unknown, or the queue is empty */
  readonly expiry?: ExpirySpan;
  /** By how many messages the queue grew in the last 30 minutes; negative if it shrank. @default - unknown */
  readonly growth?: number;
}

/**
 * How urgent a dead-letter queue is, the most urgent first. `expiring`: it loses a message within a day for certain.
 * `growing`: messages still fail. `may-expire`: it may lose a message within a day, because it is unknown how long the
 * message waited in its source queue. With AWS's default retention periods, that is so for every queue that SQS moves
 * messages to, so it comes after what is certain.
 */
const URGENCIES = ['expiring', 'growing', 'may-expire', 'holding', 'unknown', 'empty'] as const;

export type Urgency = (typeof URGENCIES)[number];

/** How soon a message must expire to be urgent: an operator can still act, also after a night. */
const SOON_MS = DAY_MS;

const NEVER: ExpirySpan = { earliestMs: Number.POSITIVE_INFINITY, latestMs: Number.POSITIVE_INFINITY };

export function urgencyOf({ messages, expiry = NEVER, growth = 0 }: UrgencyFacts, nowMs: number): Urgency {
  if (messages === undefined) return 'unknown';
  if (messages === 0) return 'empty';
  if (expiry.latestMs <= nowMs + SOON_MS) return 'expiring';
  if (growth > 0) return 'growing';
  return expiry.earliestMs <= nowMs + SOON_MS ? 'may-expire' : 'holding';
}

/** Numbers to compare two queues of the same urgency by, the smaller first. */
function keysOf(facts: UrgencyFacts, nowMs: number): readonly number[] {
  const { messages = 0, expiry = NEVER, growth = 0 } = facts;
  const urgency = urgencyOf(facts, nowMs);
  const expires = urgency === 'expiring' || urgency === 'may-expire' ? [expiry.earliestMs, expiry.latestMs] : [0, 0];
  return [URGENCIES.indexOf(urgency), ...expires, -Math.max(0, growth), -messages];
}

/**
 * Compares two queues: the more urgent first. Of the same urgency comes first what expires sooner, then what grew more,
 * then what has more messages.
 */
export function byUrgency(one: UrgencyFacts, other: UrgencyFacts, nowMs: number): number {
  const others = keysOf(other, nowMs);
  for (const [at, key] of keysOf(one, nowMs).entries()) {
    const otherKey = others[at] ?? key;
    if (key !== otherKey) return key < otherKey ? -1 : 1;
  }
  return 0;
}
