import fc from 'fast-check';
import {
  BACKOFF_FUNCTIONS,
  type BackoffFunction,
  PRESETS,
  type RetryPolicy,
  withDefaults,
} from '../../../policy/delivery-policy/delivery-policy';
import {
  backoffDelay,
  backoffRetries,
  delayBeforeRetry,
  phaseSpans,
  RETRY_PHASES,
  retryDelays,
  retrySchedule,
  totalDelaySeconds,
} from '../../../policy/delivery-policy/retry-schedule';
import { backoffFunctions, backoffSpans, fittingRetryPolicies, SAMPLE_POLICY } from '../arbitraries';

describe('retry schedule', () => {
  const policy = (attributes: Partial<RetryPolicy>) =>
    withDefaults({ healthyRetryPolicy: attributes }).healthyRetryPolicy;

  describe("AWS's own numbers", () => {
    test('the default policy retries three times, 20 s apart', () => {
      expect(retryDelays(policy({}))).toEqual([20, 20, 20]);
      expect(totalDelaySeconds(policy({}))).toBe(60);
    });

    test('three linear retries from 20 to 40 s wait 20, 30 and 40 s', () => {
      expect(retryDelays(policy({ maxDelayTarget: 40 }))).toEqual([20, 30, 40]);
    });

    test('the sample policy has 3 + 2 + 10 + 35 retries', () => {
      const sample = SAMPLE_POLICY.healthyRetryPolicy;
      expect(phaseSpans(sample)).toEqual([
        { phase: 'no-delay', firstRetry: 1, retries: 3 },
        { phase: 'pre-backoff', firstRetry: 4, retries: 2 },
        { phase: 'backoff', firstRetry: 6, retries: 10 },
        { phase: 'post-backoff', firstRetry: 16, retries: 35 },
      ]);
      const delays = retryDelays(sample);
      expect(delays).toHaveLength(50);
      expect(delays.slice(0, 6)).toEqual([0, 0, 0, 1, 1, 1]);
      expect(delays.slice(14)).toEqual(Array(36).fill(60));
      expect(delays[13]).toBeCloseTo(30.4423, 4);
    });

    test('the AWS-managed policy retries 100,015 times over more than 23 days', () => {
      const days = totalDelaySeconds(PRESETS['aws-managed']) / 86_400;
      expect(retryDelays(PRESETS['aws-managed'])).toHaveLength(100_015);
      expect(days).toBeGreaterThan(23);
      expect(days).toBeLessThan(24);
      expect(phaseSpans(PRESETS['aws-managed']).map(({ retries }) => retries)).toEqual([3, 2, 10, 100_000]);
    });

    test('the customer-managed policy retries 50 times over more than 6 hours', () => {
      const hours = totalDelaySeconds(PRESETS['customer-managed']) / 3_600;
      expect(retryDelays(PRESETS['customer-managed'])).toHaveLength(50);
      expect(hours).toBeGreaterThan(6);
      expect(hours).toBeLessThan(7);
      expect(phaseSpans(PRESETS['customer-managed']).map(({ retries }) => retries)).toEqual([0, 2, 10, 38]);
    });
  });

  describe('one retry', () => {
    test('is computed without the whole schedule, even the last of 100,015', () => {
      const managed = PRESETS['aws-managed'];
      const found = [1, 3, 4, 5, 6, 15, 16, 100_015].map(retry => delayBeforeRetry(managed, retry));
      expect(found).toEqual([0, 0, 1, 1, 1, 20, 20, 20]);
    });

    test.each([0, 4, -1, 1.5, Number.NaN])('%p is not a retry of the default policy', retry => {
      const refusal = new RangeError(`retry must be a whole number from 1 to 3, got ${retry}`);
      expect(() => delayBeforeRetry(policy({}), retry)).toThrow(refusal);
    });
  });

  describe('any policy whose phases fit into its retries', () => {
    test('has numRetries retries, each in its phase, phases in their order', () => {
      fc.assert(
        fc.property(fittingRetryPolicies, retryPolicy => {
          const schedule = retrySchedule(retryPolicy);
          const counts = RETRY_PHASES.map(phase => schedule.filter(entry => entry.phase === phase).length);
          expect(schedule.map(({ retry }) => retry)).toEqual(
            Array.from({ length: retryPolicy.numRetries }, (_, i) => i + 1),
          );
          expect(counts).toEqual([
            retryPolicy.numNoDelayRetries,
            retryPolicy.numMinDelayRetries,
            backoffRetries(retryPolicy),
            retryPolicy.numMaxDelayRetries,
          ]);
          const order = schedule.map(({ phase }) => RETRY_PHASES.indexOf(phase));
          expect(order).toEqual([...order].sort((a, b) => a - b));
        }),
      );
    });

    test('has delays of zero, of the minimum, in between, and then of the maximum', () => {
      fc.assert(
        fc.property(fittingRetryPolicies, retryPolicy => {
          const { minDelayTarget, maxDelayTarget } = retryPolicy;
          const bounds = {
            'no-delay': [0, 0],
            'pre-backoff': [minDelayTarget, minDelayTarget],
            backoff: [minDelayTarget, maxDelayTarget],
            'post-backoff': [maxDelayTarget, maxDelayTarget],
          } as const;
          for (const { phase, delaySeconds } of retrySchedule(retryPolicy)) {
            expect(delaySeconds).toBeGreaterThanOrEqual(bounds[phase][0]);
            expect(delaySeconds).toBeLessThanOrEqual(bounds[phase][1]);
          }
        }),
      );
    });

    test('gives the same for one retry as in the whole schedule', () => {
      fc.assert(
        fc.property(fittingRetryPolicies, retryPolicy => {
          for (const { retry, delaySeconds } of retrySchedule(retryPolicy)) {
            expect(delayBeforeRetry(retryPolicy, retry)).toBe(delaySeconds);
          }
        }),
      );
    });

    test('makes each retry at the sum of the delays before it', () => {
      fc.assert(
        fc.property(fittingRetryPolicies, retryPolicy => {
          let sum = 0;
          for (const { delaySeconds, atSeconds } of retrySchedule(retryPolicy)) {
            sum += delaySeconds;
            expect(atSeconds).toBeCloseTo(sum, 6);
          }
          expect(totalDelaySeconds(retryPolicy)).toBeCloseTo(sum, 6);
        }),
      );
    });
  });

  test('a policy without retries has an empty schedule', () => {
    expect(retrySchedule(policy({ numRetries: 0 }))).toEqual([]);
    expect(totalDelaySeconds(policy({ numRetries: 0 }))).toBe(0);
  });
});

