import fc from 'fast-check';
import { delayBeforeRetry } from '../../../policy/delivery-policy/retry-schedule';
import { DEFAULT_RELAY_POLICY } from '../../../policy/relay/relay-limits';
import {
  attemptsSpent,
  expiredStep,
  expiryWindowMs,
  isExpiring,
  isSweepDue,
  jitteredDelaySeconds,
  latenessMs,
  type SpendingSettings,
  sweepsWithin,
} from '../../../policy/relay/relay-schedule';
import { DAY_MS, HOUR_MS } from '../../../policy/time-units';
import { chances, SETTINGS, stepSettings } from './fixtures';

const SENT = Date.UTC(2026, 0, 5, 9);
const FIRST = SENT + 2_000;

const HALF_DAY_MS = 43_200_000;

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function message(receiveCount: number) {
  return { receiveCount, sentAtMs: SENT, firstReceivedAtMs: FIRST };
}

describe('A delay', () => {
  test.each([
    ['of the no-delay phase is none', 1, 50, 1, 0],
    ['without jitter is the scheduled one', 2, 0, 0.9, 20],
    ['is the shortest at 0', 2, 10, 0, 18],
    ['is the scheduled one in the middle', 2, 10, 0.5, 20],
    ['is the longest at 1', 2, 10, 1, 22],
    ['is rounded to the second', 4, 10, 0.9, 32],
    ['is a second at least', 2, 100, 0, 1],
    ['may be doubled', 2, 100, 1, 40],
  ])('%s', (_, retry, jitterPercent, chance, seconds) => {
    expect(jitteredDelaySeconds({ ...SETTINGS, jitterPercent }, retry, chance)).toBe(seconds);
  });

  test('is never above the longest allowed delay', () => {
    expect(jitteredDelaySeconds({ ...SETTINGS, jitterPercent: 10, maxDelaySeconds: 21 }, 2, 1)).toBe(21);
  });

  test('does not exist for a retry that the policy does not have', () => {
    expect(() => jitteredDelaySeconds(SETTINGS, 10, 0)).toThrow(RangeError);
  });

  test('is a whole number within its jitter and the limit, and grows with the random number', () => {
    fc.assert(
      fc.property(stepSettings, chances, chances, (settings, a, b) => {
        const { numRetries, numNoDelayRetries } = settings.retryPolicy;
        for (let retry = numNoDelayRetries + 1; retry <= numRetries; retry++) {
          const shorter = jitteredDelaySeconds(settings, retry, Math.min(a, b));
          const longer = jitteredDelaySeconds(settings, retry, Math.max(a, b));
          const scheduled = delayBeforeRetry(settings.retryPolicy, retry);
          expect(Number.isInteger(shorter)).toBe(true);
          expect(shorter).toBeGreaterThanOrEqual(1);
          expect(shorter).toBeLessThanOrEqual(longer);
          expect(longer).toBeLessThanOrEqual(settings.maxDelaySeconds);
          expect(longer).toBeLessThanOrEqual(scheduled * (1 + settings.jitterPercent / 100) + 0.501);
        }
      }),
    );
  });
});

