import { HOUR_SECONDS, MINUTE_MS } from '../time-units';
import type { FailedAttempt, RelayStep, RetryStep } from './attempt-verdict';
import { RETENTION_MARGIN_SECONDS } from './relay-limits';
import { jitteredDelaySeconds, type ReceivedMessage, type ScheduleSettings } from './relay-schedule';
import type { RelaySettings } from './relay-settings';

/** The settings that decide the step after a failed attempt. */
export type StepSettings = ScheduleSettings & Pick<RelaySettings, 'retryAfterCapSeconds' | 'retentionSeconds' | 'fifo'>;

/** A failed attempt, and when it ended. */
export interface AttemptFacts {
  readonly verdict: FailedAttempt;
  /** 0 for the initial attempt, else the number of the retry. */
  readonly attempt: number;
  readonly message: Pick<ReceivedMessage, 'sentAtMs' | 'firstReceivedAtMs'>;
  readonly nowMs: number;
  /** From 0 to 1: the position of the next delay within its jitter range. */
  readonly chance: number;
  /**
   * The delay that the answer asked for: see `retryAfterSeconds`.
   * @default - none
   */
  readonly retryAfterSeconds?: number;
}

/**
 * The next retry and its delay. If the endpoint asks to wait, retries without delay are skipped and the first delayed
 * retry is next, if the policy has any. `Retry-After` only ever lengthens a delay, up to its cap.
 */
function nextRetry(settings: StepSettings, facts: AttemptFacts): Omit<RetryStep, 'kind' | 'reason'> {
  const { numRetries, numNoDelayRetries } = settings.retryPolicy;
  const { retryAfterSeconds: asked = 0, attempt, chance } = facts;
  const { retryAfterCapSeconds, maxDelaySeconds } = settings;
  const isAsked = asked > 0 && retryAfterCapSeconds > 0;
  const following = attempt + 1;
  if (following <= numNoDelayRetries && (!isAsked || numRetries === numNoDelayRetries)) {
    return { retry: following, delaySeconds: 0 };
  }
  const retry = Math.max(following, numNoDelayRetries + 1);
  const scheduled = jitteredDelaySeconds(settings, retry, chance);
  const delaySeconds = Math.max(scheduled, Math.min(asked, scheduled + retryAfterCapSeconds));
  return { retry, delaySeconds: Math.min(delaySeconds, maxDelaySeconds) };
}

/** Whether the queue still holds the message at the time of the retry. */
function isKeptUntil(settings: StepSettings, { message, nowMs }: AttemptFacts, delaySeconds: number): boolean {
  const { retentionSeconds = Number.POSITIVE_INFINITY } = settings;
  const keptForSeconds = message.sentAtMs / 1_000 + retentionSeconds - nowMs / 1_000;
  return delaySeconds <= keptForSeconds - RETENTION_MARGIN_SECONDS;
}

/** The retry, if the queue holds the message until then. */
function whileKept(settings: StepSettings, facts: AttemptFacts, next: Omit<RetryStep, 'kind' | 'reason'>): RelayStep {
  const { reason } = facts.verdict;
  if (isKeptUntil(settings, facts, next.delaySeconds)) return { kind: 'retry', ...next, reason };
  const spent = `${reason}, and the queue would delete the message before the next retry`;
  return { kind: 'dead', cause: 'retention-spent', reason: spent };
}

/**
 * Decides what to do with a message after a failed attempt: retry it after the policy's delay, or give it up. It gives
 * up when no retry can help, when no retries are left, or when the queue would delete the message before the next one.
 */
export function nextStep(settings: StepSettings, facts: AttemptFacts): RelayStep {
  const { verdict, attempt } = facts;
  if (verdict.kind === 'dead') return verdict;
  if (attempt >= settings.retryPolicy.numRetries) {
    return { kind: 'dead', cause: 'retries-spent', reason: `${verdict.reason}, and no retry is left` };
  }
  const next = nextRetry(settings, facts);
  return settings.fifo && verdict.isClientError
    ? whileItMayBlock(settings, facts, next)
    : whileKept(settings, facts, next);
}

/**
 * How long a message of a FIFO relay may block its group while the endpoint refuses it, in minutes since its first receive.
 * In this time a partner can undo a bad deployment. A longer time would delay the later messages of the group too much.
 * SQS stores the first receive and not the first client error, so an outage before that error uses up the time.
 */
export const FIFO_CLIENT_ERROR_MINUTES = 30;

/** The retry, if it comes before the message has blocked its group for too long. The last retry comes exactly then. */
function whileItMayBlock(
  settings: StepSettings,
  facts: AttemptFacts,
  next: Omit<RetryStep, 'kind' | 'reason'>,
): RelayStep {
  const endsAtMs = facts.message.firstReceivedAtMs + FIFO_CLIENT_ERROR_MINUTES * MINUTE_MS;
  const leftSeconds = Math.ceil((endsAtMs - facts.nowMs) / 1_000);
  if (leftSeconds > 0) {
    return whileKept(settings, facts, { ...next, delaySeconds: Math.min(next.delaySeconds, leftSeconds) });
  }
  const reason = `${facts.verdict.reason}, and after ${FIFO_CLIENT_ERROR_MINUTES} minutes it must not block its message group any longer`;
  return { kind: 'dead', cause: 'refused', reason };
}

/**
 * How long a message that was not tried waits when the policy has no delay. Five minutes: a missing secret is rarely
 * fixed sooner.
 */
export const UNTRIED_DELAY_SECONDS = 300;

/**
 * Decides what to do with a message that could not be tried, for example because a secret is missing. The message is
 * not at fault, so retries without delay are skipped, and a policy without delayed retries does not give it up. It
 * waits until the queue would delete it.
 */
export function untriedStep(settings: StepSettings, facts: AttemptFacts): RelayStep {
  const { numNoDelayRetries, numRetries } = settings.retryPolicy;
  const attempt = Math.max(facts.attempt, numNoDelayRetries);
  const isWithoutDelays = facts.attempt === 0 && numRetries <= numNoDelayRetries;
  if (facts.verdict.kind === 'dead' || !isWithoutDelays) return nextStep(settings, { ...facts, attempt });
  return whileKept(settings, facts, { retry: 0, delaySeconds: UNTRIED_DELAY_SECONDS });
}

/** The wait, as a share of the time since the first receive. */
const SHARE = 1 / 4;

const SHORTEST_SECONDS = 300;
const LONGEST_SECONDS = HOUR_SECONDS;

/**
 * How many seconds a message waits when it should be given up but the dead-letter queue did not accept it. A queue
 * stores no decisions, so the relay sends the message to the endpoint again when it is received again. The wait
 * therefore grows, from five minutes to one hour. It grows no further for two reasons: a failure of one second should
 * not delay the messages behind it in a FIFO group for half a day; and SQS, which may have a permission the relay
 * lacks, moves the message itself after `maxReceiveCount` receives.
 */
export function deadLetteringFailedDelaySeconds(
  { firstReceivedAtMs }: Pick<ReceivedMessage, 'firstReceivedAtMs'>,
  nowMs: number,
) {
  const hadSeconds = (nowMs - firstReceivedAtMs) / 1_000;
  return Math.min(Math.max(SHORTEST_SECONDS, Math.round(hadSeconds * SHARE)), LONGEST_SECONDS);
}
