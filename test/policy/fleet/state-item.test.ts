import { type Admission, admission, released } from '../../../policy/fleet/admission';
import { type AttemptResult, afterAttempt, DEFAULT_HEALTH_SETTINGS } from '../../../policy/fleet/endpoint-health';
import type { StateItem } from '../../../policy/fleet/fleet-items';
import { afterParking, asleep, newState, watchedAt, withHealth, wokenAt } from '../../../policy/fleet/state-item';

const NOW = Date.UTC(2026, 0, 1);
const HEALTH = DEFAULT_HEALTH_SETTINGS;
const NEW = newState({ tenant: 'acme', endpoint: 'orders' });

const parkedAt = (dueAtMs: number, sentAtMs = dueAtMs) => ({ dueAtMs, sentAtMs, giveUpAtMs: sentAtMs + 1e8 });

/** The state after attempts that end each 4 seconds. */
function stateAfter(state: StateItem, ...results: readonly AttemptResult[]): StateItem {
  return results.reduce((it, result, index) => {
    const atMs = NOW + index * 4_000;
    return withHealth(it, afterAttempt(it, result, atMs, HEALTH), atMs);
  }, state);
}

const failed = (count: number) => Array.from({ length: count }, () => 'failed' as const);
const SUSPECT = stateAfter(NEW, ...failed(3));
const OPEN = stateAfter(NEW, ...failed(10));
const DRAINING = stateAfter(OPEN, 'delivered');

describe('the stored state of an endpoint', () => {
  test.each<readonly [what: string, state: StateItem, expected: Partial<StateItem>]>([
    ['a suspect is counted for an hour', SUSPECT, { wakeAtMs: NOW + 8_000 + 3_600_000 }],
    ['an open one is woken for its probe', OPEN, { wakeAtMs: NOW + 36_000 + 60_000, probeAtMs: NOW + 36_000 + 60_000 }],
    ['one that answers again drains at once', DRAINING, { health: 'draining', wakeAtMs: NOW, slots: [], notices: 0 }],
    ['a disabled one is looked at once more', stateAfter(OPEN, 'gone'), { health: 'disabled', wakeAtMs: NOW }],
    [
      'a success forgets notices',
      stateAfter({ ...SUSPECT, notices: 1 }, 'delivered'),
      { health: 'healthy', notices: 0 },
    ],
  ])('%s', (_, state, expected) => {
    expect(state).toMatchObject(expected);
  });

  test('that is open is due when a parked message is too old, and not before its next look', () => {
    const [probeAtMs, giveUpAtMs] = [NOW + 600_000, NOW + 300_000];
    expect(watchedAt({ ...OPEN, giveUpAtMs }, probeAtMs, NOW).wakeAtMs).toBe(giveUpAtMs);
    expect(watchedAt({ ...OPEN, retryGiveUpAtMs: NOW }, probeAtMs, NOW).wakeAtMs).toBe(NOW + 60_000);
    expect(watchedAt(OPEN, probeAtMs, NOW).wakeAtMs).toBe(probeAtMs);
  });

  test('is written after parking, unless the prober will look at the endpoint anyway', () => {
    for (const state of [OPEN, stateAfter(OPEN, 'gone')]) {
      const first = afterParking(state, parkedAt(NOW));
      expect(first).toEqual({ ...state, giveUpAtMs: NOW + 1e8 });
      expect(afterParking(first, parkedAt(NOW - 60_000))).toBe(first);
      // One that is given up first, and one that waits for a retry.
      expect(afterParking(first, parkedAt(NOW - 60_001))).toMatchObject({ giveUpAtMs: NOW - 60_001 + 1e8 });
      const retried = afterParking(first, parkedAt(NOW + 60_001, NOW));
      expect(retried).toEqual({ ...first, retryGiveUpAtMs: NOW + 1e8 });
      expect(afterParking(retried, parkedAt(NOW + 60_001, NOW))).toBe(retried);
    }
    expect(afterParking(DRAINING, parkedAt(NOW))).not.toBe(DRAINING);
    const parked = afterParking(NEW, parkedAt(NOW + 5));
    expect(parked).toMatchObject({ wakeAtMs: NOW + 5 });
    expect(parked.shard).toBeLessThan(16);
    expect(afterParking(parked, parkedAt(NOW + 9))).toEqual(parked);
    expect(afterParking(parked, parkedAt(NOW + 9))).not.toBe(parked);
    expect(asleep(parked)).toEqual(NEW);
    // A disabled endpoint that sleeps for longer than the message is kept.
    const disabled = wokenAt(stateAfter(OPEN, 'gone'), NOW + 9e8);
    expect(afterParking(disabled, parkedAt(NOW))).toMatchObject({ health: 'disabled', wakeAtMs: NOW + 1e8 });
  });
});

