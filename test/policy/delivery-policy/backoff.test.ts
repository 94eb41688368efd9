import fc from 'fast-check';
import { backoffDelay } from '../../../policy/delivery-policy/backoff';
import { BACKOFF_FUNCTIONS, type BackoffFunction } from '../../../policy/delivery-policy/delivery-policy';
import { backoffFunctions, backoffSpans } from '../arbitraries';

function series(backoffFunction: BackoffFunction, minDelaySeconds: number, maxDelaySeconds: number, retries: number) {
  const span = { minDelaySeconds, maxDelaySeconds, retries };
  return Array.from({ length: retries }, (_, index) => backoffDelay(backoffFunction, span, index + 1));
}

describe("AWS's own numbers", () => {
  test('linear from 20 to 40 s in three retries is 20, 30, 40', () => {
    expect(series('linear', 20, 40, 3)).toEqual([20, 30, 40]);
  });

  test('the default, 20 to 20 s in three retries, is 20, 20, 20 whatever the curve', () => {
    for (const backoffFunction of BACKOFF_FUNCTIONS) {
      expect(series(backoffFunction, 20, 20, 3)).toEqual([20, 20, 20]);
    }
  });
});

describe("the figure's policy: 5 to 260 s in ten retries", () => {
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
  test('begins at the least delay and ends at the greatest', () => {
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

  test('stays flat when both ends are the same', () => {
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

  test('waits the least delay when the phase has a single retry', () => {
    for (const backoffFunction of BACKOFF_FUNCTIONS) expect(series(backoffFunction, 5, 260, 1)).toEqual([5]);
  });

  test('stays a number in a phase of thousands of retries', () => {
    const span = { minDelaySeconds: 1, maxDelaySeconds: 43_200, retries: 5_000 };
    expect(backoffDelay('exponential', span, 4_999)).toBeCloseTo(21_600.5, 6);
    expect(backoffDelay('exponential', span, 2)).toBeCloseTo(1, 9);
  });

  test.each([0, 11, -1, 1.5, Number.NaN])('refuses retry %p of ten', i => {
    const span = { minDelaySeconds: 5, maxDelaySeconds: 260, retries: 10 };
    expect(() => backoffDelay('linear', span, i)).toThrow(
      new RangeError(`backoff retry must be a whole number from 1 to 10, got ${i}`),
    );
  });
});
