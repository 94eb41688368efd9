import fc from 'fast-check';
import {
  type AlarmFacts,
  afterProbe,
  BREAKER_STATES,
  type BreakerFacts,
  breakerState,
  breakerStep,
  type MappingFacts,
  type ProbeResult,
} from '../../../policy/relay/breaker';

describe('breaker', () => {
  const NOW = Date.UTC(2026, 0, 5, 9);
  const SETTLE = 300_000;
  const LONG_AGO = NOW - SETTLE;
  const JUST_NOW = NOW - SETTLE + 1;

  function mapping(state: string, maximumConcurrency: number | undefined, lastModifiedAtMs = LONG_AGO): MappingFacts {
    return { state, maximumConcurrency, lastModifiedAtMs };
  }

  function facts(of: MappingFacts, alarm: Partial<AlarmFacts> = {}): BreakerFacts {
    return {
      nowMs: NOW,
      mapping: of,
      configuredConcurrency: 10,
      alarm: { state: 'OK', sinceMs: LONG_AGO, ...alarm },
      settleMs: SETTLE,
      probeIntervalMs: SETTLE,
      tickMs: SETTLE,
    };
  }

  describe('The state of a breaker', () => {
    test.each([
      ['Enabled', 10, 10, 'closed'],
      ['Enabled', undefined, 10, 'closed'],
      ['Enabled', 20, 10, 'closed'],
      ['Enabled', 2, 2, 'closed'],
      ['Enabled', 9, 10, 'half-open'],
      ['Enabled', 2, 10, 'half-open'],
      ['Enabling', 2, 10, 'half-open'],
      ['Updating', 10, 10, 'closed'],
      ['Creating', 10, 10, 'closed'],
      ['Disabled', 2, 10, 'open'],
      ['Disabled', 2, 3, 'open'],
      ['Disabling', 2, 10, 'open'],
      ['Disabled', 10, 10, 'stopped-by-hand'],
      ['Disabled', 4, 10, 'stopped-by-hand'],
      ['Disabled', undefined, 10, 'stopped-by-hand'],
      ['Disabled', 2, 2, 'stopped-by-hand'],
      ['Deleting', 10, 10, 'stopped-by-hand'],
    ] as const)('is read from the mapping: %s with %p of %i is %s', (state, concurrency, configured, expected) => {
      expect(breakerState(mapping(state, concurrency), configured)).toBe(expected);
    });

    test('is a number in its metric, which is higher the less comes through', () => {
      expect(BREAKER_STATES).toEqual({ closed: 0, 'half-open': 1, open: 2, 'stopped-by-hand': 3 });
    });
  });

  describe('A closed breaker', () => {
    const closed = mapping('Enabled', 10);

    test('stays closed while attempts succeed, or nothing is known', () => {
      const reason = 'attempts succeed';
      expect(breakerStep(facts(closed))).toEqual({ kind: 'leave', reason });
      expect(breakerStep(facts(closed, { state: 'INSUFFICIENT_DATA' }))).toEqual({ kind: 'leave', reason });
    });

    test('opens on an alarm', () => {
      const reason = 'too many attempts fail';
      expect(breakerStep(facts(closed, { state: 'ALARM', sinceMs: NOW }))).toEqual({ kind: 'open', reason });
    });

    test.each([
      ['an alarm since the change counts at once', JUST_NOW, JUST_NOW, 'open'],
      ['an alarm from before it waits until the change has settled', JUST_NOW, JUST_NOW - 1, 'leave'],
      ['and counts then', LONG_AGO, LONG_AGO - 1, 'open'],
    ])('%s', (_, lastModifiedAtMs, sinceMs, kind) => {
      const changed = mapping('Enabled', 10, lastModifiedAtMs);
      expect(breakerStep(facts(changed, { state: 'ALARM', sinceMs }))).toMatchObject({ kind });
    });

    test('cannot open if its state would look like a stop by an operator', () => {
      const alarmed = facts(mapping('Enabled', 2), { state: 'ALARM' });
      expect(breakerStep({ ...alarmed, configuredConcurrency: 2 })).toEqual({
        kind: 'leave',
        reason: 'a breaker needs a concurrency of at least 3',
      });
      expect(breakerStep({ ...alarmed, configuredConcurrency: 3 })).toMatchObject({ kind: 'open' });
    });
  });

  test('An open breaker waits, and then probes, whatever the alarm says', () => {
    for (const state of ['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const) {
      expect(breakerStep(facts(mapping('Disabled', 2, JUST_NOW), { state }))).toEqual({
        kind: 'leave',
        reason: 'the endpoint is given time to recover',
      });
      expect(breakerStep(facts(mapping('Disabled', 2), { state }))).toEqual({
        kind: 'probe',
        reason: 'the endpoint has had time to recover',
      });
    }
  });

  describe('An open breaker with a long interval', () => {
    const openFor = (minutes: number, more: Partial<BreakerFacts> = {}) => {
      const of = facts(mapping('Disabled', 2, NOW - minutes * 60_000));
      return breakerStep({ ...of, probeIntervalMs: 900_000, ...more }).kind;
    };

    test('probes once in each interval, at the first tick', () => {
      const asked = Array.from({ length: 20 }, (_, tick) => 5 * tick + 2);
      expect(asked.filter(minutes => openFor(minutes) === 'probe')).toEqual([17, 32, 47, 62, 77, 92]);
    });

    test('probes at each tick if ticks are rarer than its interval', () => {
      const asked = Array.from({ length: 6 }, (_, tick) => 16 * tick + 16);
      expect(asked.map(minutes => openFor(minutes, { tickMs: 960_000 }))).toEqual(asked.map(() => 'probe'));
    });
  });

  describe('A half-open breaker', () => {
    test('probes one message before it lets more through, because a quiet alarm may have had nothing to judge', () => {
      expect(breakerStep(facts(mapping('Enabled', 4)))).toEqual({
        kind: 'probe',
        reason: 'the last step has had time to take effect',
      });
    });

    test('waits until the last step shows', () => {
      expect(breakerStep(facts(mapping('Enabled', 2, JUST_NOW)))).toEqual({
        kind: 'leave',
        reason: 'it is too early to see the effect of the last step',
      });
    });

    test('opens again on an alarm', () => {
      expect(breakerStep(facts(mapping('Enabled', 4), { state: 'ALARM' }))).toMatchObject({ kind: 'open' });
    });
  });

  test.each(['Creating', 'Enabling', 'Disabling', 'Updating', 'Deleting'])(
    'A mapping that is %s is not touched',
    state => {
      const alarm = { state: 'ALARM', sinceMs: NOW } as const;
      expect(breakerStep(facts(mapping(state, 10), alarm))).toEqual({
        kind: 'leave',
        reason: `the mapping is ${state}`,
      });
    },
  );

  test('A mapping that an operator stopped is not touched, and the breaker says so', () => {
    expect(breakerStep(facts(mapping('Disabled', 10), { state: 'ALARM', sinceMs: NOW }))).toEqual({
      kind: 'leave',
      reason: 'the mapping was stopped by hand',
    });
  });

  const ANSWERED: ProbeResult = { kind: 'answered', attempts: 1, delivered: 1, failedAttempts: 0 };

  describe('After a probe', () => {
    const open = facts(mapping('Disabled', 2));
    const halfOpen = facts(mapping('Enabled', 4));
    const enabled = (maximumConcurrency: number, reason: string) => ({ kind: 'enable', maximumConcurrency, reason });
    const left = (reason: string) => ({ kind: 'leave', reason });

    test('that delivered its message, an open relay starts slowly, and a half-open one doubles its concurrency', () => {
      expect(afterProbe(ANSWERED, open)).toEqual(enabled(2, 'the endpoint answers'));
      expect(afterProbe(ANSWERED, halfOpen)).toEqual(enabled(8, 'the endpoint answers'));
    });

    test.each([open, halfOpen])('that found no message, more is let through too, if none is in flight', of => {
      expect(afterProbe({ kind: 'no-message', inFlight: 0 }, of)).toMatchObject({
        kind: 'enable',
        reason: 'there is no message to try',
      });
      expect(afterProbe({ kind: 'no-message', inFlight: 1 }, of)).toEqual(
        left('all messages are in flight, and none can be tried'),
      );
    });

    test.each([open, halfOpen])('that failed, or made no attempt, the mapping stays unchanged', of => {
      expect(afterProbe({ ...ANSWERED, attempts: 2, failedAttempts: 1 }, of)).toEqual(left('the probe failed'));
      expect(afterProbe({ ...ANSWERED, attempts: 0, delivered: 0 }, of)).toEqual(left('the probe made no attempt'));
    });

    test.each([open, halfOpen])('that was refused, the mapping stays: another one may be taken', of => {
      expect(afterProbe({ ...ANSWERED, delivered: 0 }, of)).toEqual(
        left('the endpoint refused the message, which proves nothing about the others'),
      );
    });

    test.each([open, halfOpen])(
      'with an unknown outcome, the mapping stays unchanged, and the breaker says why',
      of => {
        expect(afterProbe({ kind: 'broken', reason: 'Lambda throttled it' }, of)).toEqual(
          left('the probe was interrupted: Lambda throttled it'),
        );
      },
    );
  });

  /** Any facts that AWS could report. */
  const anyFacts: fc.Arbitrary<BreakerFacts> = fc.record({
    nowMs: fc.constant(NOW),
    mapping: fc.record({
      state: fc.constantFrom('Creating', 'Enabling', 'Enabled', 'Disabling', 'Disabled', 'Updating', 'Deleting'),
      maximumConcurrency: fc.option(fc.integer({ min: 2, max: 20 }), { nil: undefined }),
      lastModifiedAtMs: fc.integer({ min: NOW - 1_000_000, max: NOW }),
    }),
    configuredConcurrency: fc.integer({ min: 2, max: 20 }),
    alarm: fc.record({
      state: fc.constantFrom('OK', 'ALARM', 'INSUFFICIENT_DATA'),
      sinceMs: fc.integer({ min: NOW - 1_000_000, max: NOW }),
    }),
    settleMs: fc.integer({ min: 0, max: 900_000 }),
    probeIntervalMs: fc.integer({ min: 1, max: 900_000 }),
    tickMs: fc.integer({ min: 1, max: 900_000 }),
  });

  describe('Whatever AWS says', () => {
    test('only an enabled mapping is opened, and only one that the breaker itself disabled is probed', () => {
      fc.assert(
        fc.property(anyFacts, of => {
          const { state, maximumConcurrency } = of.mapping;
          const { kind } = breakerStep(of);
          if (kind === 'open') expect(state).toBe('Enabled');
          if (kind === 'probe' && state !== 'Enabled') expect([state, maximumConcurrency]).toEqual(['Disabled', 2]);
          if (state === 'Disabled' && maximumConcurrency === of.configuredConcurrency) expect(kind).toBe('leave');
        }),
      );
    });

    test('a successful probe lets more through than before, and never more than configured', () => {
      fc.assert(
        fc.property(anyFacts, of => {
          if (breakerStep(of).kind !== 'probe') return;
          const before = of.mapping.state === 'Enabled' ? (of.mapping.maximumConcurrency ?? 0) : 0;
          const step = afterProbe(ANSWERED, of);
          if (step.kind !== 'enable') throw new Error(step.reason);
          expect(step.maximumConcurrency).toBeGreaterThan(before);
          expect(step.maximumConcurrency).toBeLessThanOrEqual(of.configuredConcurrency);
        }),
      );
    });

    test('a mapping that the breaker disabled differs from one that an operator stopped', () => {
      fc.assert(
        fc.property(anyFacts, of => {
          if (breakerStep(of).kind !== 'open') return;
          expect(breakerState(mapping('Disabled', 2), of.configuredConcurrency)).toBe('open');
        }),
      );
    });

    test('a breaker whose endpoint works again is closed after a few steps', () => {
      fc.assert(
        fc.property(fc.integer({ min: 3, max: 1_000 }), configuredConcurrency => {
          let current = mapping('Enabled', 2);
          for (let step = 0; step < 9; step++) {
            const of = { ...facts(current), configuredConcurrency };
            const taken = breakerStep(of).kind === 'probe' ? afterProbe(ANSWERED, of) : undefined;
            if (taken?.kind === 'enable') current = mapping('Enabled', taken.maximumConcurrency);
          }
          expect(breakerState(current, configuredConcurrency)).toBe('closed');
        }),
      );
    });
  });
});
