import fc from 'fast-check';
import { BACKOFF_FUNCTIONS, type RetryPolicy } from '../../policy/delivery-policy/delivery-policy';

export const backoffFunctions = fc.constantFrom(...BACKOFF_FUNCTIONS);

/** The delays and the number of retries of a backoff phase. */
export const backoffSpans = fc
  .record({
    a: fc.integer({ min: 1, max: 3_600 }),
    b: fc.integer({ min: 1, max: 3_600 }),
    retries: fc.integer({ min: 1, max: 100 }),
  })
  .map(({ a, b, retries }) => ({ minDelaySeconds: Math.min(a, b), maxDelaySeconds: Math.max(a, b), retries }));

/** Retry policies whose phases fit: at most these numbers of retries for each phase in order, and delays up to `longestSeconds`. */
export function retryPolicies(
  [noDelay, minDelay, growing, maxDelay]: readonly [number, number, number, number],
  longestSeconds: number,
): fc.Arbitrary<RetryPolicy> {
  return fc
    .record({
      phases: fc.tuple(fc.nat(noDelay), fc.nat(minDelay), fc.nat(growing), fc.nat(maxDelay)),
      a: fc.integer({ min: 1, max: longestSeconds }),
      b: fc.integer({ min: 1, max: longestSeconds }),
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
}

/** Retry policies with valid attributes and phases that fit. They may take longer than 3,600 s. */
export const fittingRetryPolicies: fc.Arbitrary<RetryPolicy> = retryPolicies([25, 25, 25, 25], 3_600);

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
