import type { FailedAttempt, RelayStep, RetryStep } from './attempt-verdict';
import { RETENTION_MARGIN_SECONDS } from './relay-limits';
import { jitteredDelaySeconds, type ReceivedMessage, type ScheduleSettings } from './relay-schedule';
import type { RelaySettings } from './relay-settings';

/** What the step after a failed attempt follows from, besides the attempt. */
export type StepSettings = ScheduleSettings & Pick<RelaySettings, 'retryAfterCapSeconds' | 'retentionSeconds'>;

/** A failed attempt, and when it was. */
export interface AttemptFacts {
  readonly verdict: FailedAttempt;
  /** 0 for the initial attempt, else the number of the retry it was. */
  readonly attempt: number;
  readonly message: Pick<ReceivedMessage, 'sentAtMs'>;
  readonly nowMs: number;
  /** From 0 to 1: where within its jitter the next delay lies. */
  readonly chance: number;
  /**
   * What the answer asked for: see `retryAfterSeconds`.
   * @default - nothing
   */
  readonly retryAfterSeconds?: number;
}

/**
 * The next retry, and when. An endpoint that asks for patience gets no more retries without delay: the first delayed one
 * is next, if the policy has any. What it asks for only ever adds to a delay, and its cap bounds what is added.
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

/** Whether the queue still has the message by the time of the retry. */
function isKeptUntil(settings: StepSettings, { message, nowMs }: AttemptFacts, delaySeconds: number): boolean {
  const { retentionSeconds = Number.POSITIVE_INFINITY } = settings;
  const keptForSeconds = message.sentAtMs / 1_000 + retentionSeconds - nowMs / 1_000;
  return delaySeconds <= keptForSeconds - RETENTION_MARGIN_SECONDS;
}

/** A retry, where the queue keeps the message until then. */
function whileKept(settings: StepSettings, facts: AttemptFacts, next: Omit<RetryStep, 'kind' | 'reason'>): RelayStep {
  const { reason } = facts.verdict;
  if (isKeptUntil(settings, facts, next.delaySeconds)) return { kind: 'retry', ...next, reason };
  const spent = `${reason}, and the queue would drop the message before the next retry`;
  return { kind: 'dead', cause: 'retention-spent', reason: spent };
}

/**
 * What to do with a message after an attempt that failed: try again, after a delay by the policy, or give it up, because
 * nothing can mend it, because the policy has no more retries, or because its queue would drop it before the next one.
 */
export function nextStep(settings: StepSettings, facts: AttemptFacts): RelayStep {
  const { verdict, attempt } = facts;
  if (verdict.kind === 'dead') return verdict;
  if (attempt >= settings.retryPolicy.numRetries) {
    return { kind: 'dead', cause: 'retries-spent', reason: `${verdict.reason}, and no retry is left` };
  }
  return whileKept(settings, facts, nextRetry(settings, facts));
}

/** Our choice: how long a message that was not tried waits where the policy has no delay. */
const UNTRIED_DELAY_SECONDS = 300;

/**
 * What to do with a message that could not be tried, as for want of a secret. Nothing is wrong with it: the immediate retries
 * are skipped, and a policy without any other does not cost it its life for which nothing was tried yet, until the queue
 * would drop it.
 */
export function untriedStep(settings: StepSettings, facts: AttemptFacts): RelayStep {
  const { numNoDelayRetries, numRetries } = settings.retryPolicy;
  const attempt = Math.max(facts.attempt, numNoDelayRetries);
  const isWithoutDelays = facts.attempt === 0 && numRetries <= numNoDelayRetries;
  if (facts.verdict.kind === 'dead' || !isWithoutDelays) return nextStep(settings, { ...facts, attempt });
  return whileKept(settings, facts, { retry: 0, delaySeconds: UNTRIED_DELAY_SECONDS });
}

/** How much longer a message waits, as a part of how long the relay has had it. Our choice. */
const SHARE = 1 / 4;

const SHORTEST_SECONDS = 300;
const LONGEST_SECONDS = 3_600;

/**
 * How long a message waits that the endpoint was asked about, that is to be given up, and that the dead-letter queue did not
 * take. The relay asks the endpoint anew when it comes back, since a queue keeps no note of what was decided: so the wait
 * grows, from five minutes to an hour. It grows no further, lest the messages behind it in a group wait for half a day
 * because of a second's failure; and since SQS, which may be allowed what the relay is not, moves the message itself once it
 * was received `maxReceiveCount` times.
 */
export function deadLetteringFailedDelaySeconds(
  { firstReceivedAtMs }: Pick<ReceivedMessage, 'firstReceivedAtMs'>,
  nowMs: number,
) {
  const hadSeconds = (nowMs - firstReceivedAtMs) / 1_000;
  return Math.min(Math.max(SHORTEST_SECONDS, Math.round(hadSeconds * SHARE)), LONGEST_SECONDS);
}
