import { activeMoves, activeWithin, minutesSeenMoving, recentlyActiveWithin } from '../../../lambda/redrive/activity';
import { isIdleQueue } from '../../../lambda/redrive/quiet';
import { depth, HOUR, MINUTE, move, NOW, SETTINGS } from '../../policy/redrive/fixtures';

const DAY = 24 * HOUR;

test('The minutes in which the function moved letters are those of its state', async () => {
  const states = [0, 1, 2, 1, 3].map((value, minute) => ({ atMs: NOW + minute * MINUTE, value }));
  const asked: unknown[] = [];
  const seen = await minutesSeenMoving(
    async (...all) => {
      asked.push(...all);
      return [states];
    },
    'Redrive',
    { fromMs: NOW, toMs: NOW + HOUR },
  );
  expect(seen).toEqual([NOW + MINUTE, NOW + 3 * MINUTE]);
  const of = { namespace: 'DeadLetterOffice/Redrive', dimensions: { FunctionName: 'Redrive' } };
  expect(asked).toEqual([[{ ...of, name: 'RedriveState', statistic: 'Maximum' }], NOW, NOW + HOUR]);
});

/** SQS lets a task run for 36 hours, and CloudWatch keeps a minute's figure for 15 days: aws-semantics.md, section 9. */
test.each<[string, number, object | undefined]>([
  ['of an hour ago', NOW - HOUR + 1, { fromMs: NOW - HOUR - DAY, toMs: NOW + MINUTE }],
  ['of two days ago', NOW - 2 * DAY, { fromMs: NOW - 3 * DAY, toMs: NOW - 2 * DAY + 36 * HOUR }],
  ['of a fortnight ago', NOW - 14 * DAY, { fromMs: NOW - 15 * DAY, toMs: NOW - 14 * DAY + 36 * HOUR }],
  ['of more than a fortnight ago', NOW - 14 * DAY - 1, undefined],
])('Of a task %s is asked when it and those before it can have been under way', (_, startedAtMs, expected) => {
  expect(activeWithin([move({ startedAtMs }), move({ startedAtMs: 0 })], NOW)).toEqual(expected);
});

test('Without tasks nothing is asked', () => {
  expect([activeWithin([], NOW), recentlyActiveWithin([], NOW, SETTINGS)]).toEqual([undefined, undefined]);
});

test('Where all seems quiet, it is asked of a task that can have ended of late, however long ago its rate would have', () => {
  const started = (hours: number) => move({ startedAtMs: NOW - hours * HOUR, moved: 3_000, messagesPerSecond: 50 });
  expect(isIdleQueue({ nowMs: NOW, deadLetters: depth(0), tasks: [started(1)] }, SETTINGS)).toBe(true);
  // Twenty ticks, and three times three minutes.
  const ofLate = { fromMs: NOW - 29 * MINUTE, toMs: NOW + MINUTE };
  expect(recentlyActiveWithin([started(1)], NOW, SETTINGS)).toEqual(ofLate);
  expect(recentlyActiveWithin([started(36)], NOW, SETTINGS)).toEqual(ofLate);
  expect(recentlyActiveWithin([started(37)], NOW, SETTINGS)).toBeUndefined();
});

describe('Where nobody can read when a task was under way', () => {
  const unread = (...tasks: ReturnType<typeof move>[]) => activeMoves(tasks, undefined, NOW, SETTINGS);

  test('one that may have ended of late is taken for having ended just now', () => {
    const older = move({ startedAtMs: NOW - 2 * HOUR });
    expect(unread(move(), older)).toEqual([{ ...move(), activeAtMs: NOW }, older]);
  });

  test.each([
    ['one that goes on', move({ status: 'RUNNING' })],
    ['one that ended long ago', move({ startedAtMs: NOW - 2 * HOUR })],
    ['a stint, which tells of itself,', move({ carrier: 'copy' })],
  ])('%s is left as it is', (_, it) => {
    expect(unread(it)).toEqual([it]);
  });

  test('without any there is nothing to say', () => {
    expect(unread()).toEqual([]);
  });
});
