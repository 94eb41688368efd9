import { QUEUE_LIMITS } from '../aws-limits';
import type { RetryPolicy } from '../delivery-policy/delivery-policy';
import type { PolicyLimits } from '../delivery-policy/policy-rules';
import { totalDelaySeconds } from '../delivery-policy/retry-schedule';

/** For clocks that do not agree to the second: our choice. */
const CLOCK_MARGIN_SECONDS = 5;

/** How long before the queue drops a message the relay is to be done with it: our choice. */
export const RETENTION_MARGIN_SECONDS = 3_600;

/** Receives beside those a policy needs, for hand-backs, throttles and crashes, at least: our choice. */
const LEAST_HEADROOM = 10;

/** The same as a share of those it needs: our choice. */
const HEADROOM_SHARE = 0.2;

/** What limits the policy of a relay. */
export interface RelayTerms {
  /** Of the relay's queue. */
  readonly visibilitySeconds: number;
  readonly functionTimeoutSeconds: number;
  /** The longest one attempt may take. */
  readonly totalTimeoutSeconds: number;
  readonly jitterPercent: number;
  /** How long the relay's queue keeps a message. */
  readonly retentionSeconds: number;
}

/**
 * The longest one delay can be. Extending a message's invisibility does not start its twelve hours anew: they count from the
 * receive, and a batch that Lambda throttled is invoked long after that, though not once its messages are visible again.
 * @param visibilitySeconds of the queue
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
export function longestDelaySeconds(visibilitySeconds: number): number {
  return QUEUE_LIMITS.visibilityTimeoutSeconds.max - visibilitySeconds - CLOCK_MARGIN_SECONDS;
}

/** The longest visibility timeout a relay's queue has: six times the longest a function may run. */
const LONGEST_VISIBILITY_SECONDS = 5_400;

/** What every relay may hide a message for, whenever it does. */
export const ALWAYS_ALLOWED_SECONDS = longestDelaySeconds(LONGEST_VISIBILITY_SECONDS);

/** How often a message is received that fails to the end: once for all attempts without delay, once for each delayed retry. */
export function receivesNeeded({ numRetries, numNoDelayRetries }: RetryPolicy): number {
  return 1 + numRetries - numNoDelayRetries;
}

function withHeadroom(receives: number): number {
  return receives + Math.max(LEAST_HEADROOM, Math.ceil(receives * HEADROOM_SHARE));
}

/**
 * The `maxReceiveCount` of the relay's queue: a backstop against messages that never get as far as a decision, for it is the
 * relay that gives up all others.
 * @param besides receives that are no attempts: those of a breaker that goes through its queue
 */
export function maxReceiveCount(policy: RetryPolicy, besides = 0): number {
  return Math.min(withHeadroom(receivesNeeded(policy)) + besides, QUEUE_LIMITS.receiveCount.max);
}

/** The most retries whose receives, with their headroom, a queue allows. */
export const MAX_RELAY_RETRIES = Math.floor(QUEUE_LIMITS.receiveCount.max / (1 + HEADROOM_SHARE)) - 1;

/** How far the policy of a relay may go. */
export function relayLimits(terms: RelayTerms): PolicyLimits {
  const { visibilitySeconds, functionTimeoutSeconds, totalTimeoutSeconds, jitterPercent, retentionSeconds } = terms;
  return {
    maxDelaySeconds: longestDelaySeconds(visibilitySeconds),
    maxRetries: MAX_RELAY_RETRIES,
    maxNoDelayRetries: Math.max(0, Math.floor(functionTimeoutSeconds / totalTimeoutSeconds) - 1),
    spending: {
      maxSeconds: retentionSeconds - RETENTION_MARGIN_SECONDS,
      of: 'all its attempts and delays together, jitter included, while its queue keeps a message',
      jitterPercent,
      attemptSeconds: totalTimeoutSeconds,
    },
  };
}

/**
 * Our choice: even with the shortest jitter all delays together are 73 hours, so a message that fails on Friday night is
 * still being tried on Monday night, and then is tried hourly: soon enough after the repair, and fewer than a hundred
 * requests of one message in more than three days. The immediate retry is for a connection that the endpoint closed just as
 * it was used again.
 */
export const DEFAULT_RELAY_POLICY: RetryPolicy = {
  minDelayTarget: 20,
  maxDelayTarget: 3_600,
  numRetries: 93,
  numNoDelayRetries: 1,
  numMinDelayRetries: 2,
  numMaxDelayRetries: 80,
  backoffFunction: 'exponential',
};

/** What the policy of a relay is judged by where nobody has said anything. */
export const DEFAULT_RELAY_TERMS = {
  jitterPercent: 10,
  totalTimeoutSeconds: 15,
  retentionSeconds: 864_000,
  maximumConcurrency: 5,
  /**
   * Our choice: what a partner that returns can be asked to bear. Without it, what piled up in hours comes at hundreds of
   * requests a second, by as few as two invocations with ten messages each.
   */
  maxReceivesPerSecond: 50,
} as const;

/**
 * The rate, in messages a second, from which on a relay has `messages` in flight one day, if every attempt fails at once and
 * goes on failing: each message is then in flight from its first attempt to its last. Infinite for a policy without delays.
 */
export function failingPerSecond(policy: RetryPolicy, messages: number): number {
  return messages / totalDelaySeconds(policy);
}

/**
 * How long, in seconds, after every attempt has begun to fail a relay has `messages` in flight.
 * @param perSecond how many messages come in
 * @returns undefined where that never is, for as many are given up as come in
 */
export function secondsUntilInFlight(policy: RetryPolicy, messages: number, perSecond: number): number | undefined {
  return perSecond < failingPerSecond(policy, messages) ? undefined : messages / perSecond;
}
