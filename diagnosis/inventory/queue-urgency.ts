import type { ExpirySpan } from './queue-expiry';

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
const SOON_MS = 86_400_000;

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
