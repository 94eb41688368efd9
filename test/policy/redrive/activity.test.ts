import { runEndedNow } from '../../../lambda/redrive/telling';
import { withActivity } from '../../../policy/redrive/activity';
import { endedAtMs, messagesLeft } from '../../../policy/redrive/budget';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { depth, HOUR, MINUTE, move, NOW, plan } from './fixtures';

/** When a task of three in an hour, 40, 25 and 10 minutes ago, was active last, if it was seen so many minutes ago. */
function lastActive(...minutesAgo: readonly number[]): (number | undefined)[] {
  const tasks = [10, 25, 40].map(minutes => move({ startedAtMs: NOW - minutes * MINUTE }));
  const seen = minutesAgo.map(minutes => NOW - minutes * MINUTE);
  return withActivity(tasks, seen).map(({ activeAtMs }) => activeAtMs && (NOW - activeAtMs) / MINUTE);
}

test('A task was under way until the end of the last minute in which it was seen so, if nothing began before', () => {
  expect(lastActive()).toEqual([undefined, undefined, undefined]);
  expect(lastActive(40, 39, 34)).toEqual([undefined, undefined, 33]);
  expect(lastActive(40, 30, 25, 24, 10, 3)).toEqual([2, 23, 29]);
  // The minute before a task began is nobody's: SQS has another clock.
  expect(lastActive(26)).toEqual([undefined, undefined, undefined]);
  expect(lastActive(27)).toEqual([undefined, undefined, 26]);
  expect(lastActive(50)).toEqual([undefined, undefined, undefined]);
});

test('A task that began in the middle of a minute was seen in that minute', () => {
  const [task] = withActivity([move({ startedAtMs: NOW + 59_000 })], [NOW]);
  expect(task?.activeAtMs).toBe(NOW + MINUTE);
});

test('What a stint told of itself stays as it is', () => {
  const movePass = move({ carrier: 'copy', startedAtMs: NOW, activeAtMs: NOW + 5 });
  expect(withActivity([movePass], [NOW + MINUTE])).toEqual([movePass]);
});

test('A move was not over before its rate allows, and not before it was active last', () => {
  expect(endedAtMs(move({ startedAtMs: NOW, moved: 60 }))).toBe(NOW + MINUTE);
  expect(endedAtMs(move({ startedAtMs: NOW, moved: 60, activeAtMs: NOW + 1 }))).toBe(NOW + MINUTE);
  expect(endedAtMs(move({ startedAtMs: NOW, moved: 60, activeAtMs: NOW + HOUR }))).toBe(NOW + HOUR);
});

test('What a slow task moved counts for the day for as long as its last message can be within it', () => {
  const task = move({ startedAtMs: NOW - 30 * HOUR, moved: 100, messagesPerSecond: 50 });
  const left = (changes: Partial<MoveFacts>) =>
    messagesLeft({ messagesPerDay: 1_000, tickMs: MINUTE, nowMs: NOW, moves: [{ ...task, ...changes }] });
  expect(left({})).toBe(1_000);
  expect(left({ activeAtMs: NOW - 23 * HOUR })).toBe(900);
});

describe('After a task that was slower than its rate', () => {
  /** 110 messages at 10 a second take 11 s, and took nine minutes: it was cancelled a minute ago. */
  const canary = move({ startedAtMs: NOW - 17 * MINUTE, toMove: 500 });
  const slow = move({
    startedAtMs: NOW - 9 * MINUTE,
    messagesPerSecond: 10,
    moved: 110,
    toMove: 437,
    activeAtMs: NOW - MINUTE,
  });
  const well = { deadLetters: depth(327), destination: { depth: depth(0), deleted: 60 } };

  test('what it moved is waited for, and then the run goes on', () => {
    const at = (minutes: number) => plan({ ...well, moves: [slow, canary], nowMs: NOW + minutes * MINUTE }).decision;
    // Two ticks and three minutes after it was seen last.
    expect([at(0).kind, at(4 - 1 / MINUTE).kind]).toEqual(['wait', 'wait']);
    expect(at(4)).toMatchObject({ kind: 'start', step: 2, messagesPerSecond: 50, runStartedAtMs: canary.startedAtMs });
  });

  test('a canary as well: nobody gives up its run the minute it is done', () => {
    const moves = [move({ startedAtMs: NOW - 20 * MINUTE, moved: 11, toMove: 500, activeAtMs: NOW })];
    const facts = { moves, deadLetters: depth(489), destination: { depth: depth(0), deleted: 11 } };
    expect(plan(facts)).toMatchObject({ state: 'settling', decision: { kind: 'wait' } });
    expect(plan({ ...facts, nowMs: NOW + 5 * MINUTE }).decision).toMatchObject({ kind: 'start', step: 1 });
  });

  test('the next step is of the same run, however long it took', () => {
    const next = move({ startedAtMs: NOW + 4 * MINUTE, status: 'RUNNING', handle: 'ours', messagesPerSecond: 50 });
    const { state, run } = plan({ ...well, moves: [next, slow, canary], nowMs: NOW + 5 * MINUTE });
    expect([state, run?.startedAtMs]).toEqual(['moving', canary.startedAtMs]);
  });

  test('the end of its run is told of, at one tick', () => {
    const last = move({ ...slow, status: 'COMPLETED', moved: 437, activeAtMs: NOW });
    const reported = Array.from({ length: 20 }, (_, minutes) => minutes).filter(minutes => {
      const dueAtMs = NOW + minutes * MINUTE;
      const { run } = plan({ moves: [last, canary], deadLetters: depth(0), nowMs: dueAtMs + 2_000 });
      return runEndedNow(run, { trigger: 'tick', dueAtMs }, MINUTE) !== undefined;
    });
    expect(reported).toEqual([5]);
  });
});
