import { PRESETS, type RetryPolicy } from '../delivery-policy/delivery-policy';

export const PROTOCOLS = [
  'application',
  'email',
  'email-json',
  'firehose',
  'http',
  'https',
  'lambda',
  'sms',
  'sqs',
] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/**
 * The protocols that support raw message delivery.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
 */
export const RAW_PROTOCOLS: readonly Protocol[] = ['firehose', 'http', 'https', 'sqs'];

/**
 * The protocols a FIFO topic can deliver to.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-delivery.html
 */
export const FIFO_PROTOCOLS: readonly Protocol[] = ['sqs'];

/** The schedule of the retries: one of the two that AWS fixes, or the delivery policy of an HTTP/S subscription. */
export type GoverningPolicy = 'aws-managed' | 'customer-managed' | 'delivery-policy';

const GOVERNING_POLICIES: Readonly<Record<Protocol, GoverningPolicy>> = {
  application: 'customer-managed',
  email: 'customer-managed',
  'email-json': 'customer-managed',
  firehose: 'aws-managed',
  http: 'delivery-policy',
  https: 'delivery-policy',
  lambda: 'aws-managed',
  sms: 'customer-managed',
  sqs: 'aws-managed',
};

/**
 * The schedule that governs the retries of a protocol. There is one exception: `classify` gives Firehose's throttling
 * another schedule.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function policyFor(protocol: Protocol): GoverningPolicy {
  return GOVERNING_POLICIES[protocol];
}

/** The retry policy for `governing`, given the effective retry policy of the subscription. */
export function retryPolicyOf(governing: GoverningPolicy, healthyRetryPolicy: RetryPolicy): RetryPolicy {
  return governing === 'delivery-policy' ? healthyRetryPolicy : PRESETS[governing];
}
