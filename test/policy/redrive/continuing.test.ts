import type { MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { MINUTE_MS } from '../../../policy/time-units';
import { alarm, decided, depth, FACTS, move, NOW, plan, QUARANTINE } from './fixtures';

/** A canary of 60 messages began six minutes ago and has just settled. All preconditions hold. */
const WELL: Partial<RedriveFacts> = {
  moves: [move()],
  destination: { depth: depth(0), deleted: 60 },
  deadLetters: depth(500),
};

function afterwards(facts: Partial<RedriveFacts> = {}, settings: Partial<RedriveSettings> = {}) {
  return plan({ ...WELL, ...facts }, settings);
}

const RUN = { startedAtMs: NOW - 6 * MINUTE_MS, moved: 60 };
const SECOND = {
  kind: 'start',
  step: 1,
  carrier: 'task',
  messagesPerSecond: 10,
  messages: 100,
  runStartedAtMs: RUN.startedAtMs,
  reason: 'the previous step went well',
};

const later = (minutes: number) => ({ nowMs: NOW + minutes * MINUTE_MS });
const fresh = (changes: object) => ({ alarms: [alarm('orders-failing', changes), alarm('orders-late')] });

describe('After a step that has moved enough', () => {
  test('it waits for returning messages: a minute a message, two ticks and three minutes', () => {
    const waiting = { kind: 'wait', reason: 'messages may still come back' };
    expect(afterwards({ nowMs: NOW - 1 })).toEqual({ decision: waiting, state: 'settling', run: RUN });
    expect(afterwards({ nowMs: NOW - 1, trigger: 'schedule' }).decision).toEqual(waiting);
  });

  test('the next step starts if all preconditions hold', () => {
    expect(afterwards()).toEqual({ decision: SECOND, state: 'moving', run: { ...RUN, returned: 0 } });
  });

  test('a move pass that moved enough counts as well, however it ended', () => {
    for (const status of ['COMPLETED', 'PAUSED', 'CANCELLED'] as const) {
      const moves = [move({ carrier: 'copy', status, moved: 10, startedAtMs: NOW - 5.5 * MINUTE_MS, toMove: 510 })];
      expect(afterwards({ moves }).decision).toMatchObject({ kind: 'start', step: 1, carrier: 'copy' });
    }
  });

  test('up to a quarter may have returned', () => {
    expect(afterwards({ deadLetters: depth(500, 10, 5) })).toMatchObject({ decision: SECOND, run: { returned: 15 } });
    expect(afterwards({ deadLetters: depth(500, 10, 6) })).toEqual({
      decision: { kind: 'stop', cause: 'returned', reason: '16 of 60 messages came back' },
      state: 'stopped',
      run: {
        ...RUN,
        returned: 16,
        ending: { cause: 'returned', reason: '16 of 60 messages came back', overAtMs: NOW + 10 * MINUTE_MS },
      },
    });
    expect(afterwards({ deadLetters: depth(900) }).run).toMatchObject({ returned: 60 });
    expect(afterwards({ deadLetters: depth(900) }, { maxReturnedPercent: 100 }).decision).toEqual(SECOND);
  });

  test.each<[string, string, Partial<RedriveFacts>]>([
    ['switched-off', 'the kill switch is off', { killSwitch: 'off' }],
    ['switch-unknown', 'the kill switch cannot be read, or is neither on nor off', { killSwitch: 'unknown' }],
    ['no-destination', 'the destination does not exist', { destination: undefined }],
    ['consumer-stopped', 'the event source mapping mapping-1 is missing', { mappings: [] }],
    ['alarm-missing', 'the alarm orders-late does not exist', { alarms: [alarm('orders-failing')] }],
    [
      'backlog',
      '1001 messages wait in the destination, where 1000 are allowed',
      { destination: { depth: depth(1_001), deleted: 1 } },
    ],
    [
      'backlog-too-old',
      'the oldest message in the destination is 10 min 1 s old, where 10 min is allowed',
      { destination: { depth: depth(1), deleted: 1, oldestAgeSeconds: 601 } },
    ],
    [
      'not-consumed',
      'nothing has been deleted from the destination since the canary began',
      { destination: { depth: depth(1) } },
    ],
    [
      'not-consumed',
      'nothing has been deleted from the destination since the canary began',
      { destination: { depth: depth(1), deleted: 0 } },
    ],
    [
      'history-too-short',
      'SQS no longer lists every move of the day, so the budget cannot be kept',
      { isMovesComplete: false },
    ],
  ])('the run waits ten ticks for a precondition, and is then stopped: %s, %s', (cause, reason, facts) => {
    const waiting = { kind: 'wait', reason: `the run waits: ${reason}` };
    for (const minutes of [0, 9.99]) {
      expect(afterwards({ ...facts, ...later(minutes) })).toMatchObject({ decision: waiting, state: 'settling' });
    }
    const stopped = afterwards({ ...facts, ...later(10) });
    expect(stopped).toMatchObject({ decision: { kind: 'stop', cause, reason }, state: 'stopped' });
    expect(stopped.run?.ending).toEqual({ cause, reason, overAtMs: NOW + 10 * MINUTE_MS });
  });

  test('behind a backlog, messages in the destination that were sent earlier prove nothing, because they may be its own', () => {
    const among = (sentSince: number | undefined, ...held: Parameters<typeof depth>) =>
      afterwards({
        destination: { depth: depth(...held), deleted: 400, ...(sentSince !== undefined && { sentSince }) },
      });
    // A quarter of the 60 messages may be returned or untried.
    expect(among(undefined, 5, 10).decision).toEqual(SECOND);
    expect(among(undefined, 5, 11).decision).toEqual({
      kind: 'wait',
      reason: 'the run waits: 16 of the canary’s 60 messages may still wait in the destination, behind others',
    });
    expect(among(0, 0, 0, 900).decision).toMatchObject({ kind: 'wait' });
    expect(among(885, 400, 500).decision).toEqual(SECOND);
    expect(among(884, 400, 500).decision).toMatchObject({ kind: 'wait' });
  });

  test('returned messages and messages that may still wait are added', () => {
    const destination = { depth: depth(9), deleted: 40 };
    expect(afterwards({ destination, deadLetters: depth(506) }).decision).toEqual(SECOND);
    expect(afterwards({ destination, deadLetters: depth(507) }).decision).toMatchObject({ kind: 'wait' });
  });

  test('behind a backlog that stays, the run is stopped', () => {
    const reason = '60 of the canary’s 60 messages may still wait in the destination, behind others';
    const stopped = afterwards({ destination: { depth: depth(900), deleted: 400 }, ...later(10) });
    expect(stopped).toMatchObject({ decision: { kind: 'stop', cause: 'not-consumed', reason }, state: 'stopped' });
  });

  test('it waits for twice the time that messages take to return, if that is longer', () => {
    const slow = { settleMs: 8 * MINUTE_MS };
    const moves = [move({ startedAtMs: NOW - 11 * MINUTE_MS })];
    expect(afterwards({ moves, killSwitch: 'off', ...later(15.99) }, slow).decision.kind).toBe('wait');
    expect(afterwards({ moves, killSwitch: 'off', ...later(16) }, slow).decision.kind).toBe('stop');
  });

  test('a run that was not continued in time is over', () => {
    expect(afterwards(later(9.99)).decision).toEqual(SECOND);
    const reason = 'the run was not continued in time';
    expect(afterwards({ ...later(10) }).decision).toEqual({ kind: 'stop', cause: 'abandoned', reason });
  });

  test('a run without dead letters waits for new ones, and ends well', () => {
    const none = { deadLetters: depth(0) };
    expect(afterwards(none).decision).toEqual({ kind: 'wait', reason: 'the run waits: no dead letter is visible' });
    expect(afterwards({ ...none, ...later(10) })).toMatchObject({
      decision: { kind: 'finish', reason: 'the dead-letter queue is empty' },
      state: 'idle',
    });
  });

  test('an alarm that has fired since the run started ends the run at once', () => {
    const early = { nowMs: NOW - MINUTE_MS };
    const stop = (name: string) => ({
      kind: 'stop',
      cause: 'alarm-firing',
      reason: `the alarm orders-failing ${name}`,
    });
    const inAlarm = fresh({ state: 'ALARM', sinceMs: NOW - 2 * MINUTE_MS });
    const flapped = fresh({ sinceMs: RUN.startedAtMs + 1 });
    expect(afterwards({ ...early, ...inAlarm })).toMatchObject({ decision: stop('is in ALARM'), state: 'stopped' });
    for (const facts of [flapped, fresh({ sinceMs: NOW + 1, recovered: true })]) {
      expect(afterwards({ ...facts, ...later(1) }).decision).toEqual(stop('has fired since the run began'));
    }
    expect(afterwards(fresh({ sinceMs: RUN.startedAtMs })).decision).toEqual(SECOND);
  });

  test('an alarm without data since the run started ends the run once it has settled', () => {
    const stop = {
      kind: 'stop',
      cause: 'alarm-without-data',
      reason: 'the alarm orders-failing has had no data since the run began',
    };
    const noData = [
      fresh({ state: 'INSUFFICIENT_DATA', sinceMs: NOW - 2 * MINUTE_MS }),
      fresh({ sinceMs: NOW - 2 * MINUTE_MS, recovered: false }),
    ];
    for (const facts of noData) {
      expect(afterwards({ ...facts, nowMs: NOW - 1 }).decision.kind).toBe('wait');
      expect(afterwards(facts).decision).toEqual(stop);
    }
  });

  test('if proof of health is not required, the consumer need not have deleted a message', () => {
    const destination = { depth: depth(0) };
    expect(afterwards({ destination }, { proofOfHealth: false }).decision).toEqual(SECOND);
  });
});

describe('The steps after the second', () => {
  const second = (changes: Partial<MoveFacts> = {}) =>
    move({ messagesPerSecond: 10, moved: 600, toMove: 9_500, ...changes });
  const canary = move({ startedAtMs: NOW - 14 * MINUTE_MS, toMove: 9_560 });
  const third = (facts: Partial<RedriveFacts> = {}, settings = {}) =>
    decided({ ...WELL, deadLetters: depth(8_900), moves: [second(), canary], ...facts }, settings);

  test('continue to the end, and need no further proof', () => {
    const destination = { depth: depth(0) };
    expect(third({ destination })).toMatchObject({
      kind: 'start',
      step: 2,
      messagesPerSecond: 50,
      messages: 9_340,
      runStartedAtMs: canary.startedAtMs,
    });
  });

  test('are slower if the budget requires it, but never as slow as the canary, whose rate identifies it', () => {
    // The rate of a step for two ticks and ten seconds (130 s), and one more: 6,501 at 50 a second, 1,301 at 10.
    expect(third({}, { messagesPerDay: 660 + 6_501 })).toMatchObject({ messagesPerSecond: 50, messages: 6_501 });
    expect(third({}, { messagesPerDay: 660 + 6_500 })).toMatchObject({
      messagesPerSecond: 10,
      messages: 6_500,
      step: 2,
    });
    expect(third({}, { messagesPerDay: 660 + 1_301 })).toMatchObject({ messagesPerSecond: 10, messages: 1_301 });
    expect(third({}, { messagesPerDay: 660 + 1_300 })).toEqual({
      kind: 'wait',
      reason: 'the run waits: 1300 of the day’s 1960 messages are left, and this step could move more',
    });
  });

  test('are slower if so little of the budget is left that late counts could exceed it', () => {
    // A minute at 50 a second is 3,000 messages, and at 10 a second 600.
    const fits = (room: number) => third({}, { messagesPerDay: 660 + 8_900 + room });
    expect(fits(3_000)).toMatchObject({ messagesPerSecond: 50 });
    expect(fits(2_999)).toMatchObject({ messagesPerSecond: 10 });
    expect(fits(600)).toMatchObject({ messagesPerSecond: 10 });
    // If a minute's reserve fits for no rate, a slower step does not help. If not all messages fit, only the reserve of the rate counts.
    expect(fits(599)).toMatchObject({ messagesPerSecond: 50 });
    expect(fits(-1)).toMatchObject({ messagesPerSecond: 50 });
  });

  test('report all messages that returned since the run started', () => {
    expect(
      plan({ moves: [second(), canary], deadLetters: depth(8_920), destination: { depth: depth(0) } }).run,
    ).toEqual({
      startedAtMs: canary.startedAtMs,
      moved: 660,
      returned: 20,
    });
  });
});

describe('After a move that found no more messages', () => {
  const completed = move({ status: 'COMPLETED' });

  test('the run has ended well, and reports that for two ticks', () => {
    const ending = { reason: 'all dead letters have been moved', overAtMs: NOW };
    const facts = { moves: [completed], deadLetters: depth(0) };
    for (const nowMs of [NOW, NOW + 2 * MINUTE_MS - 1]) {
      expect(plan({ ...facts, nowMs })).toMatchObject({
        decision: { kind: 'finish', reason: ending.reason },
        state: 'idle',
        run: { ...RUN, ending },
      });
    }
    expect(decided({ ...facts, nowMs: NOW + 2 * MINUTE_MS })).toMatchObject({
      kind: 'leave',
      cause: 'no-dead-letters',
    });
    expect(decided({ ...facts, nowMs: NOW - 1 })).toMatchObject({ kind: 'wait' });
  });

  test('a run whose destination lost no message did not end well', () => {
    const lie = (destination: RedriveFacts['destination'], settings: Partial<RedriveSettings> = {}) =>
      plan({ moves: [completed], deadLetters: depth(0), destination }, settings);
    const why =
      'all dead letters have been moved, and nothing has been deleted from the destination since the step began';
    for (const deleted of [undefined, 0]) {
      const untaken = { depth: depth(40, 20), ...(deleted !== undefined && { deleted }) };
      expect(lie(untaken)).toMatchObject({
        decision: { kind: 'stop', cause: 'not-consumed', reason: why },
        state: 'stopped',
        run: { ending: { cause: 'not-consumed', overAtMs: NOW } },
      });
      expect(lie(untaken, { proofOfHealth: false }).decision.kind).toBe('finish');
    }
    expect(lie({ depth: depth(40, 20), deleted: 1 }).decision.kind).toBe('finish');
    expect(lie({ depth: depth(59) }).decision.kind).toBe('finish');
  });

  test('the report says how many messages may still wait in the destination', () => {
    const ending = (destination: RedriveFacts['destination']) =>
      plan({ moves: [completed], deadLetters: depth(0), destination }).run?.ending;
    expect(ending({ depth: depth(30), deleted: 30 })).toMatchObject({ waiting: 30 });
    expect(ending({ depth: depth(900), deleted: 30, sentSince: 800 })).toMatchObject({ waiting: 60 });
    expect(ending({ depth: depth(30), deleted: 30, sentSince: 30 })).toEqual({
      reason: 'all dead letters have been moved',
      overAtMs: NOW,
    });
  });

  test('an alarm that fires later does not matter', () => {
    const facts = { moves: [completed], deadLetters: depth(3), deadLettersWhenSettled: 0, ...later(1) };
    const at = (sinceMs: number) => plan({ ...facts, ...fresh({ state: 'ALARM', sinceMs }) }).decision;
    expect(at(NOW)).toMatchObject({ kind: 'stop', cause: 'alarm-firing' });
    expect(at(NOW + 1)).toMatchObject({ kind: 'finish' });
  });
});

describe('After a step with another queue for repeated failures', () => {
  const lane = (failures: RedriveFacts['failures'], facts: Partial<RedriveFacts> = {}) =>
    afterwards({ ...(failures && { failures }), ...facts }, { failures: QUARANTINE });

  test('the number of messages in the dead-letter queue does not matter', () => {
    expect(lane({ now: 0, atStart: 0 }, { deadLetters: depth(5_000) }).decision).toEqual(SECOND);
  });

  test('only CloudWatch knows the number long after', () => {
    const facts = { moves: [move({ status: 'COMPLETED' })], ...later(11) };
    expect(lane({ now: 50, atStart: 0, whenSettled: 16 }, facts)).toMatchObject({ state: 'stopped' });
    expect(lane({ now: 50, atStart: 0 }, facts)).toMatchObject({ state: 'idle' });
  });

  test('with an unreadable queue, no faster step follows the canary, and the report says so', () => {
    const reason = 'it cannot be determined how many of 60 messages came back';
    const waiting = { decision: { kind: 'wait', reason: `the run waits: ${reason}` }, state: 'settling', run: RUN };
    expect(lane(undefined)).toEqual(waiting);
    const over = later(10);
    expect(lane(undefined, over).decision).toEqual({ kind: 'stop', cause: 'unknown', reason });
    // The result is known now and did not prevent the next step, but no check started it in time. So the run is abandoned.
    expect(lane({ now: 0, atStart: 0 }, over).decision).toMatchObject({ cause: 'abandoned' });
    // The second step relies on the outcome of the canary.
    const second = move({ messagesPerSecond: 10, moved: 600, toMove: 9_500 });
    const moves = [second, move({ startedAtMs: NOW - 14 * MINUTE_MS, toMove: 9_560 })];
    expect(lane(undefined, { moves, deadLetters: depth(8_900) }).decision).toMatchObject({ kind: 'start', step: 2 });
  });

  test('with an unknown number at the start, all its messages may have returned, and up to a quarter may', () => {
    expect(lane({ now: 15 })).toMatchObject({ decision: SECOND, run: { returned: 15 } });
    expect(lane({ now: 16 })).toMatchObject({ decision: { kind: 'wait' }, state: 'settling', run: RUN });
  });

  test('messages that someone removed from it hide returned ones', () => {
    expect(lane({ now: 25, atStart: 40 })).toMatchObject({ decision: SECOND, run: { returned: 0 } });
    expect(lane({ now: 24, atStart: 40 })).toMatchObject({ decision: { kind: 'wait' }, run: RUN });
  });

  test('a function that failed on too many messages ends the run at once', () => {
    const failed = (returned: number) =>
      afterwards({ nowMs: NOW - 1, moves: [move({ carrier: 'replay', setAside: returned, returned })] });
    expect(failed(16)).toMatchObject({
      decision: { kind: 'stop', cause: 'returned', reason: 'the function failed on 16 of 60 messages' },
    });
    expect(failed(15).decision).not.toMatchObject({ kind: 'stop' });
  });

  test('messages that a move pass has set aside count as returned, even if an operator has removed others', () => {
    const moves = [move({ carrier: 'replay', setAside: 20, returned: 16 })];
    expect(afterwards({ moves, deadLetters: depth(300) }).run).toMatchObject({ returned: 16 });
  });
});

describe('If the returned messages are among many others', () => {
  const deep = (messages: number, toMove = 100_000) =>
    afterwards({ moves: [move({ toMove })], deadLetters: depth(toMove - 60 + messages) });

  test('one more in 2,000 does not count, because SQS counts approximately and other messages arrive', () => {
    expect(deep(20)).toMatchObject({ decision: SECOND, run: { returned: 20 } });
    expect(deep(50)).toMatchObject({ decision: SECOND });
    expect(deep(51)).toMatchObject({ decision: { cause: 'returned', reason: '51 of 60 messages came back' } });
    expect(deep(16, 30_000).decision).toMatchObject({ cause: 'returned' });
  });

  test('expired or removed messages hide returned ones: no faster step follows the canary', () => {
    expect(deep(-50)).toMatchObject({ decision: SECOND, run: { returned: 0 } });
    const waiting = {
      kind: 'wait',
      reason: 'the run waits: it cannot be determined how many of 60 messages came back',
    };
    expect(deep(-51)).toEqual({ decision: waiting, state: 'settling', run: RUN });
    expect(deep(-15, 560).decision).toEqual(SECOND);
    expect(deep(-16, 560).decision).toEqual(waiting);
    const over = { ...later(11), deadLettersWhenSettled: 300 };
    expect(afterwards({ deadLetters: depth(300), ...over }).run?.ending).toMatchObject({ cause: 'unknown' });
  });

  test('it is unknown how many returned if SQS does not say how many there were', () => {
    const { toMove: _, ...unknownBecause } = move();
    expect(afterwards({ moves: [unknownBecause] })).toMatchObject({
      decision: { kind: 'wait' },
      state: 'settling',
      run: RUN,
    });
  });
});

describe('After a move that was cut short', () => {
  test.each<[string, string, Partial<RedriveFacts>]>([
    ['switched-off', 'the kill switch is off', { killSwitch: 'off' }],
    [
      'backlog',
      '1062 messages wait in the destination, where 1000 are allowed, in addition to 61 of this step',
      { destination: { depth: depth(1_062) } },
    ],
  ])('the run is over for the cause of a cancellation, if it still holds: %s', (cause, why, facts) => {
    const moves = [move({ moved: 9, toMove: 509, startedAtMs: NOW - MINUTE_MS })];
    const reason = `the move was cancelled after 9 messages: ${why}`;
    expect(decided({ moves, ...facts })).toEqual({ kind: 'stop', cause, reason });
  });

  test('before it could exceed the budget, the run is over for that reason', () => {
    const steps = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 50 }];
    const task = move({ moved: 4_000, messagesPerSecond: 50, toMove: 20_000, startedAtMs: NOW - 90_000 });
    const canary = move({ startedAtMs: NOW - 8 * MINUTE_MS });
    const facts = { moves: [task, canary], deadLetters: depth(16_000) };
    // 5,940 of the day's 10,000 are left, and the step could have moved 6,501 in two ticks and ten seconds.
    expect(plan(facts, { steps }).run?.ending?.cause).toBe('messages-spent');
    expect(plan(facts, { steps, messagesPerDay: 11_000 }).run?.ending?.cause).toBe('cancelled');
  });

  test('by a cancellation, no other run starts before its messages have settled, and the report says so', () => {
    const cancelled = move({ moved: 9, toMove: 509, startedAtMs: NOW - 7 * MINUTE_MS - 9_000 });
    expect(decided({ moves: [cancelled], trigger: 'schedule' })).toMatchObject({ kind: 'start', step: 0 });
    expect(decided({ moves: [cancelled], nowMs: NOW - 1 })).toMatchObject({ kind: 'stop', cause: 'cancelled' });
    // A schedule and an operator ask once, so they get the reason for the refusal, and when it ends.
    for (const trigger of ['schedule', 'operator'] as const) {
      expect(decided({ moves: [cancelled], trigger, nowMs: NOW - 1 })).toEqual({
        kind: 'leave',
        cause: 'resting',
        reason: `no other run begins before ${new Date(NOW).toISOString()}, when the end of the last run has been reported: the move was cancelled after 9 messages`,
      });
    }
  });

  test('by a failure, the run is over with the reason of SQS', () => {
    const failed = (changes: Partial<MoveFacts>) => decided({ moves: [move({ status: 'FAILED', ...changes })] });
    const failureReason = 'AWS.SimpleQueueService.NonExistentQueue';
    const stop = { kind: 'stop', cause: 'task-failed' };
    expect(failed({ failureReason })).toEqual({ ...stop, reason: `the move failed: ${failureReason}` });
    expect(failed({})).toEqual({ ...stop, reason: 'the move failed: SQS gives no reason' });
  });

  test('because SQS does not know the source of messages, the function copies the rest', () => {
    const failureReason = 'CouldNotDetermineMessageSource';
    const failed = move({ status: 'FAILED', failureReason, moved: 4, startedAtMs: NOW - MINUTE_MS });
    expect(decided({ moves: [failed] })).toEqual({
      kind: 'start',
      step: 0,
      carrier: 'copy',
      messagesPerSecond: 1,
      messages: 6,
      runStartedAtMs: failed.startedAtMs,
      reason: `no task can move them: ${failureReason}`,
    });
    expect(decided({ moves: [failed], killSwitch: 'off' })).toMatchObject({ kind: 'wait' });
    const enough = { ...WELL, moves: [{ ...failed, moved: 10, toMove: 510, startedAtMs: NOW - 5.5 * MINUTE_MS }] };
    expect(decided(enough)).toMatchObject({ kind: 'start', step: 1, carrier: 'task', messages: 100 });
    const late = { moves: [failed], nowMs: failed.startedAtMs + 4_000 + 5 * MINUTE_MS + 1 };
    expect(decided(late)).toMatchObject({ kind: 'stop', cause: 'abandoned' });
  });

  test('by its own timeout, the function continues the same step', () => {
    const paused = move({ carrier: 'copy', status: 'PAUSED', moved: 3, startedAtMs: NOW - 15 * MINUTE_MS });
    expect(decided({ moves: [paused] })).toMatchObject({
      kind: 'start',
      step: 0,
      carrier: 'copy',
      messages: 7,
      runStartedAtMs: paused.startedAtMs,
      reason: 'the function ran out of time, and continues',
    });
    // The function may run for fifteen minutes. Two ticks and ten minutes are allowed for continuing.
    expect(decided({ moves: [paused], ...later(11.99) })).toMatchObject({ kind: 'start' });
    expect(decided({ moves: [paused], ...later(12) })).toMatchObject({ kind: 'stop', cause: 'abandoned' });
  });
});

