import { messagesLeft } from '../../../policy/redrive/budget';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { type History, historyOf, movedIn, withActivity } from '../../../policy/redrive/redrive-runs';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { move, NOW, SETTINGS } from './fixtures';

describe('runs', () => {
  /** A move of 60 messages that began this many minutes after NOW: one minute at 1/s, six seconds at 10/s. */
  function at(minutes: number, messagesPerSecond: number, changes: Partial<MoveFacts> = {}): MoveFacts {
    const moved = messagesPerSecond === 1 ? 60 : 600;
    return move({ startedAtMs: NOW + minutes * MINUTE_MS, messagesPerSecond, moved, ...changes });
  }

  function historyFrom(...oldestFirst: readonly MoveFacts[]): History {
    return historyOf(oldestFirst.toReversed(), SETTINGS);
  }

  /** Returns for each run, newest first, the indices of its steps, each with its number of moves and of moved messages. */
  function shape({ runs }: History): string[] {
    return runs.map(({ steps }) => steps.map(step => `${step.index}:${step.moves.length}:${movedIn(step)}`).join(' '));
  }

  // 60 messages at 1/s take one minute. The step settles two ticks and three minutes later, and may be checked for ten more ticks.
  const CANARY = at(0, 1);
  const SETTLED = 6;
  const OUTCOME = 16;

  test('A step may start a tick after it was decided, and no later', () => {
    expect(shape(historyFrom(CANARY, at(OUTCOME + 1, 10)))).toEqual(['0:1:60 1:1:600']);
    const late = historyFrom(CANARY, at(OUTCOME + 1 + 1 / MINUTE_MS, 10, { status: 'RUNNING' }));
    expect(shape(late)).toEqual(['0:1:60']);
    expect(late.current).toBeUndefined();
    expect(late.foreign?.messagesPerSecond).toBe(10);
  });

  test.each<[string, Partial<MoveFacts>]>([
    ['that found no more letters', { status: 'COMPLETED' }],
    ['that was cancelled too early', { moved: 9 }],
    ['that failed', { status: 'FAILED', failureReason: 'AWS.SimpleQueueService.NonExistentQueue' }],
  ])('After a step %s, a move with the rate of the next step belongs to another process', (_, changes) => {
    const history = historyFrom({ ...CANARY, ...changes }, at(5, 10, { status: 'RUNNING' }));
    expect(shape(history)).toHaveLength(1);
    expect(history.current).toBeUndefined();
    expect(history.foreign).toBeDefined();
  });

  test('No step is skipped', () => {
    expect(historyFrom(CANARY, at(6, 50)).current).toBeUndefined();
  });

  test('Two moves of a later step that started at once are one, too', () => {
    expect(shape(historyFrom(CANARY, at(6, 10), at(6.1, 10)))).toEqual(['0:1:60 1:2:1200']);
    expect(shape(historyFrom(CANARY, at(6, 10), at(6.1, 10), at(13, 50)))).toEqual(['0:1:60 1:2:1200 2:1:600']);
  });

  test('A canary after the last one has settled starts a run, also in the middle of another', () => {
    expect(shape(historyFrom(CANARY, at(SETTLED, 1)))).toEqual(['0:1:60', '0:1:60']);
    expect(shape(historyFrom(CANARY, at(6, 10), at(13, 1)))).toEqual(['0:1:60', '0:1:60 1:1:600']);
  });

  test('A move at a slower rate, after a faster step has settled, is the last step of the run', () => {
    const history = historyFrom(CANARY, at(6, 10), at(13, 10));
    expect(shape(history)).toEqual(['0:1:60 1:1:600 2:1:600']);
    expect(history.current?.steps[2]).not.toHaveProperty('messages');
  });

  test('A move of another process ends the run', () => {
    const theirs = at(2, 500, { status: 'COMPLETED' });
    const history = historyFrom(CANARY, theirs, at(6, 10));
    expect(shape(history)).toEqual(['0:1:60']);
    expect(history).not.toHaveProperty('current');
    expect(history).not.toHaveProperty('foreign');
  });

  test('A move pass continues a paused one, however long that took and however it moves messages', () => {
    const paused = at(0, 1, { carrier: 'copy', status: 'PAUSED', moved: 4 });
    const rest = at(16, 1, { carrier: 'copy', status: 'COMPLETED', moved: 6 });
    expect(shape(historyFrom(paused, rest))).toEqual(['0:2:10']);
    expect(shape(historyFrom(paused, rest, at(22, 10, { carrier: 'copy' })))).toEqual(['0:2:10 1:1:600']);
    // Fifteen minutes for the function, two ticks, ten minutes to continue, and one for the call.
    expect(shape(historyFrom(paused, at(28, 1, { carrier: 'copy' })))).toEqual(['0:2:64']);
    expect(shape(historyFrom(paused, at(28.1, 1, { carrier: 'copy' })))).toEqual(['0:1:60', '0:1:4']);
  });

  test('A copy or replay by the function is its own, whatever the destination', () => {
    expect(historyFrom(at(0, 1, { carrier: 'replay', destinationArn: 'elsewhere' })).current).toBeDefined();
    expect(historyFrom(at(0, 1, { destinationArn: 'elsewhere' })).current).toBeUndefined();
  });

  test('There is no run without moves', () => {
    expect(historyFrom()).toEqual({ runs: [] });
  });
});

describe('when a move was active', () => {
  /** Returns when each of three tasks, started 40, 25 and 10 minutes ago, was last active, if it was seen at these minutes. */
  function lastActive(...minutesAgo: readonly number[]): (number | undefined)[] {
    const tasks = [10, 25, 40].map(minutes => move({ startedAtMs: NOW - minutes * MINUTE_MS }));
    const seen = minutesAgo.map(minutes => NOW - minutes * MINUTE_MS);
    return withActivity(tasks, seen).map(({ activeAtMs }) => activeAtMs && (NOW - activeAtMs) / MINUTE_MS);
  }

  test('A task was active until the end of the last minute that shows it, unless another move started before', () => {
    expect(lastActive()).toEqual([undefined, undefined, undefined]);
    expect(lastActive(40, 39, 34)).toEqual([undefined, undefined, 33]);
    expect(lastActive(40, 30, 25, 24, 10, 3)).toEqual([2, 23, 29]);
    // The minute before a task began belongs to no move, because SQS has another clock.
    expect(lastActive(26)).toEqual([undefined, undefined, undefined]);
    expect(lastActive(27)).toEqual([undefined, undefined, 26]);
    expect(lastActive(50)).toEqual([undefined, undefined, undefined]);
  });

  test('A task that started in the middle of a minute was active in that minute', () => {
    const [task] = withActivity([move({ startedAtMs: NOW + 59_000 })], [NOW]);
    expect(task?.activeAtMs).toBe(NOW + MINUTE_MS);
  });

  test('The reports of a move pass are used unchanged', () => {
    const movePass = move({ carrier: 'copy', startedAtMs: NOW, activeAtMs: NOW + 5 });
    expect(withActivity([movePass], [NOW + MINUTE_MS])).toEqual([movePass]);
  });

  test('The messages of a slow task count for the day as long as its last message can be within that day', () => {
    const task = move({ startedAtMs: NOW - 30 * HOUR_MS, moved: 100, messagesPerSecond: 50 });
    const left = (changes: Partial<MoveFacts>) =>
      messagesLeft({ messagesPerDay: 1_000, tickMs: MINUTE_MS, nowMs: NOW, moves: [{ ...task, ...changes }] });
    expect(left({})).toBe(1_000);
    expect(left({ activeAtMs: NOW - 23 * HOUR_MS })).toBe(900);
  });
});
