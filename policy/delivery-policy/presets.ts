import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './delivery-policy';

/**
 * The schedules SNS itself keeps: two that nobody can change, and the one an HTTP/S endpoint has until it is given its own.
 * They are not bound by the limits of a custom policy.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export const PRESETS = {
  /** Queues, functions and Firehose streams: 100,015 retries over more than 23 days. */
  'aws-managed': {
    minDelayTarget: 1,
    maxDelayTarget: 20,
    numRetries: 100_015,
    numMaxDelayRetries: 100_000,
    numNoDelayRetries: 3,
    numMinDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  /** E-mail, SMS and mobile push: 50 retries over more than 6 hours. */
  'customer-managed': {
    minDelayTarget: 10,
    maxDelayTarget: 600,
    numRetries: 50,
    numMaxDelayRetries: 38,
    numNoDelayRetries: 0,
    numMinDelayRetries: 2,
    backoffFunction: 'exponential',
  },
  /** HTTP and HTTPS endpoints without a delivery policy of their own: 3 retries, 20 s apart. */
  'http-default': DEFAULT_RETRY_POLICY,
} as const satisfies Record<string, RetryPolicy>;

export type PresetName = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];
