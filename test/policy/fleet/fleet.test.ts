import fc from 'fast-check';
import { rateLease, TURN_TOLERANCE_MS } from '../../../policy/fleet/admission';
import {
  type AttemptResult,
  afterAttempt,
  DEFAULT_HEALTH_SETTINGS,
  disabled,
  drained,
  type EndpointState,
  enabled,
  HEALTHY,
  noticesDue,
} from '../../../policy/fleet/endpoint-health';
import { placementOf, waitingPlace } from '../../../policy/fleet/placement';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../policy/time-units';

const NOW = Date.UTC(2026, 0, 1);
const SETTINGS = DEFAULT_HEALTH_SETTINGS;

/** The state after attempts, each with the milliseconds since the first. */
function stateAfter(state: EndpointState, ...attempts: readonly (readonly [AttemptResult, number])[]): EndpointState {
  return attempts.reduce((it, [result, atMs]) => afterAttempt(it, result, NOW + atMs, SETTINGS), state);
}

const failures = (count: number, everyMs: number) =>
  Array.from({ length: count }, (_, i) => ['failed', i * everyMs] as const);

const OPEN = stateAfter(HEALTHY, ...failures(10, 4 * SECOND_MS));

describe('the health of an endpoint', () => {
  it('causes no write while attempts succeed', () => {
    expect(stateAfter(HEALTHY, ['delivered', 0])).toBe(HEALTHY);
    expect(stateAfter(HEALTHY, ...failures(2, 0), ['delivered', 1])).toBe(HEALTHY);
  });

  it.each<readonly [what: string, state: EndpointState, expected: Partial<EndpointState>]>([
    ['two failures', stateAfter(HEALTHY, ...failures(2, 0)), { health: 'healthy', failures: 2, failingSinceMs: NOW }],
    ['three', stateAfter(HEALTHY, ...failures(3, 0)), { health: 'suspect', failures: 3, maxAttempts: 5 }],
    ['ten at once', stateAfter(HEALTHY, ...failures(10, 0)), { health: 'suspect', failures: 10 }],
    ['ten in less than 30 s', stateAfter(HEALTHY, ...failures(10, 3_333)), { health: 'suspect' }],
    ['nine in 32 s', stateAfter(HEALTHY, ...failures(9, 4 * SECOND_MS)), { health: 'suspect' }],
    ['ten in 36 s', OPEN, { health: 'open', maxAttempts: 1, probes: 0, probeAtMs: NOW + 36 * SECOND_MS + MINUTE_MS }],
    [
      'ten in 32 s, the first by a clock an hour ahead',
      stateAfter(HEALTHY, ['failed', 60 * MINUTE_MS], ...failures(9, 4 * SECOND_MS)),
      { health: 'open', failingSinceMs: NOW },
    ],
    ['a suspect that answers', stateAfter(HEALTHY, ...failures(3, 0), ['delivered', 1]), HEALTHY],
    ['410', stateAfter(HEALTHY, ['gone', 0]), { health: 'disabled', disabledReason: 'gone', failingSinceMs: NOW }],
  ])('is right after %s', (_, state, expected) => {
    expect(state).toMatchObject(expected);
  });

  it('is probed after 1, 2, 4 … and at most 30 minutes', () => {
    let state = OPEN;
    const delays = [1, 2, 3, 4, 5, 6].map(() => {
      const nowMs = state.probeAtMs ?? 0;
      state = afterAttempt(state, 'failed', nowMs, SETTINGS);
      return ((state.probeAtMs ?? 0) - nowMs) / MINUTE_MS;
    });
    expect(delays).toEqual([2, 4, 8, 16, 30, 30]);
  });

  it('drains ever faster after a probe that succeeds, and is open again after a failure', () => {
    const draining = stateAfter(OPEN, ['delivered', MINUTE_MS]);
    expect(draining).toEqual({ health: 'draining', failures: 0, probes: 0, maxAttempts: 5 });
    expect(stateAfter(draining, ['delivered', 0], ['delivered', 0]).maxAttempts).toBe(20);
    const many = Array.from({ length: 20 }, () => ['delivered', 0] as const);
    expect(stateAfter(draining, ...many).maxAttempts).toBe(1_000);
    expect(stateAfter(draining, ['failed', 0])).toMatchObject({
      health: 'open',
      probes: 0,
      probeAtMs: NOW + MINUTE_MS,
    });
    expect(drained(draining)).toBe(HEALTHY);
    expect(drained(OPEN)).toBe(OPEN);
  });

  it('is not disabled by a few failures with days between them', () => {
    const days = 24 * 60 * 60_000;
    expect(stateAfter(HEALTHY, ['failed', 0], ['failed', 6 * days])).toMatchObject({ health: 'healthy', failures: 2 });
  });

  it('becomes disabled after five days, with notices before, until a person enables it', () => {
    const since = OPEN.failingSinceMs ?? 0;
    expect(noticesDue(OPEN, since + 2.5 * DAY_MS - 1, SETTINGS)).toBe(0);
    expect(noticesDue(OPEN, since + 2.5 * DAY_MS, SETTINGS)).toBe(1);
    expect(noticesDue(OPEN, since + 4 * DAY_MS, SETTINGS)).toBe(2);
    expect(afterAttempt(OPEN, 'failed', since + 5 * DAY_MS - 1, SETTINGS).health).toBe('open');
    const off = afterAttempt(OPEN, 'failed', since + 5 * DAY_MS, SETTINGS);
    expect(off).toEqual({
      health: 'disabled',
      disabledReason: 'failing',
      failures: 11,
      failingSinceMs: since,
      probes: 0,
    });
    for (const result of ['delivered', 'failed', 'gone'] as const) expect(stateAfter(off, [result, 0])).toBe(off);
    expect(noticesDue(off, since + 6 * DAY_MS, SETTINGS)).toBe(0);
    expect(noticesDue(HEALTHY, NOW, SETTINGS)).toBe(0);
    expect(enabled(SETTINGS)).toMatchObject({ health: 'draining', failures: 0, maxAttempts: 5 });
    expect(disabled(HEALTHY, 'by-hand')).toEqual({
      health: 'disabled',
      disabledReason: 'by-hand',
      failures: 0,
      probes: 0,
    });
    const { disableAfterMs: _, ...forEver } = SETTINGS;
    expect(afterAttempt(OPEN, 'failed', since + 500 * DAY_MS, forEver).health).toBe('open');
    expect(noticesDue(OPEN, since + 500 * DAY_MS, forEver)).toBe(0);
  });

  it('allows an open endpoint at most one attempt a minute', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 * MINUTE_MS }), { maxLength: 50 }), pauses => {
        let state = OPEN;
        let nowMs = state.probeAtMs ?? 0;
        for (const pauseMs of pauses) {
          nowMs += pauseMs;
          const lastMs = nowMs;
          state = afterAttempt(state, 'failed', nowMs, SETTINGS);
          nowMs = Math.max(nowMs, state.probeAtMs ?? 0);
          expect(nowMs - lastMs).toBeGreaterThanOrEqual(MINUTE_MS);
        }
      }),
    );
  });
});

