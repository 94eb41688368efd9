import fc from 'fast-check';
import { planRedrive } from '../../../policy/redrive/plan-redrive';
import type { RedrivePlan } from '../../../policy/redrive/redrive-decision';
import type { HealthAlarmFacts, MoveFacts, QueueDepth, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { DAY_MS, MINUTE_MS } from '../../../policy/time-units';
import { DLQ, NOW, ORDERS, QUARANTINE, SETTINGS } from './fixtures';

const depth: fc.Arbitrary<QueueDepth> = fc.record({
  visible: fc.oneof(fc.constant(0), fc.nat({ max: 20_000 })),
  inFlight: fc.nat({ max: 20 }),
  delayed: fc.nat({ max: 5 }),
});

/** A time in the past: mostly minutes ago, sometimes hours. */
const ago = fc.oneof(fc.nat({ max: 30 * MINUTE_MS }), fc.nat({ max: 30 * 60 * MINUTE_MS }));

/** Mostly a move of the redrive. Completed moves usually moved some messages. */
const move: fc.Arbitrary<MoveFacts> = fc.record(
  {
    carrier: fc.constantFrom('task', 'task', 'copy', 'replay'),
    status: fc.constantFrom('RUNNING', 'COMPLETED', 'CANCELLING', 'CANCELLED', 'CANCELLED', 'FAILED', 'PAUSED'),
    startedAtMs: ago.map(ms => NOW - ms),
    moved: fc.oneof(fc.integer({ min: 10, max: 700 }), fc.nat({ max: 12_000 })),
    messagesPerSecond: fc.constantFrom(1, 10, 50, 7),
    destinationArn: fc.constantFrom(ORDERS.arn, ORDERS.arn, ORDERS.arn, 'elsewhere'),
    toMove: fc.nat({ max: 20_000 }),
    handle: fc.constant('handle'),
    failureReason: fc.constantFrom('CouldNotDetermineMessageSource', 'AWS.SimpleQueueService.NonExistentQueue'),
    setAside: fc.nat({ max: 20 }),
    returned: fc.nat({ max: 20 }),
  },
  { requiredKeys: ['carrier', 'status', 'startedAtMs', 'moved', 'messagesPerSecond', 'destinationArn'] },
);

/** Only moves by the function can be paused. */
const reported = move.map(it =>
  it.carrier === 'task' && it.status === 'PAUSED' ? { ...it, status: 'COMPLETED' as const } : it,
);

const moves = fc
  .array(reported, { maxLength: 6 })
  .map(all => all.toSorted((one, other) => other.startedAtMs - one.startedAtMs))
  // A queue has only one running task at a time.
  .map(([newest, ...older]) => [...(newest ? [newest] : []), ...older.filter(({ status }) => !status.endsWith('ING'))]);

/** Mostly a fact that lets a run begin or continue. Several other facts each prevent that alone. */
function mostly<T>(well: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(well) },
    ...others.map(other => ({ weight: 1, arbitrary: fc.constant(other) })),
  );
}

const alarm = (name: string): fc.Arbitrary<HealthAlarmFacts> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ name, state: 'OK' as const, sinceMs: NOW - 4 * DAY_MS }) },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          name: fc.constant(name),
          state: fc.constantFrom('OK', 'ALARM', 'INSUFFICIENT_DATA', 'missing'),
          sinceMs: ago.map(ms => NOW - ms),
          recovered: fc.boolean(),
        },
        { requiredKeys: ['name', 'state'] },
      ),
    },
  );

const facts: fc.Arbitrary<RedriveFacts> = fc.record(
  {
    nowMs: fc.constant(NOW),
    trigger: fc.constantFrom('schedule', 'operator', 'recovery', 'tick'),
    killSwitch: mostly('on', 'off', 'unknown'),
    deadLetters: fc.option(depth, { nil: undefined, freq: 10 }),
    destination: fc.option(
      fc.record(
        { depth, oldestAgeSeconds: fc.nat({ max: 630 }), deleted: fc.nat({ max: 2 }) },
        { requiredKeys: ['depth'] },
      ),
      { nil: undefined, freq: 10 },
    ),
    moves,
    isMovesComplete: mostly(true, false),
    alarms: fc.tuple(alarm('orders-failing'), alarm('orders-late')),
    mappings: mostly('Enabled', 'Updating', 'Disabled').map(state => [{ id: 'mapping-1', state }]),
    failures: fc.record({ now: fc.nat({ max: 50 }), atStart: fc.nat({ max: 50 }) }, { requiredKeys: ['now'] }),
    deadLettersWhenSettled: fc.nat({ max: 20_000 }),
  },
  {
    requiredKeys: [
      'nowMs',
      'trigger',
      'killSwitch',
      'deadLetters',
      'destination',
      'moves',
      'isMovesComplete',
      'alarms',
      'mappings',
    ],
  },
);