describe('A task that completed without moving any of the visible messages', () => {
  // Live tests have seen it where messages had just arrived.
  const empty = (startedAtMs: number) => move({ status: 'COMPLETED', moved: 0, toMove: 0, startedAtMs });
  const plannedAfter = (moves: readonly MoveFacts[], facts: Partial<RedriveFacts> = {}) =>
    afterwards({ moves, deadLetters: depth(500), ...facts });

  test('is started again at once as the same step', () => {
    const { decision, state } = plannedAfter([empty(NOW - MINUTE_MS)]);
    expect(decision).toMatchObject({ kind: 'start', step: 0, carrier: 'task', messagesPerSecond: 1 });
    expect(decision.reason).toBe('the task has completed, and missed 500 messages');
    expect(state).toBe('moving');
  });

  test('is started again twice, and then the run stops', () => {
    const twice = [empty(NOW - MINUTE_MS), empty(NOW - 2 * MINUTE_MS)];
    expect(plannedAfter(twice).decision).toMatchObject({ kind: 'start', step: 0 });
    expect(
      plannedAfter([empty(NOW - MINUTE_MS), ...twice.map(it => ({ ...it, startedAtMs: it.startedAtMs - MINUTE_MS }))]),
    ).toMatchObject({
      decision: {
        kind: 'stop',
        cause: 'task-failed',
        reason: '3 tasks have completed, and 500 messages are still there',
      },
    });
  });
});

