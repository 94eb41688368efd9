import type { MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { alarm, decided, depth, move, NOW, ORDERS, plan } from './fixtures';

/** A schedule asks for a run, unless the facts say otherwise. */
function asked(facts: Partial<RedriveFacts>, settings: Partial<RedriveSettings> = {}) {
  return decided({ trigger: 'schedule', ...facts }, settings);
}

const CANARY = { kind: 'start', step: 0, carrier: 'task', messagesPerSecond: 1, messages: 10 };

/** A run that ended yesterday. */
const OLD = move({ status: 'COMPLETED', startedAtMs: NOW - 20 * HOUR_MS, moved: 3, toMove: 3 });

const healthy = alarm('orders-late');
const failing = (changes: object) => ({ alarms: [alarm('orders-failing', changes), healthy] });

describe('Who asks for a run', () => {
  test('is a schedule, or an operator', () => {
    expect(decided({ trigger: 'schedule' })).toEqual({ ...CANARY, reason: 'the schedule asks for a run' });
    expect(decided({ trigger: 'operator' })).toEqual({ ...CANARY, reason: 'an operator asks for a run' });
  });

  const recovered = failing({ sinceMs: NOW - 5 * MINUTE_MS, recovered: true });

  test.each(['tick', 'recovery'] as const)(
    'is an alarm that has recovered, at the first %s at which it has been OK for long enough',
    trigger => {
      expect(decided({ trigger, ...recovered })).toEqual({ ...CANARY, reason: 'an alarm has recovered' });
      expect(decided({ trigger, ...recovered, nowMs: NOW - 1 })).toEqual({
        kind: 'leave',
        cause: 'not-healthy-for-long',
        reason: 'the alarm orders-failing has not been OK for 5 min',
      });
    },
  );

  test.each<[string, Partial<RedriveFacts>]>([
    ['is nobody at a mere tick', {}],
    ['is no alarm that had no data before', failing({ sinceMs: NOW - HOUR_MS, recovered: false })],
    ['is no alarm of which nobody knows what it was before', failing({ sinceMs: NOW - HOUR_MS })],
    ['is no alarm that recovered a day ago', failing({ sinceMs: NOW - 24 * HOUR_MS, recovered: true })],
    ['is no alarm that is not OK', failing({ state: 'INSUFFICIENT_DATA', sinceMs: NOW - HOUR_MS, recovered: true })],
    [
      'is no alarm that only has to be OK',
      { alarms: [alarm('orders-failing'), alarm('orders-late', { sinceMs: NOW - HOUR_MS, recovered: true })] },
    ],
    [
      'is no recovery after which something was moved already',
      { ...failing({ sinceMs: OLD.startedAtMs, recovered: true }), moves: [OLD] },
    ],
  ])('%s', (_, facts) => {
    expect(decided(facts)).toEqual({ kind: 'leave', cause: 'nothing-to-do', reason: 'nothing asks for a run' });
    expect(decided({ ...facts, trigger: 'recovery' })).toMatchObject({ cause: 'nothing-to-do' });
  });
});

describe('A run does not start', () => {
  test.each<[string, string, Partial<RedriveFacts>]>([
    ['switched-off', 'the kill switch is off', { killSwitch: 'off' }],
    ['switch-unknown', 'the kill switch cannot be read, or is neither on nor off', { killSwitch: 'unknown' }],
    ['no-dead-letter-queue', 'the dead-letter queue does not exist', { deadLetters: undefined }],
    ['no-destination', 'the destination does not exist', { destination: undefined }],
    ['no-dead-letters', 'no dead letter is visible', { deadLetters: depth(0, 3, 2) }],
    [
      'foreign-task',
      'another process moves the messages',
      { moves: [move({ status: 'RUNNING', messagesPerSecond: 7, handle: 'theirs' })] },
    ],
    ['consumer-stopped', 'the event source mapping mapping-1 is missing', { mappings: [] }],
    [
      'consumer-stopped',
      'the event source mapping mapping-1 is Updating',
      { mappings: [{ id: 'mapping-1', state: 'Updating' }] },
    ],
    ['alarm-missing', 'the alarm orders-late does not exist', { alarms: [alarm('orders-failing')] }],
    ['alarm-missing', 'the alarm orders-failing does not exist', failing({ state: 'missing' })],
    ['alarm-firing', 'the alarm orders-failing is in ALARM', failing({ state: 'ALARM' })],
    ['alarm-without-data', 'the alarm orders-failing has no data', failing({ state: 'INSUFFICIENT_DATA' })],
    [
      'not-healthy-for-long',
      'the alarm orders-failing has not been OK for 5 min',
      failing({ sinceMs: NOW - 5 * MINUTE_MS + 1 }),
    ],
    [
      'backlog',
      '1001 messages wait in the destination, where 1000 are allowed',
      { destination: { depth: depth(990, 5_000, 11) } },
    ],
    [
      'backlog-too-old',
      'the oldest message in the destination is 10 min 1 s old, where 10 min is allowed',
      { destination: { depth: depth(1_000), oldestAgeSeconds: 601 } },
    ],
    [
      'history-too-short',
      'SQS no longer lists every move of the day, so the budget cannot be kept',
      { isMovesComplete: false },
    ],
  ])('for the cause %s: %s', (cause, reason, facts) => {
    expect(asked(facts)).toEqual({ kind: 'leave', cause, reason });
    expect(plan({ trigger: 'schedule', ...facts }).state).toBe('idle');
  });

  test('if a precondition is at its limit, it does', () => {
    const destination = { depth: depth(1_000), oldestAgeSeconds: 600 };
    expect(asked({ destination, ...failing({ sinceMs: NOW - 5 * MINUTE_MS }) })).toMatchObject(CANARY);
    expect(asked({ destination: { depth: depth(10_000) } }, { maxBacklog: 10_000 })).toMatchObject(CANARY);
  });

  test('if an alarm may not have been OK for long enough, unless that is not required', () => {
    const facts = { alarms: [{ name: 'orders-failing', state: 'OK' as const }, healthy] };
    expect(asked(facts)).toMatchObject({ cause: 'not-healthy-for-long' });
    expect(asked(facts, { healthyForMs: 0 })).toMatchObject(CANARY);
  });
});

const running = move({ status: 'RUNNING', messagesPerSecond: 7, startedAtMs: NOW - MINUTE_MS, handle: 'theirs' });
/** Every fault that can prevent a run, in the order of precedence. */
const FAULTS: readonly (readonly [string, Partial<RedriveFacts>])[] = [
  ['switched-off', { killSwitch: 'off' }],
  ['no-destination', { destination: undefined }],
  ['no-dead-letters', { deadLetters: depth(0, 1) }],
  ['foreign-task', { moves: [running] }],
  ['consumer-stopped', { mappings: [] }],
  ['alarm-missing', { alarms: [alarm('orders-failing', { state: 'ALARM' })] }],
  ['alarm-firing', { alarms: [alarm('orders-failing', { state: 'ALARM' }), alarm('orders-late', { sinceMs: NOW })] }],
  ['not-healthy-for-long', { alarms: [alarm('orders-failing', { sinceMs: NOW }), healthy] }],
  ['backlog', { destination: { depth: depth(5_000), oldestAgeSeconds: 5_000 } }],
  ['backlog-too-old', { destination: { depth: depth(0), oldestAgeSeconds: 5_000 } }],
  ['history-too-short', { isMovesComplete: false }],
];

test.each(FAULTS.map(([cause], index) => [cause, index] as const))(
  'The preconditions are checked in one order, so that the first cause is the one that a person should fix first %s',
  (cause, index) => {
    const faults = FAULTS.slice(index).toReversed();
    const facts = Object.assign({}, ...faults.map(([, fault]) => fault));
    expect(asked(facts)).toMatchObject({ kind: 'leave', cause });
  },
);

describe('The budgets of a day', () => {
  const run = (hours: number, moved = 3) => {
    return move({ status: 'COMPLETED', startedAtMs: NOW - hours * HOUR_MS, moved, toMove: moved });
  };

  test('allow the stated number of runs', () => {
    expect(asked({ moves: [run(1), run(2)] })).toMatchObject(CANARY);
    expect(asked({ moves: [run(1), run(2), run(3)] })).toEqual({
      kind: 'leave',
      cause: 'runs-spent',
      reason: '3 runs began within a day, which is the limit',
    });
    expect(asked({ moves: [run(1), run(2), run(24)] })).toMatchObject(CANARY);
  });

  test('allow no run whose steps SQS could not list next to the other tasks of the day', () => {
    const many = (count: number) => ({ moves: Array.from({ length: count }, (_, index) => run(index + 1)) });
    const foreign = run(1);
    const seven = {
      moves: [{ ...foreign, destinationArn: 'arn:aws:sqs:us-east-1:123456789012:other' }, ...many(6).moves],
    };
    expect(asked(seven, { runsPerDay: 10 })).toMatchObject(CANARY);
    expect(asked(many(8), { runsPerDay: 10 })).toEqual({
      kind: 'leave',
      cause: 'history-too-short',
      reason: '8 tasks began within a day, a run needs 3, and SQS lists only 10',
    });
    expect(asked({ moves: [...many(7).moves, run(24)] }, { runsPerDay: 10 })).toMatchObject(CANARY);
    const copied = many(8).moves.map(it => ({ ...it, carrier: 'copy' as const }));
    expect(asked({ moves: copied }, { runsPerDay: 10, carrier: 'copy' })).toMatchObject({ ...CANARY, carrier: 'copy' });
  });

  test('count moves that an operator started as messages, and not as runs', () => {
    const byHand = move({ ...run(4, 9_900), destinationArn: 'arn:aws:sqs:us-east-1:123456789012:other' });
    expect(asked({ moves: [run(1), run(2), byHand] })).toEqual({
      kind: 'leave',
      cause: 'messages-spent',
      reason: '94 of the day’s 10000 messages are left, and this step could move more',
    });
    expect(asked({ moves: [run(1), run(2), { ...byHand, moved: 9_863 }] })).toMatchObject({ ...CANARY, messages: 10 });
  });

  test('are limited by the rate if there are more messages than may move, otherwise by the messages', () => {
    const left = (messagesPerDay: number, messages: number) =>
      asked({ deadLetters: depth(messages, 1) }, { messagesPerDay });
    // One message a second for two ticks and ten seconds, and the first at once: 131.
    expect(left(131, 1_000_000)).toMatchObject(CANARY);
    expect(left(130, 130)).toMatchObject({ cause: 'messages-spent' });
    expect(left(130, 129)).toMatchObject(CANARY);
    expect(left(7, 6)).toMatchObject({ ...CANARY, messages: 7 });
  });

  test('need no slower rate if the function counts what it moves', () => {
    const budget = { messagesPerDay: 4, carrier: 'copy' } as const;
    expect(asked({}, budget)).toMatchObject({ kind: 'start', carrier: 'copy', messages: 4 });
    expect(asked({ moves: [run(2)] }, budget)).toMatchObject({ messages: 1 });
    expect(asked({ moves: [run(2), run(3, 1)] }, budget)).toMatchObject({ cause: 'messages-spent' });
  });
});

describe('After a run whose messages returned', () => {
  const ago = (minutes: number) => move({ status: 'COMPLETED', startedAtMs: NOW - minutes * MINUTE_MS });
  const back = { deadLetters: depth(560), deadLettersWhenSettled: 560 };
  // The run settled six minutes after it began. The next may begin six hours later.
  const resting = { trigger: 'schedule', moves: [ago(365)], ...back } as const;

  test('no schedule starts another for a while', () => {
    expect(decided(resting)).toEqual({
      kind: 'leave',
      cause: 'resting',
      reason: 'the messages of the last run came back, and no alarm has recovered since',
    });
    expect(plan(resting).state).toBe('stopped');
    expect(decided({ ...resting, moves: [ago(366)] })).toMatchObject(CANARY);
  });

  test('an operator starts one, and so does an alarm that recovered since', () => {
    expect(decided({ ...resting, trigger: 'operator' })).toMatchObject(CANARY);
    const since = (minutes: number) => failing({ sinceMs: NOW - minutes * MINUTE_MS, recovered: true });
    expect(decided({ ...resting, ...since(300) })).toMatchObject(CANARY);
    expect(decided({ ...resting, ...since(300), trigger: 'tick' })).toMatchObject({ reason: 'an alarm has recovered' });
    expect(decided({ ...resting, ...since(366) })).toMatchObject({ cause: 'resting' });
  });

  test('a schedule starts one if it is unknown how many returned', () => {
    const { deadLettersWhenSettled: _, ...unknown } = resting;
    expect(decided(unknown)).toMatchObject(CANARY);
  });

  test('a schedule starts a run if an operator has moved messages since', () => {
    const byHand = move({
      status: 'COMPLETED',
      startedAtMs: NOW - HOUR_MS,
      destinationArn: ORDERS.arn,
      messagesPerSecond: 500,
    });
    expect(decided({ ...resting, moves: [byHand, ago(365)] })).toMatchObject(CANARY);
  });
});

describe('After a run that was stopped', () => {
  const settled = 6;
  const ago = (minutes: number) => move({ moved: 9, toMove: 509, startedAtMs: NOW - minutes * MINUTE_MS });
  const recovered = { alarms: [alarm('orders-failing', { sinceMs: NOW - 5 * MINUTE_MS, recovered: true }), healthy] };
  const rested = (minutes: number, earlier: readonly MoveFacts[] = []) =>
    decided({ moves: [ago(minutes + settled), ...earlier], ...recovered }, { runsPerDay: 10 });

  test('a recovery waits for half an hour, and then still counts', () => {
    expect(rested(28)).toEqual({
      kind: 'leave',
      cause: 'resting',
      reason: 'the last run was stopped, and recoveries start no run for a while',
    });
    expect(rested(30)).toMatchObject({ ...CANARY, reason: 'an alarm has recovered' });
  });

  test.each([
    [2, 60],
    [3, 120],
    [4, 240],
    [5, 360],
  ])('of %i in a day, a recovery waits for %i minutes, and never longer than stated', (runs, minutes) => {
    const earlier = Array.from({ length: runs - 1 }, (_, index) => ago(900 + 20 * index));
    expect(rested(minutes - 2, earlier)).toMatchObject({ cause: 'resting' });
    expect(rested(minutes, earlier)).toMatchObject(CANARY);
  });

  test('a recovery does not wait if the run went well', () => {
    const well = move({ status: 'COMPLETED', moved: 9, toMove: 509, startedAtMs: NOW - 20 * MINUTE_MS });
    expect(decided({ moves: [well], ...recovered })).toMatchObject(CANARY);
  });
});
