import type { Constraints } from '../kernel/constraints';

/** How long, and how often, EventBridge and EventBridge Scheduler try again. */
export interface RetryPolicy {
  readonly maximumRetryAttempts: number;
  readonly maximumEventAgeSeconds: number;
}

/** The same as the API has it. */
export interface RetryPolicyInput {
  readonly MaximumRetryAttempts?: number | undefined;
  readonly MaximumEventAgeInSeconds?: number | undefined;
}

/** What ended the retries. */
export type ExhaustedRetryCondition = 'MaximumRetryAttempts' | 'MaximumEventAgeInSeconds';

const MAX_RETRIES = 185;
const MIN_AGE_SECONDS = 60;
const MAX_AGE_SECONDS = 86_400;

/**
 * @default 185 retries in 24 hours
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_RetryPolicy.html
 */
export function retryPolicyOf({ MaximumRetryAttempts, MaximumEventAgeInSeconds }: RetryPolicyInput = {}): RetryPolicy {
  return {
    maximumRetryAttempts: MaximumRetryAttempts ?? MAX_RETRIES,
    maximumEventAgeSeconds: MaximumEventAgeInSeconds ?? MAX_AGE_SECONDS,
  };
}

/**
 * How a dead letter is sent. AWS publishes nothing. Our choice: with three retries, as AWS's SDKs have, so that a queue that
 * blinks costs no event.
 */
export const DEAD_LETTER_RETRIES: RetryPolicy = { maximumRetryAttempts: 3, maximumEventAgeSeconds: 60 };

/** @param member where the policy stands in the request: `targets.1.member.retryPolicy` */
export function constrainRetryPolicy(constraints: Constraints, member: string, policy: RetryPolicyInput = {}): void {
  constraints
    .range(`${member}.maximumRetryAttempts`, policy.MaximumRetryAttempts, 0, MAX_RETRIES)
    .range(`${member}.maximumEventAgeInSeconds`, policy.MaximumEventAgeInSeconds, MIN_AGE_SECONDS, MAX_AGE_SECONDS);
}

const LONGEST_DELAY_SECONDS = 480;

/**
 * How long to wait before a retry. AWS says "exponential back off and jitter", and no numbers. Our choice: 1 s, twice as long
 * each time, up to 8 minutes, which is where 185 retries fill the 24 hours; and no jitter, so that what a test expects
 * can be written down.
 *
 * @param retry 1 for the first
 */
export function retryDelaySeconds(retry: number): number {
  return Math.min(2 ** Math.min(retry - 1, 30), LONGEST_DELAY_SECONDS);
}
