import { MAX_FUNCTION_TIMEOUT_SECONDS, QUEUE_LIMITS, VISIBILITY_PER_TIMEOUT } from '../aws-limits';
import type { RetryPolicy } from '../delivery-policy/delivery-policy';
import type { PolicyLimits } from '../delivery-policy/policy-rules';
import { totalDelaySeconds } from '../delivery-policy/retry-schedule';
import { HOUR_SECONDS } from '../time-units';

/** For clocks that differ by a few seconds. */
const CLOCK_MARGIN_SECONDS = 5;

/** How long before the queue deletes a message the relay must be done with it. */
export const RETENTION_MARGIN_SECONDS = HOUR_SECONDS;

/** The least number of extra receives, for messages handed back, throttled invocations and crashes. */
const LEAST_HEADROOM = 10;

/** The reserve as a share of the receives that the policy needs. */
const HEADROOM_SHARE = 0.2;

export interface RelayTerms {
  /** The visibility timeout of the relay's queue. */
  readonly visibilitySeconds: number;
  readonly functionTimeoutSeconds: number;
  readonly totalTimeoutSeconds: number;
  readonly jitterPercent: number;
  /** The retention period of the relay's queue. */
  readonly retentionSeconds: number;
}

/**
 * The longest delay the relay can set, in seconds. Changing a message's visibility timeout does not restart its twelve
 * hours: they count from the receive. A batch that Lambda throttled is invoked long after the receive, but before its
 * messages are visible again.
 * @param visibilitySeconds the queue's visibility timeout
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
 */
export function longestDelaySeconds(visibilitySeconds: number): number {
  return QUEUE_LIMITS.visibilityTimeoutSeconds.max - visibilitySeconds - CLOCK_MARGIN_SECONDS;
}

/** The longest visibility timeout of a relay's queue: 5,400 seconds. */
const LONGEST_VISIBILITY_SECONDS = VISIBILITY_PER_TIMEOUT * MAX_FUNCTION_TIMEOUT_SECONDS;

/** A delay that every relay can set, whatever its visibility timeout. */
export const ALWAYS_ALLOWED_SECONDS = longestDelaySeconds(LONGEST_VISIBILITY_SECONDS);

/**
 * How often SQS delivers a message whose attempts all fail: once for all attempts without delay, and once for each
 * delayed retry.
 */
export function receivesNeeded({ numRetries, numNoDelayRetries }: RetryPolicy): number {
  return 1 + numRetries - numNoDelayRetries;
}

function withHeadroom(receives: number): number {
  return receives + Math.max(LEAST_HEADROOM, Math.ceil(receives * HEADROOM_SHARE));
}

/**
 * The `maxReceiveCount` of the relay's queue. It only catches messages for which the relay never reaches a decision:
 * all others the relay gives up itself.
 * @param besides receives that are not attempts: those of a breaker that sweeps its queue
 */
export function maxReceiveCount(policy: RetryPolicy, besides = 0): number {
  return Math.min(withHeadroom(receivesNeeded(policy)) + besides, QUEUE_LIMITS.receiveCount.max);
}

/** The most retries that fit into a queue's maximum receive count, with their headroom. */
export const MAX_RELAY_RETRIES = Math.floor(QUEUE_LIMITS.receiveCount.max / (1 + HEADROOM_SHARE)) - 1;

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
 * The default policy of a relay. Even with the shortest jitter, its delays add up to 73 hours: a message that fails on
 * Friday night is still being retried on Monday night. Then it is retried hourly, which is soon enough after a repair,
 * and takes fewer than a hundred requests per message. The retry without delay is for a connection that the endpoint
 * closed just as it was reused.
 */
export const DEFAULT_RELAY_POLICY: RetryPolicy = {
  minDelayTarget: 20,
  maxDelayTarget: HOUR_SECONDS,
  numRetries: 93,
  numNoDelayRetries: 1,
  numMinDelayRetries: 2,
  numMaxDelayRetries: 80,
  backoffFunction: 'exponential',
};

export const DEFAULT_RELAY_TERMS = {
  jitterPercent: 10,
  totalTimeoutSeconds: 15,
  retentionSeconds: 864_000,
  maximumConcurrency: 5,
  /**
   * A rate that an endpoint can take after an outage. Without it, a backlog of hours arrives at hundreds of requests
   * per second, from as few as two invocations with ten messages each.
   */
  maxReceivesPerSecond: 50,
} as const;

/**
 * The lowest rate, in messages per second, at which a relay reaches `messages` in flight while every attempt fails.
 * Each message is in flight from its first attempt to its last. Infinite for a policy without delays.
 */
export function failingPerSecond(policy: RetryPolicy, messages: number): number {
  return messages / totalDelaySeconds(policy);
}

/**
 * Seconds from the start of an outage until a relay has `messages` in flight.
 * @param perSecond how many messages arrive
 * @returns undefined when that never happens, because the relay gives up as many messages as arrive
 */
export function secondsUntilInFlight(policy: RetryPolicy, messages: number, perSecond: number): number | undefined {
  return perSecond < failingPerSecond(policy, messages) ? undefined : messages / perSecond;
}
