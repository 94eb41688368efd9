import { sentSinceMsOf, settledAtMsOf } from '../../../policy/redrive/plan-redrive';
import type { MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { redriveContextOf } from '../../../policy/redrive/redrive-runs';
import { stopOfPass } from '../../../policy/redrive/stop-rules';
import { MINUTE_MS } from '../../../policy/time-units';
import { alarm, decided, depth, FACTS, move, NOW, plan, SETTINGS } from './fixtures';

const fresh = (changes: object) => ({ alarms: [alarm('orders-failing', changes), alarm('orders-late')] });

describe('While a task runs', () => {
  const task = (changes: Partial<MoveFacts> = {}) =>
    move({ status: 'RUNNING', handle: 'ours', startedAtMs: NOW - 9_000, moved: 9, toMove: 509, ...changes });
  const watched = (facts: Partial<RedriveFacts>, changes: Partial<MoveFacts> = {}, settings = {}) =>
    decided({ moves: [task(changes)], ...facts }, settings);
  const cancelled = (cause: string, reason: string) => ({ kind: 'cancel', handle: 'ours', cause, reason });

  test('it continues while all preconditions hold', () => {
    expect(watched({})).toEqual({ kind: 'wait', reason: 'the task has moved 9 messages' });
    expect(plan({ moves: [task()] })).toMatchObject({ state: 'moving', run: { startedAtMs: NOW - 9_000, moved: 9 } });
    expect(watched({ trigger: 'schedule' })).toMatchObject({ kind: 'wait' });
  });

  test.each<[string, string, Partial<RedriveFacts>]>([
    ['switched-off', 'the kill switch is off', { killSwitch: 'off' }],
    ['switch-unknown', 'the kill switch cannot be read, or is neither on nor off', { killSwitch: 'unknown' }],
    ['no-destination', 'the destination does not exist', { destination: undefined }],
    ['consumer-stopped', 'the event source mapping mapping-1 is missing', { mappings: [] }],
    ['alarm-missing', 'the alarm orders-failing does not exist', { alarms: [alarm('orders-late')] }],
    ['alarm-firing', 'the alarm orders-failing is in ALARM', fresh({ state: 'ALARM', sinceMs: NOW })],
    ['alarm-firing', 'the alarm orders-failing has fired since the run began', fresh({ sinceMs: NOW - 1 })],
    [
      'backlog',
      '1011 messages wait in the destination, where 1000 are allowed, in addition to 10 of this step',
      { destination: { depth: depth(1_011) } },
    ],
    [
      'backlog-too-old',
      'the oldest message in the destination is 10 min 1 s old, where 10 min is allowed',
      { destination: { depth: depth(0), oldestAgeSeconds: 601 } },
    ],
  ])('it is cancelled for the cause %s: %s', (cause, reason, facts) => {
    expect(watched(facts)).toEqual(cancelled(cause, reason));
    expect(plan({ moves: [task()], ...facts }).state).toBe('moving');
  });

  test('its own waiting messages are not a backlog, as long as they are not overdue', () => {
    const steps = [{ messagesPerSecond: 50 }];
    const waiting = (minutes: number, messages: number, oldestAgeSeconds: number) => {
      const moving = { messagesPerSecond: 50, startedAtMs: NOW - minutes * MINUTE_MS, moved: 3_000, toMove: 90_000 };
      const destination = { depth: depth(messages), oldestAgeSeconds };
      return watched({ destination }, moving, { steps, messagesPerDay: 500_000, maxAgeSeconds: 60 });
    };
    expect(waiting(1, 4_001, 60)).toMatchObject({ kind: 'wait' });
    expect(waiting(1, 4_002, 60)).toMatchObject({ cause: 'backlog' });
    // Messages older than the step were there before it.
    expect(waiting(2, 1_200, 120)).toMatchObject({ kind: 'wait' });
    expect(waiting(2, 1_200, 121)).toMatchObject({
      cause: 'backlog-too-old',
      reason: 'the oldest message in the destination is 2 min 1 s old, where 2 min is allowed',
    });
    // Messages of two ticks and of the three minutes in which they can return: no more, however long the step takes.
    for (const minutes of [5, 30]) {
      expect(waiting(minutes, 16_001, 300)).toMatchObject({ kind: 'wait' });
      expect(waiting(minutes, 16_002, 300)).toMatchObject({ cause: 'backlog' });
      expect(waiting(minutes, 16_001, 301)).toMatchObject({ cause: 'backlog-too-old' });
    }
  });

  test.each(['Disabled', 'Disabling', 'Deleting', 'missing'])('it is cancelled if a mapping is %s', state => {
    expect(watched({ mappings: [{ id: 'mapping-1', state }] })).toMatchObject({ cause: 'consumer-stopped' });
  });

  test.each(['Enabled', 'Enabling', 'Updating', 'Creating'])('it continues if a mapping is %s', state => {
    expect(watched({ mappings: [{ id: 'mapping-1', state }] })).toMatchObject({ kind: 'wait' });
  });

  test.each<[string, Partial<RedriveFacts>]>([
    ['has no data', fresh({ state: 'INSUFFICIENT_DATA', sinceMs: NOW - 1 })],
    ['is OK again after it had no data', fresh({ sinceMs: NOW - 1, recovered: false })],
    ['recovered before it began', fresh({ sinceMs: NOW - 9_000, recovered: true })],
  ])('it continues if an alarm %s', (_, facts) => {
    expect(watched(facts)).toMatchObject({ kind: 'wait' });
  });

  test('its step is done once it has moved enough, by the clock and by the count', () => {
    const done = cancelled('step-done', 'the step has moved 10 messages');
    expect(watched({}, { startedAtMs: NOW - 10_000, moved: 10 })).toEqual(done);
    expect(watched({}, { startedAtMs: NOW - 10_000 })).toMatchObject({ kind: 'wait' });
    expect(watched({}, { moved: 10 })).toMatchObject({ kind: 'wait' });
  });

  test('the last step is never done before its end', () => {
    const steps = [{ messagesPerSecond: 1 }];
    expect(watched({}, { startedAtMs: NOW - 100_000, moved: 100 }, { steps })).toMatchObject({ kind: 'wait' });
  });

  test('it is cancelled when its messages return, because it could move the same messages again and again', () => {
    // Two ticks and the three minutes in which messages can return. 75 of the 300 may return.
    const moving = { startedAtMs: NOW - 5 * MINUTE_MS, moved: 300, toMove: 800 };
    const steps = [{ messagesPerSecond: 1 }];
    expect(watched({ deadLetters: depth(575) }, moving, { steps })).toMatchObject({ kind: 'wait' });
    const reason = '76 of 300 messages came back';
    expect(watched({ deadLetters: depth(576) }, moving, { steps })).toEqual(cancelled('returned', reason));
    const younger = { ...moving, startedAtMs: NOW - 5 * MINUTE_MS + 1 };
    expect(watched({ deadLetters: depth(576) }, younger, { steps })).toMatchObject({ kind: 'wait' });
  });

  test('it is cancelled before it can exceed the budget by the tick after the next', () => {
    const budget = (messagesPerDay: number, messages: number, elapsedMs = 60_000) => {
      const moving = { startedAtMs: NOW - elapsedMs, moved: 60, toMove: 1_000 };
      return watched({ deadLetters: depth(messages) }, moving, { messagesPerDay, steps: [{ messagesPerSecond: 1 }] });
    };
    // At 1 a second for 60 s, two ticks and ten seconds, and the first at once: 191. Or the 61 moved by now, and all that are left.
    expect(budget(191, 1_000)).toMatchObject({ kind: 'wait' });
    expect(budget(190, 130)).toEqual(
      cancelled(
        'messages-spent',
        '190 of the day’s 190 messages are left, and the task could move more before the next check',
      ),
    );
    expect(budget(190, 129)).toMatchObject({ kind: 'wait' });
  });

  describe('and is slower than its rate, or counted a minute late', () => {
    const canary = move({ startedAtMs: NOW - 20 * MINUTE_MS, moved: 63, toMove: 8_300 });
    const second = move({ startedAtMs: NOW - 12 * MINUTE_MS, messagesPerSecond: 10, moved: 600, toMove: 8_200 });
    /** 9,337 of the day's 10,000 are left. 7,500 messages were there when the third step began, at 50 a second. */
    const third = (elapsedSeconds: number, moved: number, messages: number, toMove = 7_500) =>
      decided({
        moves: [
          task({ startedAtMs: NOW - elapsedSeconds * 1_000, messagesPerSecond: 50, moved, toMove }),
          second,
          canary,
        ],
        deadLetters: depth(messages),
      });

    test.each([60, 120, 180, 240, 299])('at half its rate, it continues: after %i s', seconds => {
      expect(third(seconds, 25 * seconds, 7_500 - 25 * seconds)).toMatchObject({ kind: 'wait' });
    });

    test.each([60, 90, 120, 149])('with dead letters counted a minute late, it continues: after %i s', seconds => {
      expect(third(seconds, 50 * seconds, 7_500 - 50 * (seconds - 60))).toMatchObject({ kind: 'wait' });
    });

    test.each([61, 90, 120, 149])('with moves counted a minute late, it continues: after %i s', seconds => {
      expect(third(seconds, 50 * (seconds - 60), 7_500 - 50 * seconds)).toMatchObject({ kind: 'wait' });
    });

    test('new messages count as soon as they exceed what a late count can explain', () => {
      // At most 3,001 have moved, 3,000 of which a count of a minute ago may include twice: 9,337 in all.
      expect(third(60, 3_000, 9_336)).toMatchObject({ kind: 'wait' });
      expect(third(60, 3_000, 9_337)).toMatchObject({ kind: 'cancel', cause: 'messages-spent' });
    });
  });

  test('other messages that were moved within the day count, by any process', () => {
    const byHand = move({
      status: 'COMPLETED',
      destinationArn: 'elsewhere',
      moved: 9_900,
      startedAtMs: NOW - 5 * 3_600_000,
    });
    expect(decided({ moves: [task(), byHand] })).toMatchObject({ kind: 'cancel', cause: 'messages-spent' });
    const neverEnded = { ...byHand, carrier: 'copy', status: 'RUNNING' } as const;
    expect(decided({ moves: [task(), neverEnded] })).toMatchObject({ cause: 'messages-spent' });
    const yesterday = { ...byHand, startedAtMs: NOW - 27 * 3_600_000 };
    expect(decided({ moves: [task(), yesterday] })).toMatchObject({ kind: 'wait' });
    // At one message a second, the task ran for 2 h 45 min.
    const untilToday = { ...byHand, startedAtMs: NOW - 26 * 3_600_000 };
    expect(decided({ moves: [task(), untilToday] })).toMatchObject({ cause: 'messages-spent' });
  });

  test.each<[string, Partial<MoveFacts>, string]>([
    ['that is being cancelled', { status: 'CANCELLING' }, 'the task is about to end'],
    ['that the function moves itself', { carrier: 'copy' }, 'the function moves messages'],
  ])('a task %s is waited for', (_, changes, reason) => {
    expect(watched({ killSwitch: 'off' }, changes)).toEqual({ kind: 'wait', reason });
  });

  test('a task without a handle from SQS cannot be cancelled', () => {
    const { handle: _, ...rest } = task();
    expect(decided({ moves: [rest], killSwitch: 'off' })).toMatchObject({ kind: 'wait' });
  });

  test.each<[string, Partial<MoveFacts>]>([
    ['goes elsewhere', { destinationArn: 'arn:aws:sqs:us-east-1:123456789012:other' }],
    ['sends each letter to where it came from', { destinationArn: undefined }],
    ['has the rate of no step', { messagesPerSecond: 2 }],
    ['has no rate', { messagesPerSecond: undefined }],
    ['has the rate of a later step, and follows no canary', { messagesPerSecond: 10 }],
  ])('a task that %s belongs to another process, and is never touched', (_, changes) => {
    const theirs = { ...task(), ...changes } as MoveFacts;
    expect(plan({ moves: [theirs], killSwitch: 'off', ...fresh({ state: 'ALARM' }) })).toEqual({
      decision: { kind: 'leave', cause: 'foreign-task', reason: 'another process moves the messages' },
      state: 'idle',
    });
  });
});

describe('The times of a run', () => {
  // A canary of 10 messages, cancelled after 60: SQS does not report when, so two ticks are added, and the time to settle.
  const moves = [move({ startedAtMs: NOW })];
  const endedMs = NOW + MINUTE_MS;
  const settledMs = endedMs + 2 * MINUTE_MS + SETTINGS.settleMs;
  const reportedMs = settledMs + 10 * MINUTE_MS + 2 * MINUTE_MS;

  test('say when its step has settled, because its messages have had time to return', () => {
    expect(settledAtMsOf(SETTINGS, moves)).toBe(settledMs);
  });

  test('end with its step: messages sent to the destination later are others, until the end is reported', () => {
    expect(sentSinceMsOf(SETTINGS, moves, NOW)).toBe(settledMs - SETTINGS.settleMs);
    expect(sentSinceMsOf(SETTINGS, moves, reportedMs - 1)).toBe(settledMs - SETTINGS.settleMs);
    expect(sentSinceMsOf(SETTINGS, moves, reportedMs)).toBeUndefined();
  });

  test.each<[string, readonly MoveFacts[]]>([
    ['there is no run', []],
    ['the newest move belongs to no run', [move({ messagesPerSecond: 7 })]],
    ['the newest move is active', [move({ status: 'RUNNING' })]],
    ['the newest move is about to end', [move({ status: 'CANCELLING' })]],
  ])('are unknown while %s', (_, some) => {
    expect([settledAtMsOf(SETTINGS, some), sentSinceMsOf(SETTINGS, some, NOW)]).toEqual([undefined, undefined]);
  });
});

describe('While a function moves messages itself', () => {
  const STARTED = NOW - 9_000;
  const pass = move({ carrier: 'copy', status: 'RUNNING', startedAtMs: STARTED, moved: 9, toMove: 509 });
  const stop = (facts: Partial<RedriveFacts>) =>
    stopOfPass(redriveContextOf(SETTINGS, { ...FACTS, moves: [pass], ...facts }), STARTED);

  test('it continues while all preconditions hold, and after tasks that have ended', () => {
    expect(stop({})).toBeUndefined();
    expect(stop({ moves: [pass, move({ status: 'COMPLETED', startedAtMs: STARTED - 1 })] })).toBeUndefined();
  });

  test.each<[string, string, Partial<RedriveFacts>]>([
    ['switched-off', 'the kill switch is off', { killSwitch: 'off' }],
    ['alarm-firing', 'the alarm orders-failing is in ALARM', fresh({ state: 'ALARM', sinceMs: NOW })],
    ['alarm-firing', 'the alarm orders-failing has fired since the run began', fresh({ sinceMs: NOW - 1 })],
  ])('it stops for the same causes as a task, the cause %s: %s', (cause, reason, facts) => {
    expect(stop(facts)).toEqual({ cause, reason });
  });

  test.each(['RUNNING', 'CANCELLING'] as const)('it stops for a task of another process that is %s', status => {
    const reason = 'another process moves messages of the queue';
    expect(stop({ moves: [move({ status }), pass] })).toEqual({ cause: 'foreign-task', reason });
  });
});