describe('The number of attempts that a receive count shows', () => {
  // The delayed retries wait 20, 20, 30, 40, 50, 60, 60 and 60 s.
  test.each([
    ['none at the first receive, however late it is', 1, 9_999_999, 0],
    ['none where the message came back sooner than its first delay', 5, 19.999, 0],
    ['two after the first delay: the initial attempt and the one retry at once', 2, 20, 2],
    ['no more than the receives, after hours of a stopped relay', 2, 86_400, 2],
    ['no more than the schedule, after many receives', 40, 39.999, 2],
    ['one more as soon as the schedule allows it', 40, 40, 3],
    ['one less where receives do', 3, 86_400, 3],
    ['all but the last, which stays due', 9, 86_400, 9],
    ['the same for ever after', 500, 8_640_000, 9],
  ])('is %s', (_, receiveCount, elapsedSeconds, spent) => {
    expect(attemptsSpent(SETTINGS, message(receiveCount), FIRST + elapsedSeconds * 1_000)).toBe(spent);
  });

  test('respects the longest allowed delay', () => {
    expect(attemptsSpent({ ...SETTINGS, maxDelaySeconds: 5 }, message(9), FIRST + 10_000)).toBe(3);
  });

  test('never exceeds what the receives, the schedule or the policy allow', () => {
    fc.assert(
      fc.property(
        stepSettings,
        fc.integer({ min: 1, max: 1_000 }),
        fc.integer({ min: -5_000, max: 2_000_000_000 }),
        (settings, receiveCount, elapsedMs) => {
          const { numRetries, numNoDelayRetries } = settings.retryPolicy;
          const spent = attemptsSpent(settings, message(receiveCount), FIRST + elapsedMs);
          const delayed = spent === 0 ? 0 : spent - numNoDelayRetries;
          expect(spent).toBeLessThanOrEqual(numRetries);
          expect(delayed).toBeGreaterThanOrEqual(0);
          expect(delayed).toBeLessThanOrEqual(receiveCount - 1);
          let earliest = 0;
          for (let retry = numNoDelayRetries + 1; retry <= numNoDelayRetries + delayed; retry++) {
            earliest += jitteredDelaySeconds(settings, retry, 0);
          }
          if (delayed > 0) expect(earliest * 1_000).toBeLessThanOrEqual(elapsedMs);
        },
      ),
    );
  });

  test('includes a returned message only once jitter may have added up to a whole delay: by default from nine hours on', () => {
    const settings = { ...SETTINGS, retryPolicy: DEFAULT_RELAY_POLICY, jitterPercent: 10 };
    const { numRetries } = DEFAULT_RELAY_POLICY;
    const secondsUntil = (retry: number) =>
      sum(range(retry).map(index => delayBeforeRetry(DEFAULT_RELAY_POLICY, index + 1)));
    // The message is received when its retry is due, put back, and received again a second later.
    const isSpent = (retry: number) =>
      attemptsSpent(settings, message(retry + 1), FIRST + 1_000 * (secondsUntil(retry) + 1)) > retry;
    const spending = range(numRetries).filter(isSpent);
    expect(spending).toEqual(range(numRetries).slice(20));
    expect(Math.round(secondsUntil(20) / 3_600)).toBe(9);
  });
});

describe('Receives by a breaker’s sweep', () => {
  // The breaker sweeps a queue with a retention of ten days at midnight and at noon. The first receive was at nine.
  const settings = { ...SETTINGS, hasBreaker: true, retentionSeconds: 864_000 };
  const spentAfter = (receives: number, hours: number, given: SpendingSettings = settings) =>
    attemptsSpent(given, message(1 + receives), FIRST + hours * 3_600_000);

  test.each([
    ['not, of a message that was tried once and then received at each turn of two days', 4, 49, 0],
    ['not, but for the one receive beside them', 5, 49, 2],
    ['as they ever do, before there was a turn', 2, 2, 3],
    ['not, but for those there are more of than turns', 9, 15, 8],
  ])('count %s', (_, receives, hours, spent) => {
    expect(spentAfter(receives, hours)).toBe(spent);
  });

  test('are zero for a relay without a breaker', () => {
    expect(spentAfter(4, 49, { ...settings, hasBreaker: false })).toBe(5);
  });

  test('are assumed only for a message that is later than its attempts can have made it', () => {
    const hourly = { ...settings, retryPolicy: DEFAULT_RELAY_POLICY, jitterPercent: 10 };
    const dueMs = (retry: number) =>
      1_000 * sum(range(retry).map(index => delayBeforeRetry(DEFAULT_RELAY_POLICY, index + 1)));
    const onTime = (retry: number) => attemptsSpent(hourly, message(retry), FIRST + dueMs(retry));
    const retries = range(92).map(index => index + 2);
    expect(retries.map(onTime)).toEqual(retries);
  });

  test('never make a late message seem tried more often than it was', () => {
    fc.assert(
      fc.property(stepSettings, fc.integer({ min: 1, max: 120 }), fc.nat(864_000_000), (drawn, attempts, lateMs) => {
        const { numRetries, numNoDelayRetries } = drawn.retryPolicy;
        const delays = range(numRetries).map(index => jitteredDelaySeconds(drawn, index + 1, 1));
        const nowMs = FIRST + 1_000 * sum(delays) + numRetries * drawn.totalTimeoutMs + 1 + lateMs;
        const sweeps = Math.floor(nowMs / HALF_DAY_MS) - Math.floor(FIRST / HALF_DAY_MS);
        const swept = { ...drawn, hasBreaker: true, retentionSeconds: 864_000 };
        const spent = attemptsSpent(swept, message(attempts + sweeps), nowMs);
        expect(spent).toBeLessThanOrEqual(attempts === 1 ? 0 : Math.min(numRetries, numNoDelayRetries + attempts - 1));
      }),
    );
  });
});

