import type { RelaySettings } from './relay-settings';
import type { DeadStep } from './relay-step';

const DAY_MS = 86_400_000;

/** Which part of its time in the queue a message is given up ahead of its end, at most: our choice. */
const LARGEST_SHARE = 1 / 4;

/** How often a queue is gone through within that time, so that one time may fail. */
const SWEEPS_A_WINDOW = 2;

/**
 * How long before a queue drops its messages an open breaker has the relay give them up: a day, or a quarter of the retention
 * where that is less. Our choice: time for a dead-letter queue that fails to be mended, and for messages that are hidden to
 * come back.
 */
export function expiryWindowMs(retentionMs: number): number {
  return Math.min(DAY_MS, retentionMs * LARGEST_SHARE);
}

function sweepIntervalMs(retentionMs: number): number {
  return expiryWindowMs(retentionMs) / SWEEPS_A_WINDOW;
}

/** How often an open breaker goes through its queue while that keeps a message: each time is a receive of the message. */
export function sweepsWithin(retentionMs: number): number {
  return Math.ceil(retentionMs / sweepIntervalMs(retentionMs));
}

/** The longest a sweep's turn may be over when it begins and while it lasts: our choice. */
const SWEEP_LATENESS_MS = 900_000;

/** How often an open breaker may have gone through its queue, at the most, between two instants. */
export function sweepsBetween(fromMs: number, toMs: number, retentionMs: number): number {
  const intervalMs = sweepIntervalMs(retentionMs);
  return Math.floor(toMs / intervalMs) - Math.ceil((fromMs - SWEEP_LATENESS_MS) / intervalMs) + 1;
}

/** Whether a message that cannot be delivered now is to be given up now: else its queue might drop it, and nobody would know. */
export function isExpiring(sentAtMs: number, nowMs: number, retentionMs: number): boolean {
  return nowMs - sentAtMs >= retentionMs - expiryWindowMs(retentionMs);
}

/**
 * Whether an open breaker goes through its whole queue now, at the first tick of each half of the window. To find the oldest
 * message is not enough: SQS promises no order, and puts those received three times behind all others. More often would cost
 * each message receives, which its queue counts: see `sweepsWithin`.
 */
export function isSweepDue(nowMs: number, retentionMs: number, tickMs: number): boolean {
  return nowMs % sweepIntervalMs(retentionMs) < tickMs;
}

/** Why a message is given up that an open breaker finds expiring. */
export function expiredStep(
  { retentionSeconds }: Pick<RelaySettings, 'retentionSeconds'>,
  { sentAtMs }: { readonly sentAtMs: number },
): DeadStep {
  const until = retentionSeconds === undefined ? undefined : new Date(sentAtMs + retentionSeconds * 1_000);
  const end = until ? `the queue would drop the message at ${until.toISOString()}` : 'the queue would drop the message';
  return {
    kind: 'dead',
    cause: 'retention-spent',
    reason: `the relay was stopped, as its endpoint failed, and ${end}`,
  };
}
