import { SSMServiceException } from '@aws-sdk/client-ssm';
import { passChecker, planToleratingUnread, type RedriveEvent, readRedriveEvent } from '../../../lambda/redrive/plan';
import { TolerantReader } from '../../../mover/aws/aws-calls';
import { assumingUnreadIsHealthy } from '../../../mover/redrive-facts/fact-reader';
import { planRedrive } from '../../../policy/redrive/plan-redrive';
import type { MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { MINUTE_MS } from '../../../policy/time-units';
import { alarm, depth, FACTS, move, NOW, SETTINGS } from '../../policy/redrive/fixtures';

describe('failed reads', () => {
  /** Returns a reader for which these actions failed. */
  async function missing(...asked: readonly string[]): Promise<TolerantReader> {
    const reading = new TolerantReader();
    const throttled = new SSMServiceException({ name: 'ThrottlingException', $fault: 'client', $metadata: {} });
    for (const action of asked) await reading.readOr(action, () => Promise.reject(throttled), undefined);
    return reading;
  }

  const RUNNING = move({ status: 'RUNNING', handle: 'ours', startedAtMs: NOW - 9_000, moved: 9, toMove: 509 });

  /** Each fact that may be unreadable, and the value that is assumed then. */
  const UNREAD: readonly [string, string, Partial<RedriveFacts>][] = [
    ['GetParameter', 'switch-unknown', { killSwitch: 'unknown' }],
    ['GetQueueAttributes', 'no-destination', { destination: undefined }],
    ['GetEventSourceMapping', 'consumer-stopped', { mappings: [{ id: 'mapping-1', state: 'unread' }] }],
    [
      'DescribeAlarms',
      'alarm-missing',
      { alarms: [alarm('orders-failing', { state: 'unread' }), alarm('orders-late', { state: 'unread' })] },
    ],
  ];

  async function decided(action: string, seen: Partial<RedriveFacts>, event: RedriveEvent) {
    const reading = await missing(action);
    const facts: RedriveFacts = { ...FACTS, moves: [RUNNING], ...seen };
    const gathered = { facts, ifUnreadWereHealthy: assumingUnreadIsHealthy(facts, reading), unread: reading.unread };
    return planToleratingUnread(it => planRedrive(SETTINGS, it), gathered, event);
  }

  const tick = (ageMs: number): RedriveEvent => ({ trigger: 'tick', dueAtMs: NOW - ageMs });

  describe.each(UNREAD)('While %s does not answer', (action, cause, seen) => {
    test('a task continues, and is cancelled by Lambda’s second retry of the tick', async () => {
      for (const ageMs of [0, 2_000, 62_000, 150_000 - 1]) {
        const { decision, state } = await decided(action, seen, tick(ageMs));
        expect([decision.kind, state]).toEqual(['wait', 'moving']);
        expect(decision.reason).toMatch(/^some facts could not be read, and may be readable soon: /);
      }
      expect((await decided(action, seen, tick(150_000))).decision).toMatchObject({ kind: 'cancel', cause });
    });

    test('an invocation by an operator cancels nothing for that reason', async () => {
      expect((await decided(action, seen, { trigger: 'operator' })).decision.kind).toBe('wait');
      expect((await decided(action, seen, { trigger: 'schedule', dueAtMs: NOW - MINUTE_MS * 9 })).decision.kind).toBe(
        'wait',
      );
    });

    test('a task is still cancelled for a fact that was read', async () => {
      const others = UNREAD.filter(([other]) => other !== action);
      for (const [, , unwell] of others) {
        const really = JSON.parse(JSON.stringify(unwell).replaceAll('unread', 'missing'));
        const { decision } = await decided(action, { ...seen, ...unwell, ...really }, tick(0));
        expect(decision.kind).toBe('cancel');
      }
      const spent = { moves: [{ ...RUNNING, moved: 9_990, startedAtMs: NOW - 9_990_000 }], deadLetters: depth(500) };
      expect((await decided(action, { ...seen, ...spent }, tick(0))).decision).toMatchObject({ kind: 'cancel' });
    });

    test('no run starts or continues', async () => {
      const asked = await decided(action, { ...seen, moves: [], trigger: 'schedule' }, { trigger: 'schedule' });
      expect(asked.decision).toMatchObject({ kind: 'leave', cause });
      const settled = await decided(action, { ...seen, moves: [move()] }, tick(0));
      expect(settled.decision.kind).toBe('wait');
    });
  });

  test('Facts that were read are used, even if others could not be read', async () => {
    const facts: RedriveFacts = {
      ...FACTS,
      killSwitch: 'off',
      destination: { depth: depth(7) },
      alarms: [alarm('orders-failing', { state: 'ALARM' }), alarm('orders-late', { state: 'missing' })],
      mappings: [{ id: 'mapping-1', state: 'Disabled' }],
    };
    expect(
      assumingUnreadIsHealthy(facts, await missing('DescribeAlarms', 'GetEventSourceMapping', 'GetQueueAttributes')),
    ).toEqual(facts);
    expect(assumingUnreadIsHealthy({ ...facts, destination: undefined }, await missing()).destination).toBeUndefined();
  });
});

describe('the checks during a move pass', () => {
  const STARTED = NOW - MINUTE_MS;

  const MOVE_PASS: MoveFacts = move({
    carrier: 'copy',
    status: 'RUNNING',
    startedAtMs: STARTED,
    moved: 40,
    toMove: 500,
  });

  /** Returns the result of a check during a move pass, if the facts have changed like this since the pass began. */
  function check(changes: Partial<RedriveFacts> = {}, settings: Partial<typeof SETTINGS> = {}) {
    const looking = passChecker(
      {
        readAgain: async (before, movePass) => {
          const facts = { ...before, moves: [movePass], ...changes };
          return { facts, ifUnreadWereHealthy: facts, unread: [] };
        },
      },
      { ...SETTINGS, ...settings },
    );
    return looking({ ...FACTS, deadLetters: depth(460) }, MOVE_PASS, STARTED);
  }

  test('A move pass continues while all preconditions hold', async () => {
    expect(await check()).toBeUndefined();
  });

  test('A move pass is not stopped for the budget, because its quota is within the budget', async () => {
    expect(await check({}, { messagesPerDay: 60 })).toBeUndefined();
  });

  test('A move pass continues while the backlog can be its own messages: 61 in a minute, the first at once', async () => {
    expect(await check({ destination: { depth: depth(1_061) } })).toBeUndefined();
  });

  test.each<[string, Partial<RedriveFacts>, object]>([
    ['the kill switch is off', { killSwitch: 'off' }, { cause: 'switched-off' }],
    ['the switch cannot be read', { killSwitch: 'unknown' }, { cause: 'switch-unknown' }],
    ['the destination is gone', { destination: undefined }, { cause: 'no-destination' }],
    ['too much waits in the destination', { destination: { depth: depth(1_062) } }, { cause: 'backlog' }],
    [
      'nobody reads the destination',
      { mappings: [{ id: 'mapping-1', state: 'Disabled' }] },
      { cause: 'consumer-stopped' },
    ],
    ['nobody can look at an alarm', { alarms: [alarm('orders-failing')] }, { cause: 'alarm-missing' }],
    [
      'an alarm fires',
      { alarms: [alarm('orders-failing', { state: 'ALARM', sinceMs: NOW }), alarm('orders-late')] },
      { cause: 'alarm-firing', reason: 'the alarm orders-failing is in ALARM' },
    ],
    [
      'an alarm has fired and is OK again',
      { alarms: [alarm('orders-failing', { sinceMs: NOW - 1, recovered: true }), alarm('orders-late')] },
      { cause: 'alarm-firing', reason: 'the alarm orders-failing has fired since the run began' },
    ],
    [
      'another process moves messages too',
      { moves: [move({ status: 'RUNNING', messagesPerSecond: 2 }), MOVE_PASS] },
      { cause: 'foreign-task' },
    ],
  ])('A move pass stops if %s', async (_, changes, halt) => {
    expect(await check(changes)).toMatchObject(halt);
  });

  describe('A failed read during a move pass', () => {
    const unread = ['DescribeAlarms: ThrottlingException: Rate exceeded'];

    /** Checks move passes at these seconds. A check without `isRead` can read no facts. */
    async function halts(looks: readonly { atS: number; isRead?: boolean; movePass?: MoveFacts; beside?: object }[]) {
      let atMs = NOW;
      let isRead = true;
      let beside = {};
      const look = passChecker(
        {
          readAgain: async (before, movePass) => {
            const ifUnreadWereHealthy = { ...before, moves: [movePass], nowMs: atMs, ...beside };
            const facts: RedriveFacts = isRead
              ? ifUnreadWereHealthy
              : { ...ifUnreadWereHealthy, killSwitch: 'unknown' };
            return { facts, ifUnreadWereHealthy, unread: isRead ? [] : unread };
          },
        },
        SETTINGS,
      );
      const causes: (string | undefined)[] = [];
      for (const { atS, movePass = MOVE_PASS, ...how } of looks) {
        atMs = NOW + atS * 1_000;
        isRead = how.isRead ?? false;
        beside = how.beside ?? {};
        causes.push((await look({ ...FACTS, deadLetters: depth(460) }, movePass, STARTED))?.cause);
      }
      return causes;
    }

    test('stops it after two and a half minutes of failed reads', async () => {
      const looks = [0, 30, 60, 90, 120, 149, 150].map(atS => ({ atS }));
      expect(await halts(looks)).toEqual([...Array(6).fill(undefined), 'switch-unknown']);
    });

    test('no longer counts once everything was read again', async () => {
      expect(await halts([{ atS: 0 }, { atS: 120, isRead: true }, { atS: 150 }, { atS: 299 }, { atS: 300 }])).toEqual([
        ...Array(4).fill(undefined),
        'switch-unknown',
      ]);
    });

    test('does not count for the next move pass', async () => {
      const next = { ...MOVE_PASS, startedAtMs: STARTED + 15 * MINUTE_MS };
      expect(await halts([{ atS: 0 }, { atS: 900, movePass: next }])).toEqual([undefined, undefined]);
    });

    test('does not hide other facts, which were read', async () => {
      const beside = { mappings: [{ id: 'mapping-1', state: 'Disabled' }] };
      expect(await halts([{ atS: 0, beside }])).toEqual(['consumer-stopped']);
    });
  });
});

describe('the event of a redrive’s function', () => {
  test.each(['schedule', 'recovery', 'operator', 'tick'])(
    '%s triggers a redrive, with the time at which it was due',
    trigger => {
      expect(readRedriveEvent({ trigger })).toEqual({ trigger });
      const dueAtMs = Date.UTC(2026, 0, 5, 9);
      expect(readRedriveEvent({ trigger, time: '2026-01-05T09:00:00Z' })).toEqual({ trigger, dueAtMs });
    },
  );

  test.each([
    [{}, 'trigger must be one of schedule, recovery, operator, tick: got undefined'],
    [null, 'trigger must be one of schedule, recovery, operator, tick: got undefined'],
    [{ trigger: 'now' }, 'trigger must be one of schedule, recovery, operator, tick: got "now"'],
    [{ trigger: 'tick', time: 'noon' }, 'time must be a UTC timestamp: got "noon"'],
    [{ trigger: 'tick', time: '2026-01-05T09:00:00+01:00' }, 'time must be a UTC timestamp'],
    [{ trigger: 1, time: 2 }, 'got 1; time must be a UTC timestamp: got 2'],
  ])('%j triggers nothing', (event, problem) => {
    expect(() => readRedriveEvent(event)).toThrow(problem);
  });
});
