import fc from 'fast-check';
import { BACKOFF_FUNCTIONS, type RetryPolicy } from '../../lib/policy/delivery-policy/delivery-policy';

export const backoffFunctions = fc.constantFrom(...BACKOFF_FUNCTIONS);

/** The delays and the number of retries of a backoff phase. */
export const backoffSpans = fc
  .record({
    a: fc.integer({ min: 1, max: 3_600 }),
    b: fc.integer({ min: 1, max: 3_600 }),
    retries: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ a, b, retries }) => ({ minDelaySeconds: Math.min(a, b), maxDelaySeconds: Math.max(a, b), retries }));

/** Retry policies each of whose attributes is lawful and whose phases fit; they may take longer than 3,600 s. */
export const fittingRetryPolicies: fc.Arbitrary<RetryPolicy> = fc
  .record({
    phases: fc.tuple(fc.nat(25), fc.nat(25), fc.nat(25), fc.nat(25)),
    a: fc.integer({ min: 1, max: 3_600 }),
    b: fc.integer({ min: 1, max: 3_600 }),
    backoffFunction: backoffFunctions,
  })
  .map(({ phases: [numNoDelayRetries, numMinDelayRetries, backoff, numMaxDelayRetries], a, b, backoffFunction }) => ({
    minDelayTarget: Math.min(a, b),
    maxDelayTarget: Math.max(a, b),
    numRetries: numNoDelayRetries + numMinDelayRetries + backoff + numMaxDelayRetries,
    numMaxDelayRetries,
    numNoDelayRetries,
    numMinDelayRetries,
    backoffFunction,
  }));

/** The example of AWS's page: 3 at once, 2 a second apart, 10 growing from 1 to 60 s, 35 a minute apart. */
export const SAMPLE_POLICY = {
  healthyRetryPolicy: {
    minDelayTarget: 1,
    maxDelayTarget: 60,
    numRetries: 50,
    numNoDelayRetries: 3,
    numMinDelayRetries: 2,
    numMaxDelayRetries: 35,
    backoffFunction: 'exponential',
  },
  throttlePolicy: { maxReceivesPerSecond: 10 },
  requestPolicy: { headerContentType: 'application/json' },
} as const;
