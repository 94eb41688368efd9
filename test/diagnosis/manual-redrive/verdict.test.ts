import { type Depths, type Observation, verdictOf } from '../../../diagnosis/manual-redrive/verdict';
import { HOUR_MS } from '../../../policy/time-units';
import { functionArn, lambda, mapping, queue, queueArn, ruleTarget } from '../inventories';
import { DEAD, type Given, planned } from './planned';

const to = { deadLetterTargetArn: DEAD };
const work = queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } });
const read: Given = {
  inventory: { queues: [work], mappings: [mapping('bill', 'work')] },
  to: { ...to, maxReceiveCount: 3 },
};
const elsewhere: Given = { ...read, to: { deadLetterTargetArn: queueArn('failures'), maxReceiveCount: 3 } };
const unread: Given = { ...read, inventory: { queues: [work] } };
const toFunction: Given = {
  inventory: { functions: [lambda('bill')], targets: [ruleTarget('nightly', functionArn('bill'), to)] },
};

const NOW_MS = Date.UTC(2026, 0, 5, 2);

const BEFORE: Depths = { deadLetters: 20, destination: 5, failures: 2 };
/** Ten of them have moved, and the destination is empty. */
const GONE: Depths = { deadLetters: 10, destination: 0, failures: 2 };

/** 30 s of visibility for three receives, and a margin. */
const SETTLED_MS = 120_000;

/** Nine receives with a visibility timeout of an hour take longer than the canary is watched. */
const long: Given = { ...read, to: { ...to, visibilityTimeoutSeconds: 3_600, maxReceiveCount: 9 } };
/** A consumer with a backlog. */
const busy = { ...BEFORE, destination: 40 };

const judge = (given: Given, now: Depths, elapsedMs: number, more: Partial<Observation> = {}) => {
  const emptyForMs = now.destination === 0 ? elapsedMs : 0;
  return verdictOf(planned(given), { nowMs: NOW_MS, before: BEFORE, now, moved: 10, elapsedMs, emptyForMs, ...more });
};