describe('Lateness', () => {
  test.each([
    ['of the initial attempt counts from when the queue got the message', 0, 7_500, 7_500],
    ['of a retry at once counts from the first receive', 1, 2_300, 300],
    ['of a delayed retry counts from when its delay is over at the longest', 2, 2_000 + 22_000 + 400, 400],
    ['sums up the delays before', 3, 2_000 + 44_000 + 1, 1],
    ['is none where jitter lets it begin early', 3, 2_000 + 38_000, 0],
    ['is none where jitter lets it begin late', 3, 2_000 + 44_000, 0],
  ])('%s', (_, attempt, sinceSentMs, lateMs) => {
    const settings = { ...SETTINGS, jitterPercent: 10 };
    expect(latenessMs(settings, attempt, message(1), SENT + sinceSentMs)).toBe(lateMs);
  });

  test('respects the longest allowed delay', () => {
    expect(latenessMs({ ...SETTINGS, maxDelaySeconds: 5 }, 3, message(3), FIRST + 11_000)).toBe(1_000);
  });
});

describe('the expiry of messages', () => {
  const TICK = 300_000;
  const SENT = Date.UTC(2026, 0, 5, 9);

  test.each([
    [14 * DAY_MS, DAY_MS],
    [10 * DAY_MS, DAY_MS],
    [4 * DAY_MS, DAY_MS],
    [4 * DAY_MS - 4, DAY_MS - 1],
    [3 * HOUR_MS, 0.75 * HOUR_MS],
  ])('If a queue keeps messages for %i ms, they are given up %i ms before', (retentionMs, windowMs) => {
    expect(expiryWindowMs(retentionMs)).toBe(windowMs);
    expect(isExpiring(SENT, SENT + retentionMs - windowMs - 1, retentionMs)).toBe(false);
    expect(isExpiring(SENT, SENT + retentionMs - windowMs, retentionMs)).toBe(true);
    expect(isExpiring(SENT, SENT + retentionMs, retentionMs)).toBe(true);
  });

  test('A queue that keeps messages for ten days is swept every twelve hours, at one tick', () => {
    const ticks = Array.from({ length: 3 * 288 }, (_, tick) => SENT + tick * TICK + 123);
    const due = ticks.filter(at => isSweepDue(at, 10 * DAY_MS, TICK)).map(at => at - SENT - 123);
    expect([14, 10, 4, 1].map(days => sweepsWithin(days * DAY_MS))).toEqual([28, 20, 8, 8]);
    expect(due).toEqual([3 * HOUR_MS, 15 * HOUR_MS, 27 * HOUR_MS, 39 * HOUR_MS, 51 * HOUR_MS, 63 * HOUR_MS]);
  });

  test('A sweep finds every visible message in the first half of its window, whenever it is sent and the breaker runs', () => {
    const retentions = fc.integer({ min: 2 * HOUR_MS, max: 14 * DAY_MS });
    fc.assert(
      fc.property(retentions, fc.nat(14 * DAY_MS), fc.nat(TICK - 1), (retentionMs, later, phase) => {
        const sentAtMs = SENT + later;
        const from = SENT + Math.floor((later + retentionMs - expiryWindowMs(retentionMs)) / TICK - 1) * TICK + phase;
        const ticks = Array.from({ length: 291 }, (_, tick) => from + tick * TICK);
        const found = ticks.filter(
          at =>
            isExpiring(sentAtMs, at, retentionMs) && at < sentAtMs + retentionMs && isSweepDue(at, retentionMs, TICK),
        );
        expect(found.length).toBeGreaterThanOrEqual(1);
        const [first = Number.NaN] = found;
        expect(first - sentAtMs).toBeLessThan(retentionMs - expiryWindowMs(retentionMs) / 2 + TICK);
      }),
    );
  });

  test('A message that is given up says that the relay was stopped, and when it would have expired', () => {
    expect(expiredStep({ retentionSeconds: 864_000 }, { sentAtMs: SENT })).toEqual({
      kind: 'dead',
      cause: 'retention-spent',
      reason:
        'the relay was stopped because its endpoint failed, and the queue would delete the message at 2026-01-15T09:00:00.000Z',
    });
    expect(expiredStep({}, { sentAtMs: SENT }).reason).toMatch(/and the queue would delete the message$/);
  });
});
