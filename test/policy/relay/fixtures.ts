import fc from 'fast-check';
import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { DEFAULT_DEAD_STATUSES } from '../../../policy/relay/attempt-verdict';
import type { StepSettings } from '../../../policy/relay/next-step';
import { longestDelaySeconds } from '../../../policy/relay/relay-limits';
import type { SpendingSettings } from '../../../policy/relay/relay-schedule';
import type { RelaySettings } from '../../../policy/relay/relay-settings';
import { retryPolicies } from '../arbitraries';

/** 1 retry at once, 1 after 20 s, 5 after 20, 30, 40, 50 and 60 s, 2 after 60 s each. */
export const POLICY: RetryPolicy = {
  minDelayTarget: 20,
  maxDelayTarget: 60,
  numRetries: 9,
  numNoDelayRetries: 1,
  numMinDelayRetries: 1,
  numMaxDelayRetries: 2,
  backoffFunction: 'linear',
};

/** Settings without jitter, so that tables can be read. */
export const SETTINGS: RelaySettings = {
  queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/relay',
  deadLetterQueueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/relay-dlq',
  fifo: false,
  endpoint: { url: 'https://partner.example.com/orders' },
  retryPolicy: POLICY,
  jitterPercent: 0,
  retryAfterCapSeconds: 3_600,
  maxDelaySeconds: longestDelaySeconds(720),
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  contentType: 'text/plain; charset=UTF-8',
  rawMessageDelivery: false,
  headers: {},
  allowedPrivateRanges: [],
  deadStatuses: DEFAULT_DEAD_STATUSES,
};

/** Any possible schedule of a relay. */
export const stepSettings: fc.Arbitrary<StepSettings & SpendingSettings> = fc.record({
  retryPolicy: retryPolicies([5, 20, 40, 40], 43_000),
  jitterPercent: fc.nat(100),
  maxDelaySeconds: fc.integer({ min: 1, max: 43_195 }),
  retryAfterCapSeconds: fc.nat(100_000),
  totalTimeoutMs: fc.constant(15_000),
  fifo: fc.boolean(),
});

/** From 0 to 1, both ends included. */
export const chances = fc.double({ min: 0, max: 1, noNaN: true });
