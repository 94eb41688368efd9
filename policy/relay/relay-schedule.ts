import { delayBeforeRetry } from '../delivery-policy/retry-schedule';
import type { DeadStep } from './attempt-verdict';
import type { RelaySettings } from './relay-settings';

/** What the delays of a relay follow from. */
export type ScheduleSettings = Pick<RelaySettings, 'retryPolicy' | 'jitterPercent' | 'maxDelaySeconds'>;

/** What it takes besides to count attempts. */
export type SpendingSettings = ScheduleSettings &
  Pick<RelaySettings, 'totalTimeoutMs' | 'retentionSeconds' | 'hasBreaker'>;

/** How a message stands with its queue. */
export interface ReceivedMessage {
  /** `ApproximateReceiveCount`: 1 or more. */
  readonly receiveCount: number;
  /** `SentTimestamp`. */
  readonly sentAtMs: number;
  /** `ApproximateFirstReceiveTimestamp`. */
  readonly firstReceivedAtMs: number;
}

/**
 * Whole seconds before retry number `retry` as its jitter has it: at least 1 where the policy has any delay.
 * @param chance from 0, which makes it the shortest, to 1, which makes it the longest
 * @throws RangeError when the policy has no such retry
 */
export function jitteredDelaySeconds(settings: ScheduleSettings, retry: number, chance: number): number {
  const { retryPolicy, jitterPercent, maxDelaySeconds } = settings;
  const scheduled = delayBeforeRetry(retryPolicy, retry);
  if (scheduled === 0) return 0;
  const jittered = scheduled * (1 + (jitterPercent / 100) * (2 * chance - 1));
  return Math.min(Math.max(1, Math.round(jittered)), maxDelaySeconds);
}

/** Seconds from the first receive to attempt number `attempt`, if jitter made each delay the longest; 0 for the initial one. */
function longestSeconds(settings: ScheduleSettings, attempt: number): number {
  let longest = 0;
  for (let retry = 1; retry <= attempt; retry++) longest += jitteredDelaySeconds(settings, retry, 1);
  return longest;
}

/**
 * How many of the receives after the first may have been a breaker's that went through its queue: none while the message is
 * no later than it would be if each had been an attempt, for then the breaker was not open for long; else one for each time
 * a breaker may have done so. One too many is one more attempt; one too few would be one that was never made.
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
 * How many attempts of a message are spent before this receive. It is also the number of the attempt that is due: 0 is the
 * initial one, above it are the retries.
 *
 * The first receive makes the initial attempt and all retries without delay, each one after it a delayed retry. A receive
 * counts only if the schedule could have come so far by now: one that comes back sooner was handed back, was throttled or
 * crashed, and did not wait for its turn. What an open breaker received to look for messages that expire does not count
 * either. The last attempt stays due however often the message comes back.
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
 * How far behind its schedule an attempt begins, in milliseconds: the initial one since the queue got the message, a retry
 * since all delays before it were over, each as long as jitter may have made it. What SQS counts of a message does not say
 * how long they were: over 26 hourly retries even the usual jitter adds up to more than a quarter of an hour, and nothing
 * would be late.
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
