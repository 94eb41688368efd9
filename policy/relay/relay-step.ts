/** Why a message is given up. */
export const DEAD_LETTER_CAUSES = [
  /** The endpoint answered 410: it is gone for good. */
  'gone',
  /** The endpoint answered with another client error. */
  'refused',
  /** The endpoint redirects, and redirects are not followed. */
  'redirected',
  /** The answer was no final answer to a request: 1xx, or no status of HTTP at all. */
  'not-final',
  /** The endpoint's URL names an address no relay may send to. */
  'forbidden-address',
  /** The last attempt of the policy failed. */
  'retries-spent',
  /** The queue would drop the message before its next retry, or before its relay runs again. */
  'retention-spent',
  /** What the queue holds is no notification of SNS. */
  'not-an-envelope',
] as const;

export type DeadLetterCause = (typeof DEAD_LETTER_CAUSES)[number];

/** What an attempt that did not deliver comes to. */
export type FailedAttempt =
  /** Another attempt may fare better. */
  | { readonly kind: 'retry'; readonly reason: string }
  /** None will. */
  | { readonly kind: 'dead'; readonly cause: DeadLetterCause; readonly reason: string };

/** What one attempt comes to. */
export type RelayVerdict = { readonly kind: 'delivered'; readonly reason: string } | FailedAttempt;

/** Tries again: at once, in the same invocation, where `delaySeconds` is 0; else when that visibility timeout is over. */
export interface RetryStep {
  readonly kind: 'retry';
  /** The number of the retry to come, counted from 1 over the whole policy; 0 where the initial attempt is yet to be made. */
  readonly retry: number;
  /** A whole number. */
  readonly delaySeconds: number;
  readonly reason: string;
}

/** Gives the message up. */
export interface DeadStep {
  readonly kind: 'dead';
  readonly cause: DeadLetterCause;
  readonly reason: string;
}

/** What to do with a message whose attempt failed. */
export type RelayStep = RetryStep | DeadStep;