describe('admission to an endpoint', () => {
  const settings = { holdMs: 20_000, health: HEALTH };

  test('that is healthy and has no ceiling changes nothing', () => {
    const { grants, state } = admission(NEW, 3, settings, NOW);
    expect(state).toBe(NEW);
    expect(grants).toEqual([{ startsAtMs: NOW }, { startsAtMs: NOW }, { startsAtMs: NOW }]);
  });

  test('is limited to the free slots, until they are returned or expire', () => {
    const first = admission(SUSPECT, 4, settings, NOW);
    const second = admission(first.state, 4, settings, NOW);
    expect([first.grants.length, second.grants.length, second.retryAtMs]).toEqual([4, 1, NOW + 5_000]);
    const [grant] = first.grants;
    if (!grant) throw new Error('nothing was granted');
    expect(admission(released(second.state, grant), 4, settings, NOW).grants).toHaveLength(1);
    expect(released(second.state, { startsAtMs: NOW })).toBe(second.state);
    expect(admission(second.state, 9, settings, NOW + 20_000).grants).toHaveLength(5);
  });

  test.each<readonly [slots: readonly number[], count: number, index: number | undefined]>([
    [[], 1, 0],
    [[NOW + 1], 1, undefined],
    [[NOW], 1, 0],
    [[NOW + 1, NOW + 1], 3, 2],
    [[NOW + 1, NOW - 1, 0], 3, 1],
    [[], 0, undefined],
  ])('uses the first free slot: %p of %i', (slots, count, index) => {
    const [grant] = admission({ ...SUSPECT, slots, maxAttempts: count }, 1, settings, NOW).grants;
    expect(grant?.slot).toEqual(index === undefined ? undefined : { index, untilMs: NOW + 20_000 });
  });

  test('for a probe holds its slot for a minute, whatever the outcome', () => {
    const { grants, state } = admission(OPEN, 2, settings, NOW);
    const [grant] = grants;
    if (!grant) throw new Error('nothing was granted');
    expect(grants).toHaveLength(1);
    expect(admission(released(state, grant), 1, settings, NOW + 59_999).grants).toEqual([]);
    expect(admission(released(state, grant), 1, settings, NOW + 60_000).grants).toHaveLength(1);
  });

  test('is limited by the ceiling too', () => {
    const paced = { ...settings, maxPerSecond: 2 };
    const startsIn = (it: Admission) => it.grants.map(({ startsAtMs }) => startsAtMs - NOW);
    const first = admission(NEW, 99, paced, NOW);
    expect(startsIn(first)).toEqual(Array.from({ length: 10 }, (_, index) => 100 + index * 525));
    expect(first.state.freeAtMs).toBe(NOW + 5_350);
    // The others come back at its pace.
    expect(first.line).toEqual(Array.from({ length: 89 }, (_, index) => NOW + 5_350 + index * 525));
    const second = admission(first.state, 30, paced, NOW);
    expect(second).toMatchObject({ grants: [], state: { freeAtMs: NOW + 5_350, lineEndsAtMs: NOW + 59_950 } });
    // For the rest, the line is too long.
    expect([second.line.length, second.retryAtMs]).toEqual([16, NOW + 60_475]);
    expect(admission(second.state, 1, paced, NOW)).toMatchObject({ grants: [], line: [], state: second.state });
    const slow = admission(SUSPECT, 99, paced, NOW);
    expect(startsIn(slow)).toEqual([100, 625, 1_150, 1_675, 2_200]);
    expect(slow.grants.map(({ slot, startsAtMs }) => (slot?.untilMs ?? 0) - startsAtMs)).toEqual(Array(5).fill(20_000));
  });
});