const settings: fc.Arbitrary<RedriveSettings> = fc
  .record({
    maxBacklog: fc.constant(30_000),
    healthyForMs: fc.constantFrom(0, 5 * MINUTE_MS),
    settleMs: fc.constantFrom(MINUTE_MS, 3 * MINUTE_MS, 10 * MINUTE_MS),
    proofOfHealth: fc.boolean(),
    failures: fc.constantFrom(DLQ, QUARANTINE),
    messagesPerDay: fc.constantFrom(131, 2_000, 20_000),
    carrier: fc.constantFrom('task', 'task', 'copy'),
  })
  .map(changes => ({ ...SETTINGS, ...changes }) as RedriveSettings);

/** One decision in a hundred is `cancel`, the rarest that is expected: in 1,500 it is missing once in six million times. */
const RUNS = 1_500;
const CAP = 50;

/** Checks plans for random facts. Returns how often each kind of decision occurred. */
function forAny(check: (plan: RedrivePlan, facts: RedriveFacts, settings: RedriveSettings) => void): Set<string> {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(settings, facts, (given, seen) => {
      const plan = planRedrive(given, seen);
      kinds.add(plan.decision.kind);
      check(plan, seen, given);
    }),
    { numRuns: RUNS },
  );
  return kinds;
}

const isActive = ({ status }: MoveFacts) => status === 'RUNNING' || status === 'CANCELLING';

describe('Whatever the facts are', () => {
  test('nothing starts during a move, unless the switch is on, or if an alarm or a mapping is not healthy', () => {
    const kinds = forAny(({ decision }, { moves: [newest], killSwitch, alarms, mappings }) => {
      if (decision.kind !== 'start') return;
      expect(newest && isActive(newest)).toBeFalsy();
      expect(killSwitch).toBe('on');
      expect(alarms.map(({ state }) => state)).toEqual(['OK', 'OK']);
      expect(mappings).toEqual([{ id: 'mapping-1', state: 'Enabled' }]);
    });
    expect(kinds).toContain('start');
  });

  test('no step exceeds its own rate, and none moves more than is left of the day’s budget', () => {
    forAny(({ decision }, { moves: all, nowMs }, { steps, messagesPerDay }) => {
      if (decision.kind !== 'start') return;
      expect(decision.messagesPerSecond).toBeLessThanOrEqual(steps[decision.step]?.messagesPerSecond ?? 0);
      expect(decision.messagesPerSecond).toBeLessThanOrEqual(CAP);
      const today = all.filter(({ startedAtMs }) => startedAtMs > nowMs - DAY_MS);
      const moved = today.reduce((sum, it) => sum + it.moved, 0);
      expect(moved + decision.messages).toBeLessThanOrEqual(messagesPerDay);
      expect(decision.messages).toBeGreaterThan(0);
    });
  });

  test('only our own task is cancelled, the newest, while it runs', () => {
    const kinds = forAny(({ decision }, { moves: [newest] }) => {
      if (decision.kind !== 'cancel') return;
      expect(newest).toMatchObject({
        carrier: 'task',
        status: 'RUNNING',
        destinationArn: ORDERS.arn,
        handle: 'handle',
      });
      expect([1, 10, 50]).toContain(newest?.messagesPerSecond);
    });
    expect(kinds).toContain('cancel');
  });

  test('a canary is the first step of a run, and any other step continues a run whose last step is over', () => {
    forAny(({ decision, run }, { moves: all }) => {
      if (decision.kind !== 'start') return;
      const isGoingOn = decision.runStartedAtMs !== undefined;
      if (decision.step > 0) expect(isGoingOn).toBe(true);
      if (!isGoingOn) return;
      expect(decision.runStartedAtMs).toBe(run?.startedAtMs);
      expect(run?.ending).toBeUndefined();
      expect(all.some(({ startedAtMs }) => startedAtMs === run?.startedAtMs)).toBe(true);
    });
  });

  test('the state agrees with the decision', () => {
    const kinds = forAny(({ decision, state, run }) => {
      if (decision.kind === 'start' || decision.kind === 'cancel') expect(state).toBe('moving');
      if (decision.kind === 'wait') expect(['moving', 'settling']).toContain(state);
      if (decision.kind === 'finish') expect(state).toBe('idle');
      if (decision.kind === 'stop') expect(state).toBe('stopped');
      if (state === 'stopped') expect(run?.ending?.cause).toBeDefined();
      if (run?.ending) expect(run.returned ?? 0).toBeLessThanOrEqual(run.moved);
    });
    expect([...kinds]).toEqual(expect.arrayContaining(['cancel', 'leave', 'start', 'stop', 'wait']));
  });

  test('a run that is over never continues, and never ends in another way, however often the same facts are read', () => {
    fc.assert(
      fc.property(settings, facts, fc.nat({ max: 120 * MINUTE_MS }), (given, seen, laterMs) => {
        const first = planRedrive(given, { ...seen, trigger: 'tick' });
        const { ending } = first.run ?? {};
        fc.pre(ending !== undefined);
        const later = planRedrive(given, { ...seen, trigger: 'tick', nowMs: NOW + laterMs });
        expect(later.run?.ending?.overAtMs).toBe(ending?.overAtMs);
        if (later.decision.kind === 'start') expect(later.decision.runStartedAtMs).toBeUndefined();
      }),
      { numRuns: RUNS },
    );
  });

  test('the same facts give the same decision', () => {
    forAny((plan, seen, given) => expect(planRedrive(given, seen)).toEqual(plan));
  });
});
