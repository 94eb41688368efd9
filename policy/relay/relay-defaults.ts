import type { RetryPolicy } from '../delivery-policy/delivery-policy';

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