function series(backoffFunction: BackoffFunction, minDelaySeconds: number, maxDelaySeconds: number, retries: number) {
  const span = { minDelaySeconds, maxDelaySeconds, retries };
  return Array.from({ length: retries }, (_, index) => backoffDelay(backoffFunction, span, index + 1));
}

describe("AWS's own numbers", () => {
  test('linear from 20 to 40 s in three retries is 20, 30, 40', () => {
    expect(series('linear', 20, 40, 3)).toEqual([20, 30, 40]);
  });
});

describe('the policy of AWS’s figure: 5 to 260 s in ten retries', () => {
  test.each([
    ['linear', [5, 33.3, 61.7, 90, 118.3, 146.7, 175, 203.3, 231.7, 260], 1_325],
    ['arithmetic', [5, 8.1, 17.6, 33.3, 55.4, 83.7, 118.3, 159.3, 206.5, 260], 947],
    ['geometric', [5, 7.8, 12, 18.7, 28.9, 44.9, 69.7, 108.05, 167.6, 260], 723],
    ['exponential', [5, 5.5, 6.5, 8.5, 12.5, 20.5, 36.4, 68.4, 132.25, 260], 556],
  ] as const)('%s', (backoffFunction, delays, sum) => {
    const figure = series(backoffFunction, 5, 260, 10);
    expect(figure).toHaveLength(10);
    for (const [i, delay] of delays.entries()) expect(Math.abs((figure[i] as number) - delay)).toBeLessThan(0.051);
    expect(Math.round(figure.reduce((total, delay) => total + delay, 0))).toBe(sum);
  });

  test('between the ends, exponential is below geometric, geometric below arithmetic, arithmetic below linear', () => {
    const [exponential, geometric, arithmetic, linear] = (
      ['exponential', 'geometric', 'arithmetic', 'linear'] as const
    ).map(backoffFunction => series(backoffFunction, 5, 260, 10).slice(1, -1)) as [
      number[],
      number[],
      number[],
      number[],
    ];
    for (const i of exponential.keys()) {
      expect(exponential[i]).toBeLessThan(geometric[i] as number);
      expect(geometric[i]).toBeLessThan(arithmetic[i] as number);
      expect(arithmetic[i]).toBeLessThan(linear[i] as number);
    }
  });
});

describe('any curve', () => {
  test('begins at the minimum delay and ends at the maximum', () => {
    fc.assert(
      fc.property(backoffFunctions, backoffSpans, (backoffFunction, span) => {
        expect(backoffDelay(backoffFunction, span, 1)).toBe(span.minDelaySeconds);
        if (span.retries > 1) {
          expect(backoffDelay(backoffFunction, span, span.retries)).toBe(span.maxDelaySeconds);
        }
      }),
    );
  });

  test('never falls, and is never above linear', () => {
    fc.assert(
      fc.property(backoffFunctions, backoffSpans, (backoffFunction, { minDelaySeconds, maxDelaySeconds, retries }) => {
        const delays = series(backoffFunction, minDelaySeconds, maxDelaySeconds, retries);
        const linear = series('linear', minDelaySeconds, maxDelaySeconds, retries);
        const rounding = maxDelaySeconds * 1e-12;
        for (const [i, delay] of delays.entries()) {
          expect(delay).toBeGreaterThanOrEqual((delays[i - 1] ?? 0) - rounding);
          expect(delay).toBeLessThanOrEqual((linear[i] as number) + rounding);
        }
      }),
    );
  });

  test('stays constant if both ends are the same', () => {
    fc.assert(
      fc.property(
        backoffFunctions,
        fc.integer({ min: 1, max: 3_600 }),
        fc.integer({ min: 1, max: 100 }),
        (f, delay, n) => {
          for (const value of series(f, delay, delay, n)) expect(value).toBeCloseTo(delay, 9);
        },
      ),
    );
  });

  test('has the minimum delay if the phase has a single retry', () => {
    for (const backoffFunction of BACKOFF_FUNCTIONS) expect(series(backoffFunction, 5, 260, 1)).toEqual([5]);
  });

  test.each([0, 11, -1, 1.5, Number.NaN])('refuses retry %p of ten', i => {
    const span = { minDelaySeconds: 5, maxDelaySeconds: 260, retries: 10 };
    expect(() => backoffDelay('linear', span, i)).toThrow(
      new RangeError(`backoff retry must be a whole number from 1 to 10, got ${i}`),
    );
  });
});