describe('The verdict on moved messages', () => {
  const fresh = { before: { ...BEFORE, destination: 0 } };

  test('is not known before counts can be true, which are late by up to a minute', () => {
    expect(judge(read, { ...GONE, deadLetters: 20 }, 59_999)).toBeUndefined();
    expect(judge(read, GONE, 59_999, fresh)).toBeUndefined();
  });

  test('is well as soon as the destination stands empty and none is where failures end', () => {
    expect(judge(read, GONE, 60_000, fresh)).toEqual({ kind: 'succeeded' });
    expect(judge(elsewhere, GONE, 60_000, fresh)).toEqual({ kind: 'succeeded' });
    expect(judge(read, GONE, 100_000, { ...fresh, emptyForMs: 59_999 })).toBeUndefined();
    expect(judge({ ...read, to: {} }, GONE, 60_000, fresh)).toEqual({ kind: 'succeeded' });
  });

  test('is waited for to the end where something waited before, whose failures are told from theirs by nobody', () => {
    expect(judge(read, GONE, SETTLED_MS - 1)).toBeUndefined();
    expect(judge(read, GONE, SETTLED_MS)).toEqual({ kind: 'succeeded' });
  });

  test.each([
    ['among the dead letters', read, { ...GONE, deadLetters: 13 }, 3],
    ['where the destination’s failures end', elsewhere, { ...GONE, failures: 4 }, 2],
    ['more than moved, for others died', read, { ...GONE, deadLetters: 40 }, 10],
  ])('is that they came back: %s', (_, given, now, returned) => {
    expect(judge(given, now, 60_000)).toEqual({ kind: 'returned', returned });
  });

  test('ignores other dead letters in a queue that does not receive the destination’s failures', () => {
    expect(judge(elsewhere, { ...GONE, deadLetters: 19 }, 60_000, fresh)).toEqual({ kind: 'succeeded' });
  });

  test('is not well because a backlog shrinks, behind which they lie untouched', () => {
    const shrunk = { ...GONE, destination: 24 };
    const lateMs = SETTLED_MS + 300_000;
    for (const elapsedMs of [60_000, SETTLED_MS, lateMs - 1]) {
      expect(judge(read, shrunk, elapsedMs, { before: busy, deleted: 26 })).toBeUndefined();
    }
    expect(judge(read, shrunk, lateMs, { before: busy, deleted: 49 })).toEqual({
      kind: 'not-consumed',
      waiting: 10,
      isRead: true,
    });
    expect(judge(read, shrunk, lateMs, { before: busy })).toMatchObject({ kind: 'not-consumed' });
  });

  test('is well where as many were deleted as waited before and were moved, at the end', () => {
    const still = { ...GONE, destination: 33 };
    const all = { before: busy, deleted: 50 };
    expect(judge(read, still, SETTLED_MS - 1, all)).toBeUndefined();
    expect(judge(read, still, SETTLED_MS, all)).toEqual({ kind: 'succeeded' });
  });

  test.each([
    [read, true],
    [unread, false],
  ])('is that they are untaken where nobody has touched them (%#)', (given, isRead) => {
    const waiting = { ...GONE, destination: 15 };
    expect(judge(given, waiting, SETTLED_MS - 1)).toBeUndefined();
    expect(judge(given, waiting, SETTLED_MS)).toEqual({ kind: 'not-consumed', waiting: 10, isRead });
  });

  test('is not that they are untaken while the destination is empty, and has not been for long', () => {
    expect(judge(read, GONE, SETTLED_MS, { emptyForMs: 0 })).toBeUndefined();
  });

  // A synchronous invocation tells the result at once, and a message on which the function failed stays.
  test('of a replay is known as soon as the counts are', () => {
    const before = { deadLetters: 20 };
    expect(judge(toFunction, { deadLetters: 10 }, 59_999, { before })).toBeUndefined();
    expect(judge(toFunction, { deadLetters: 10 }, 60_000, { before })).toEqual({ kind: 'succeeded' });
    expect(judge(toFunction, { deadLetters: 13 }, 60_000, { before })).toEqual({ kind: 'returned', returned: 3 });
  });

  test('is known to nobody where nothing is told of where failures end', () => {
    const { failures, ...unseen } = GONE;
    expect(failures).toBeDefined();
    expect(judge(elsewhere, unseen, SETTLED_MS)).toEqual({ kind: 'unknown' });
  });

  test('is never well while some may still come back, watched to the end or not', () => {
    const still = { ...GONE, destination: 33 };
    expect(judge(long, still, HOUR_MS, { before: busy, deleted: 50 })).toEqual({
      kind: 'unknown',
      untilMs: NOW_MS + 8 * HOUR_MS + 30_000,
    });
    expect(judge(long, { ...still, destination: 0 }, HOUR_MS, { before: busy })).toEqual({ kind: 'succeeded' });
  });
});

test.each<[string, Given, number]>([
  ['as long as a queue hides a letter, as often as it may be received', read, 120_000],
  ['a minute at least, for counts are late', { ...read, to: { ...to, visibilityTimeoutSeconds: 1 } }, 60_000],
  ['however long that is', { ...read, to: { visibilityTimeoutSeconds: 43_200, maxReceiveCount: 9 } }, 388_830_000],
  [
    'a minute for a function, however slow it is',
    {
      terms: { to: functionArn('bill') },
      inventory: { functions: [lambda('bill', { ...to, timeoutSeconds: 300 })] },
    },
    60_000,
  ],
])('How long what fails may take to come back is %s', (_, given, settleMs) => {
  expect(planned(given).settleMs).toBe(settleMs);
  // The limit is an hour: by then Lambda has given up on every failing event.
  expect(planned(given).watchMs).toBe(Math.min(settleMs, 3_600_000));
});

test.each([
  [{ canary: 10 }, { messages: 10, messagesPerSecond: 1 }],
  [{ canary: 100 }, { messages: 12, messagesPerSecond: 10 }],
  [
    { canary: 100, messagesPerSecond: 2 },
    { messages: 12, messagesPerSecond: 2 },
  ],
  [{ canary: 0 }, undefined],
])('A canary of %j is %j of twelve messages', (terms, canary) => {
  expect(planned({ ...read, terms }).canary).toEqual(canary);
});
