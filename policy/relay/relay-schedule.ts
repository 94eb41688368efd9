import { delayBeforeRetry } from '../delivery-policy/retry-schedule';
import { DAY_MS } from '../time-units';
import type { DeadStep } from './attempt-verdict';
import type { RelaySettings } from './relay-settings';

export type ScheduleSettings = Pick<RelaySettings, 'retryPolicy' | 'jitterPercent' | 'maxDelaySeconds'>;

/** The settings needed to count attempts. */
export type SpendingSettings = ScheduleSettings &
  Pick<RelaySettings, 'totalTimeoutMs' | 'retentionSeconds' | 'hasBreaker'>;

export interface ReceivedMessage {
  /** `ApproximateReceiveCount`: 1 or more. */
  readonly receiveCount: number;
  /** `SentTimestamp`. */
  readonly sentAtMs: number;
  /** `ApproximateFirstReceiveTimestamp`. */
  readonly firstReceivedAtMs: number;
}

/**
 * The delay before retry number `retry`, with jitter, in whole seconds: at least 1 if the policy has any delay.
 * @param chance from 0, for the shortest delay, to 1, for the longest
 * @throws RangeError when the policy has no such retry
 */
export function jitteredDelaySeconds(settings: ScheduleSettings, retry: number, chance: number): number {
  const { retryPolicy, jitterPercent, maxDelaySeconds } = settings;
  const scheduled = delayBeforeRetry(retryPolicy, retry);
  if (scheduled === 0) return 0;
  const jittered = scheduled * (1 + (jitterPercent / 100) * (2 * chance - 1));
  return Math.min(Math.max(1, Math.round(jittered)), maxDelaySeconds);
}

/**
 * Seconds from the first receive to attempt number `attempt` when jitter makes every delay the longest; 0 for the
 * initial attempt.
 */
function longestSeconds(settings: ScheduleSettings, attempt: number): number {
  let longest = 0;
  for (let retry = 1; retry <= attempt; retry++) longest += jitteredDelaySeconds(settings, retry, 1);
  return longest;
}

/**
 * How many of the receives after the first may have been sweeps of an open breaker. None while the message is no later
 * than it would be if each receive had been an attempt: then the breaker was not open for long. Otherwise one for each
 * possible sweep. Counting one too many costs one extra attempt; counting one too few would skip an attempt.
 */
function sweepsAmong(settings: SpendingSettings, message: ReceivedMessage, delayed: number, nowMs: number): number {
  const { retryPolicy, totalTimeoutMs, retentionSeconds, hasBreaker = false } = settings;
  if (!hasBreaker || retentionSeconds === undefined || delayed === 0) return 0;
  const attempt = retryPolicy.numNoDelayRetries + delayed;
  const longestMs = longestSeconds(settings, attempt) * 1_000 + attempt * totalTimeoutMs;
  if (nowMs - message.firstReceivedAtMs <= longestMs) return 0;
  return sweepsBetween(message.firstReceivedAtMs, nowMs, retentionSeconds * 1_000);
}

/**
 * How many attempts of a message are spent before this receive. This is also the number of the attempt that is due: 0
 * is the initial attempt, higher numbers are retries.
 *
 * The first receive makes the initial attempt and all retries without delay; each later receive makes one delayed
 * retry. A receive counts only if the schedule could have reached it by now: an earlier one was handed back, was
 * throttled or crashed. Receives by the sweeps of an open breaker do not count either. The last attempt stays due
 * however often the message is received.
 */
export function attemptsSpent(settings: SpendingSettings, message: ReceivedMessage, nowMs: number): number {
  const { numRetries, numNoDelayRetries } = settings.retryPolicy;
  const elapsedMs = nowMs - message.firstReceivedAtMs;
  const received = message.receiveCount - 1;
  const mostDelayed = numRetries - numNoDelayRetries;
  const sweeps = sweepsAmong(settings, message, Math.min(received, mostDelayed), nowMs);
  const byReceives = Math.min(received - sweeps, mostDelayed);
  let spent = 0;
  let earliestMs = 0;
  for (let delayed = 1; delayed <= byReceives; delayed++) {
    earliestMs += jitteredDelaySeconds(settings, numNoDelayRetries + delayed, 0) * 1_000;
    if (earliestMs > elapsedMs) break;
    spent = numNoDelayRetries + delayed;
  }
  return spent;
}

