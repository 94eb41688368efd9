import fc from 'fast-check';
import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { policyProblems } from '../../../policy/delivery-policy/policy-document';
import { formatProblem } from '../../../policy/problem';
import {
  ALWAYS_ALLOWED_SECONDS,
  failingPerSecond,
  longestDelaySeconds,
  MAX_RELAY_RETRIES,
  maxReceiveCount,
  type RelayTerms,
  receivesNeeded,
  relayLimits,
  secondsUntilInFlight,
} from '../../../policy/relay/relay-limits';
import { jitteredDelaySeconds } from '../../../policy/relay/relay-schedule';
import { fittingRetryPolicies } from '../arbitraries';
import { POLICY, SETTINGS } from './fixtures';

const TERMS: RelayTerms = {
  visibilitySeconds: 720,
  functionTimeoutSeconds: 120,
  totalTimeoutSeconds: 15,
  jitterPercent: 0,
  retentionSeconds: 1_209_600,
};

function found(healthyRetryPolicy: Partial<RetryPolicy>, terms: Partial<RelayTerms> = {}): string[] {
  return policyProblems({ healthyRetryPolicy }, { limits: relayLimits({ ...TERMS, ...terms }) }).map(formatProblem);
}

/** A policy with this many retries, all after the same delay. */
function evenly(numRetries: number, delaySeconds: number): Partial<RetryPolicy> {
  return { numRetries, minDelayTarget: delaySeconds, maxDelayTarget: delaySeconds };
}

// aws-semantics.md section 7: twelve hours after the receive. An extension does not restart them.
test('The longest delay is twelve hours less the time since the receive, and less five seconds', () => {
  expect(longestDelaySeconds(720)).toBe(43_200 - 720 - 5);
  expect(longestDelaySeconds(5_400)).toBe(37_795);
  expect(ALWAYS_ALLOWED_SECONDS).toBe(37_795);
});

describe('The receives of a queue', () => {
  test.each([
    ['no retry', { numRetries: 0 }, 1, 11],
    [
      'retries without delay only, which are made with the first attempt',
      { numRetries: 4, numNoDelayRetries: 4 },
      1,
      11,
    ],
    ['the default of SNS', { numRetries: 3 }, 4, 14],
    ['a headroom of ten', { numRetries: 49 }, 50, 60],
    ['a headroom of a fifth', { numRetries: 50 }, 51, 62],
    ['the most a relay may have', { numRetries: MAX_RELAY_RETRIES }, 833, 1_000],
    ['more than a queue counts', { numRetries: 5_000 }, 5_001, 1_000],
  ])('are right for %s', (_, attributes, needed, most) => {
    const policy = { ...POLICY, numNoDelayRetries: 0, ...attributes };
    expect(receivesNeeded(policy)).toBe(needed);
    expect(maxReceiveCount(policy)).toBe(most);
  });

  test('are more than a policy needs, for any relay', () => {
    fc.assert(
      fc.property(fc.nat(MAX_RELAY_RETRIES), fc.nat(20), (numRetries, numNoDelayRetries) => {
        const policy = { ...POLICY, numRetries, numNoDelayRetries: Math.min(numRetries, numNoDelayRetries) };
        const most = maxReceiveCount(policy);
        expect(most - receivesNeeded(policy)).toBeGreaterThanOrEqual(10);
        expect(most).toBeLessThanOrEqual(1_000);
      }),
    );
  });
});

describe('The retry policy of a relay', () => {
  test('may take days, while one of SNS ends within an hour', () => {
    const days = evenly(100, 10_000);
    expect(found(days)).toEqual([]);
    expect(policyProblems({ healthyRetryPolicy: days }).map(formatProblem)).toEqual([
      'healthyRetryPolicy.maxDelayTarget must be less than or equal to 3600, got 10000',
    ]);
  });

  test('has no more retries than a queue counts receives, less a reserve', () => {
    expect(MAX_RELAY_RETRIES).toBe(832);
    expect(found(evenly(832, 60))).toEqual([]);
    expect(found(evenly(833, 60))).toEqual([
      'healthyRetryPolicy.numRetries must be less than or equal to 832, got 833',
    ]);
  });

  test('has no more immediate retries than one invocation has time for', () => {
    const atOnce = (numNoDelayRetries: number, functionTimeoutSeconds: number) =>
      found({ numRetries: numNoDelayRetries, numNoDelayRetries }, { functionTimeoutSeconds });
    expect(atOnce(7, 120)).toEqual([]);
    expect(atOnce(8, 120)).toEqual(['healthyRetryPolicy.numNoDelayRetries must be less than or equal to 7, got 8']);
    expect(atOnce(0, 10)).toEqual([]);
    expect(atOnce(1, 10)).toEqual(['healthyRetryPolicy.numNoDelayRetries must be less than or equal to 0, got 1']);
  });

  const rule = (seconds: number) =>
    `healthyRetryPolicy must spend at most ${seconds} seconds in all its attempts and delays together, jitter included, while its queue keeps a message`;

  test('ends in time even if jitter makes every delay as long as possible', () => {
    const retentionSeconds = 3_600 + 11 * 15 + 10 * 150;
    expect(found(evenly(10, 100), { retentionSeconds, jitterPercent: 50 })).toEqual([]);
    expect(found(evenly(10, 100), { retentionSeconds, jitterPercent: 51 })).toEqual([`${rule(1_665)}, got 1675`]);
  });

  test('that is accepted always has enough time', () => {
    fc.assert(
      fc.property(
        fittingRetryPolicies,
        fc.nat(100),
        fc.integer({ min: 3_660, max: 1_209_600 }),
        (policy, jitterPercent, retentionSeconds) => {
          const retryPolicy = {
            ...policy,
            numNoDelayRetries: 0,
            numRetries: policy.numRetries - policy.numNoDelayRetries,
          };
          if (found(retryPolicy, { jitterPercent, retentionSeconds }).length > 0) return;
          let seconds = (retryPolicy.numRetries + 1) * TERMS.totalTimeoutSeconds;
          for (let retry = 1; retry <= retryPolicy.numRetries; retry++) {
            seconds += jitteredDelaySeconds({ ...SETTINGS, retryPolicy, jitterPercent }, retry, 1);
          }
          // A delay is rounded to the second.
          expect(seconds).toBeLessThanOrEqual(retentionSeconds - 3_600 + retryPolicy.numRetries / 2);
        },
      ),
    );
  });
});

describe('Messages in flight while every attempt fails', () => {
  /** Each message waits 10 times 20 seconds. */
  const WAITS_200_SECONDS: RetryPolicy = {
    ...POLICY,
    minDelayTarget: 20,
    maxDelayTarget: 20,
    numRetries: 10,
    numNoDelayRetries: 0,
    numMinDelayRetries: 0,
    numMaxDelayRetries: 0,
    backoffFunction: 'linear',
  };

  test('reach a number at the rate at which that many arrive while one message waits', () => {
    expect(failingPerSecond(WAITS_200_SECONDS, 80_000)).toBe(400);
  });

  test('take as long as that many need to arrive, and never reach it at a lower rate', () => {
    expect(secondsUntilInFlight(WAITS_200_SECONDS, 80_000, 800)).toBe(100);
    expect(secondsUntilInFlight(WAITS_200_SECONDS, 80_000, 400)).toBe(200);
    expect(secondsUntilInFlight(WAITS_200_SECONDS, 80_000, 399)).toBeUndefined();
  });
});

test('The receives of a breaker’s sweeps are added to those of the attempts', () => {
  expect(maxReceiveCount(POLICY, 7)).toBe(maxReceiveCount(POLICY) + 7);
});