describe('The ceiling of an endpoint', () => {
  it.each<
    readonly [freeInMs: number | undefined, wanted: number, perSecond: number, granted: number, startsInMs: number]
  >([
    [undefined, 10, 10, 10, 100],
    [-500, 1, 10, 1, 100],
    [300, 2, 10, 2, 300],
    [4_950, 3, 10, 1, 4_950],
    [5_000, 3, 10, 1, 5_000],
    [5_001, 3, 10, 0, 5_001],
    [0, 10, 0.5, 3, 100],
  ])(
    'gives the right turn: free in %p ms, %i wanted at %p a second: %i from %i ms on',
    (freeInMs, wanted, perSecond, granted, startsInMs) => {
      const freeAtMs = freeInMs === undefined ? undefined : NOW + freeInMs;
      const intervalMs = 1_050 / perSecond;
      const startsAtMs = NOW + startsInMs;
      expect(rateLease(freeAtMs, wanted, perSecond, NOW)).toEqual({
        granted,
        startsAtMs,
        intervalMs,
        freeAtMs: startsAtMs + granted * intervalMs,
      });
    },
  );

  it('is never exceeded in any second, and used to 90 % while messages wait', () => {
    const asks = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 10 })), {
      minLength: 100,
    });
    fc.assert(
      fc.property(asks, fc.integer({ min: 1, max: 50 }), (asked, perSecond) => {
        const instants: number[] = [];
        let freeAtMs: number | undefined;
        let nowMs = NOW;
        let isBusy = true;
        for (const [pauseMs, wanted] of asked) {
          nowMs += pauseMs;
          isBusy &&= freeAtMs === undefined || freeAtMs >= nowMs + 100;
          const lease = rateLease(freeAtMs, wanted, perSecond, nowMs);
          for (let i = 0; i < lease.granted; i += 1) instants.push(lease.startsAtMs + i * lease.intervalMs);
          freeAtMs = lease.freeAtMs;
        }
        // However late each request is, within its tolerance, no second has more than the ceiling.
        const gaps = instants.slice(perSecond).map((at, i) => at - (instants[i] ?? 0));
        expect(Math.min(1_050, ...gaps)).toBeGreaterThanOrEqual(1_000 + TURN_TOLERANCE_MS - 0.01);
        const seconds = ((instants.at(-1) ?? NOW) - NOW) / 1_000;
        if (isBusy) expect(instants.length).toBeGreaterThanOrEqual(0.9 * perSecond * seconds);
      }),
    );
  });
});

describe('the next place of a message', () => {
  const message = { giveUpAtMs: NOW + 1, isProbe: false };
  const suspect = stateAfter(HEALTHY, ...failures(3, 0));
  const draining = enabled(SETTINGS);
  const off = disabled(HEALTHY, 'by-hand');

  it.each<readonly [what: string, state: EndpointState, given: Partial<typeof message>, expected: string]>([
    ['healthy', HEALTHY, {}, 'attempt'],
    ['suspect', suspect, {}, 'attempt'],
    ['draining', draining, {}, 'attempt'],
    ['open', OPEN, {}, 'park'],
    ['open, a probe', OPEN, { isProbe: true }, 'attempt'],
    ['disabled, a probe', off, { isProbe: true }, 'park'],
    ['too old', OPEN, { giveUpAtMs: NOW }, 'too-old'],
    ['moved back from the dead-letter queue', HEALTHY, { giveUpAtMs: NOW }, 'attempt'],
  ])('is right for %s', (_, state, given, expected) => {
    expect(placementOf({ ...message, ...given }, state, NOW)).toBe(expected);
  });

  it.each<readonly [state: EndpointState, waitMs: number, inFlight: number, place: 'queue' | 'table']>([
    [HEALTHY, MINUTE_MS, 59_999, 'queue'],
    [HEALTHY, MINUTE_MS + 1, 0, 'table'],
    [HEALTHY, 0, 60_000, 'table'],
    [suspect, MINUTE_MS, 0, 'queue'],
    [OPEN, 0, 0, 'table'],
    [draining, 0, 0, 'queue'],
    [off, 0, 0, 'table'],
  ])('is right while the message waits: %j, %i ms, %i in flight', (state, waitMs, inFlight, place) => {
    expect(waitingPlace(state, NOW + waitMs, NOW, inFlight)).toBe(place);
  });
});
