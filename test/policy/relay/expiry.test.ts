import fc from 'fast-check';
import { expiredStep, expiryWindowMs, isExpiring, isSweepDue, sweepsWithin } from '../../../policy/relay/expiry';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TICK = 300_000;
const SENT = Date.UTC(2026, 0, 5, 9);

test.each([
  [14 * DAY, DAY],
  [10 * DAY, DAY],
  [4 * DAY, DAY],
  [4 * DAY - 4, DAY - 1],
  [3 * HOUR, 0.75 * HOUR],
])('Of a queue that keeps messages for %i ms they are given up %i ms before', (retentionMs, windowMs) => {
  expect(expiryWindowMs(retentionMs)).toBe(windowMs);
  expect(isExpiring(SENT, SENT + retentionMs - windowMs - 1, retentionMs)).toBe(false);
  expect(isExpiring(SENT, SENT + retentionMs - windowMs, retentionMs)).toBe(true);
  expect(isExpiring(SENT, SENT + retentionMs, retentionMs)).toBe(true);
});

test('A queue that keeps messages for ten days is gone through every twelve hours, at one tick', () => {
  const ticks = Array.from({ length: 3 * 288 }, (_, tick) => SENT + tick * TICK + 123);
  const due = ticks.filter(at => isSweepDue(at, 10 * DAY, TICK)).map(at => at - SENT - 123);
  expect([14, 10, 4, 1].map(days => sweepsWithin(days * DAY))).toEqual([28, 20, 8, 8]);
  expect(due).toEqual([3 * HOUR, 15 * HOUR, 27 * HOUR, 39 * HOUR, 51 * HOUR, 63 * HOUR]);
});

test('Whatever is sent, and whenever the breaker is asked, a visible message is found in the first half of its window', () => {
  const retentions = fc.integer({ min: 2 * HOUR, max: 14 * DAY });
  fc.assert(
    fc.property(retentions, fc.nat(14 * DAY), fc.nat(TICK - 1), (retentionMs, later, phase) => {
      const sentAtMs = SENT + later;
      const from = SENT + Math.floor((later + retentionMs - expiryWindowMs(retentionMs)) / TICK - 1) * TICK + phase;
      const ticks = Array.from({ length: 291 }, (_, tick) => from + tick * TICK);
      const found = ticks.filter(
        at => isExpiring(sentAtMs, at, retentionMs) && at < sentAtMs + retentionMs && isSweepDue(at, retentionMs, TICK),
      );
      expect(found.length).toBeGreaterThanOrEqual(1);
      const [first = Number.NaN] = found;
      expect(first - sentAtMs).toBeLessThan(retentionMs - expiryWindowMs(retentionMs) / 2 + TICK);
    }),
  );
});

test('A message that is given up says that the relay was stopped, and until when it would have lasted', () => {
  expect(expiredStep({ retentionSeconds: 864_000 }, { sentAtMs: SENT })).toEqual({
    kind: 'dead',
    cause: 'retention-spent',
    reason:
      'the relay was stopped, as its endpoint failed, and the queue would drop the message at 2026-01-15T09:00:00.000Z',
  });
  expect(expiredStep({}, { sentAtMs: SENT }).reason).toMatch(/and the queue would drop the message$/);
});