/**
 * How late an attempt begins, in milliseconds. The initial attempt is due when the message is sent to the queue; a
 * retry is due when all delays before it have passed, each at its longest jitter. SQS does not report how long the
 * delays were. Over 26 hourly retries, even the usual jitter adds up to more than a quarter of an hour, so shorter
 * estimates would report lateness where there is none.
 * @param attempt 0 for the initial attempt, else the number of the retry
 */
export function latenessMs(
  settings: ScheduleSettings,
  attempt: number,
  message: Pick<ReceivedMessage, 'sentAtMs' | 'firstReceivedAtMs'>,
  nowMs: number,
): number {
  const dueMs =
    attempt === 0 ? message.sentAtMs : message.firstReceivedAtMs + longestSeconds(settings, attempt) * 1_000;
  return Math.max(0, nowMs - dueMs);
}

/**
 * A message is given up at most this share of the retention period before its queue deletes it. A larger share would
 * take too many retries from a queue with a short retention period.
 */
const LARGEST_SHARE = 1 / 4;

/** How often the breaker sweeps the queue within that window. Two, so that one sweep may fail. */
const SWEEPS_A_WINDOW = 2;

/**
 * How long before a queue deletes its messages the relay of an open breaker gives them up, in milliseconds: one day, or
 * a quarter of the retention period if that is less. This leaves time to repair a failing dead-letter queue, and for
 * hidden messages to become visible.
 */
export function expiryWindowMs(retentionMs: number): number {
  return Math.min(DAY_MS, retentionMs * LARGEST_SHARE);
}

function sweepIntervalMs(retentionMs: number): number {
  return expiryWindowMs(retentionMs) / SWEEPS_A_WINDOW;
}

/**
 * How often an open breaker sweeps its queue within one retention period. Each sweep is one receive of each message.
 */
export function sweepsWithin(retentionMs: number): number {
  return Math.ceil(retentionMs / sweepIntervalMs(retentionMs));
}

/**
 * How late a sweep may begin or end. Fifteen minutes, so that a tick that is lost or throttled does not count as
 * another sweep.
 */
const SWEEP_LATENESS_MS = 900_000;

/** The most sweeps of an open breaker between two points in time. */
function sweepsBetween(fromMs: number, toMs: number, retentionMs: number): number {
  const intervalMs = sweepIntervalMs(retentionMs);
  return Math.floor(toMs / intervalMs) - Math.ceil((fromMs - SWEEP_LATENESS_MS) / intervalMs) + 1;
}

/**
 * Whether a message that cannot be delivered now must be given up now. Otherwise its queue may delete it without a
 * trace.
 */
export function isExpiring(sentAtMs: number, nowMs: number, retentionMs: number): boolean {
  return nowMs - sentAtMs >= retentionMs - expiryWindowMs(retentionMs);
}

/**
 * Whether an open breaker sweeps its whole queue now: at the first tick of each half of the window. Looking only for
 * the oldest message is not enough: SQS guarantees no order, and puts messages received three times behind all others.
 * More sweeps would cost each message more receives: see `sweepsWithin`.
 */
export function isSweepDue(nowMs: number, retentionMs: number, tickMs: number): boolean {
  return nowMs % sweepIntervalMs(retentionMs) < tickMs;
}

/** The reason for giving up a message that an open breaker finds expiring. */
export function expiredStep(
  { retentionSeconds }: Pick<RelaySettings, 'retentionSeconds'>,
  { sentAtMs }: { readonly sentAtMs: number },
): DeadStep {
  const until = retentionSeconds === undefined ? undefined : new Date(sentAtMs + retentionSeconds * 1_000);
  const end = until
    ? `the queue would delete the message at ${until.toISOString()}`
    : 'the queue would delete the message';
  return {
    kind: 'dead',
    cause: 'retention-spent',
    reason: `the relay was stopped because its endpoint failed, and ${end}`,
  };
}
