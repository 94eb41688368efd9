import type { RetryLimits } from '../function/event-invoke-configuration';
import type { Condition } from '../happenings';

/** Seconds before the first and the second retry of an event the function failed on. */
const RETRY_DELAYS_SECONDS = [60, 120];

/** An event Lambda could not run is tried again after one second, and twice as long each time, up to five minutes. */
const FIRST_REQUEUE_DELAY_SECONDS = 1;
const LONGEST_REQUEUE_DELAY_SECONDS = 300;

/** What happens to an event that was not processed. */
export type NextAttempt =
  | { readonly kind: 'retry'; readonly delaySeconds: number }
  | { readonly kind: 'give-up'; readonly condition: Condition };

/** How old the event is, and what has been tried. */
export interface EventHistory {
  readonly ageMs: number;
  /** Attempts the function has failed at, the latest included. */
  readonly failures: number;
  /** How often it was throttled, or met a system error, since the last attempt, the latest included. */
  readonly requeues: number;
}

/**
 * After a function error: one minute before the second attempt, two before the third.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
 */
export function afterFailure(history: EventHistory, limits: RetryLimits): NextAttempt {
  const delaySeconds = RETRY_DELAYS_SECONDS[history.failures - 1];
  if (delaySeconds === undefined || history.failures > limits.maximumRetryAttempts) {
    return { kind: 'give-up', condition: 'RetriesExhausted' };
  }
  return unlessTooOld(history, delaySeconds, limits);
}

/** After a throttle or a system error, which use up no attempt: again and again until the event is too old. */
export function afterRequeue(history: EventHistory, limits: RetryLimits): NextAttempt {
  const delaySeconds = FIRST_REQUEUE_DELAY_SECONDS * 2 ** (history.requeues - 1);
  return unlessTooOld(history, Math.min(delaySeconds, LONGEST_REQUEUE_DELAY_SECONDS), limits);
}

/** Lambda looks ahead: an event that would be too old at its next attempt is given up at once, as recorded on AWS. */
function unlessTooOld({ ageMs }: EventHistory, delaySeconds: number, limits: RetryLimits): NextAttempt {
  const isTooOld = ageMs + delaySeconds * 1000 >= limits.maximumEventAgeSeconds * 1000;
  return isTooOld ? { kind: 'give-up', condition: 'EventAgeExceeded' } : { kind: 'retry', delaySeconds };
}