describe('A stopped run', () => {
  const stopped = { moves: [move({ moved: 9 })] };

  test('stays stopped while there are messages, at every tick', () => {
    for (const minutes of [0, 60, 6_000]) {
      expect(plan({ ...stopped, ...later(minutes) })).toMatchObject({ decision: { kind: 'stop' }, state: 'stopped' });
    }
  });

  test('without messages is reported for ten ticks, so that its alarm fires, and then forgotten', () => {
    const overAtMs = NOW - 51_000;
    for (const deadLetters of [depth(0), undefined]) {
      const none = { ...stopped, deadLetters };
      expect(plan({ ...none, nowMs: overAtMs + 10 * MINUTE_MS - 1 })).toMatchObject({
        decision: { kind: 'stop', cause: 'cancelled' },
        state: 'stopped',
      });
      expect(plan({ ...none, nowMs: overAtMs + 10 * MINUTE_MS })).toMatchObject({
        decision: { cause: 'no-dead-letters' },
        state: 'idle',
      });
    }
  });

  test('is followed by another run if an operator asks for one', () => {
    expect(plan({ ...stopped, trigger: 'schedule', ...later(2) })).toMatchObject({
      decision: { kind: 'start', step: 0 },
      state: 'moving',
    });
    const shut = plan({ ...stopped, trigger: 'schedule', killSwitch: 'off', ...later(2) });
    expect(shut).toMatchObject({ decision: { kind: 'leave', cause: 'switched-off' }, state: 'stopped' });
    expect(shut.run?.ending).toMatchObject({ cause: 'switched-off' });
  });
});

test('The facts of these tests start a run by schedule, so nothing else is wrong with them', () => {
  expect(decided({ ...FACTS, trigger: 'schedule' })).toMatchObject({ kind: 'start', step: 0 });
});
