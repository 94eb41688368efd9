import { type Depths, verdictOf } from '../../../lib/policy/redrive-by-hand/verdict';
import { functionArn, lambda, mapping, queue, queueArn } from '../inventories';
import { DEAD, type Given, planned } from './planned';

const to = { deadLetterTargetArn: DEAD };
const work = queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } });
const read: Given = {
  inventory: { queues: [work], mappings: [mapping('bill', 'work')] },
  to: { ...to, maxReceiveCount: 3 },
};
const elsewhere: Given = { ...read, to: { deadLetterTargetArn: queueArn('failures'), maxReceiveCount: 3 } };
const unread: Given = { ...read, inventory: { queues: [work] } };
const lost: Given = { inventory: { functions: [lambda('bill')] }, terms: { to: functionArn('bill') } };

const BEFORE: Depths = { deadLetters: 20, destination: 5, failures: 2 };
/** Ten of them have moved. */
const GONE: Depths = { deadLetters: 10, destination: 5, failures: 2 };

/** 30 s of visibility for three receives, and a margin. */
const SETTLED_MS = 120_000;

const judge = (given: Given, now: Depths, elapsedMs: number, before = BEFORE) =>
  verdictOf(planned(given), { before, now, moved: 10, elapsedMs });

describe('What became of letters that were moved', () => {
  test('is not known before counts can be true, which are late by up to a minute', () => {
    expect(judge(read, { ...GONE, deadLetters: 20 }, 59_999)).toBeUndefined();
    expect(judge(read, GONE, 59_999)).toBeUndefined();
  });

  test('is well as soon as all of them were taken and none is where failures end', () => {
    expect(judge(read, GONE, 60_000)).toEqual({ kind: 'well' });
    expect(judge(elsewhere, GONE, 60_000)).toEqual({ kind: 'well' });
  });

  test.each([
    ['among the dead letters', read, { ...GONE, deadLetters: 13 }, 3],
    ['where the destination’s failures end', elsewhere, { ...GONE, failures: 4 }, 2],
    ['more than moved, for others died', read, { ...GONE, deadLetters: 40 }, 10],
  ])('is that they came back: %s', (_, given, now, returned) => {
    expect(judge(given, now, 60_000)).toEqual({ kind: 'came-back', returned });
  });

  test('has nothing to do with other letters that die where the destination’s failures do not end', () => {
    expect(judge(elsewhere, { ...GONE, deadLetters: 19 }, 60_000)).toEqual({ kind: 'well' });
  });

  test('is waited for while some lie in the destination, and then they are untaken', () => {
    const waiting = { ...GONE, destination: 9 };
    expect(judge(read, waiting, SETTLED_MS - 1)).toBeUndefined();
    expect(judge(read, waiting, SETTLED_MS)).toEqual({ kind: 'untaken', waiting: 4 });
    expect(judge(unread, waiting, SETTLED_MS)).toEqual({ kind: 'unproven', waiting: 4 });
  });

  test('is known to nobody where failures end nowhere', () => {
    const before = { deadLetters: 20 };
    // Lambda tries three times, a minute and two minutes apart, each for three seconds.
    expect(judge(lost, { deadLetters: 10 }, 218_999, before)).toBeUndefined();
    expect(judge(lost, { deadLetters: 10 }, 219_000, before)).toEqual({ kind: 'unproven', waiting: 0 });
  });
});

describe('How long what fails may take to come back', () => {
  test.each<[string, Given, number]>([
    ['as long as a queue hides a letter, as often as it may be received', read, 120_000],
    ['a minute at least, for counts are late', { ...read, to: { ...to, visibilityTimeoutSeconds: 1 } }, 60_000],
    [
      'a quarter of an hour at most',
      { ...read, to: { visibilityTimeoutSeconds: 43_200, maxReceiveCount: 9 } },
      900_000,
    ],
    [
      'as long as Lambda tries, as often as it is told to',
      {
        terms: { to: functionArn('bill') },
        inventory: {
          functions: [
            lambda('bill', {
              timeoutSeconds: 20,
              eventInvokes: [
                {
                  qualifier: '$LATEST',
                  onFailureArn: DEAD,
                  onSuccessArn: undefined,
                  maximumRetryAttempts: 1,
                  maximumEventAgeSeconds: 60,
                },
              ],
            }),
          ],
        },
      },
      60_000 + 2 * 20_000 + 30_000,
    ],
  ])('is %s', (_, given, settleMs) => {
    expect(planned(given).settleMs).toBe(settleMs);
  });
});

describe('A canary', () => {
  test.each([
    [{ canary: 10 }, { messages: 10, messagesPerSecond: 1 }],
    [{ canary: 100 }, { messages: 12, messagesPerSecond: 10 }],
    [
      { canary: 100, messagesPerSecond: 2 },
      { messages: 12, messagesPerSecond: 2 },
    ],
    [{ canary: 0 }, undefined],
  ])('of %j is %j of twelve letters', (terms, canary) => {
    expect(planned({ ...read, terms }).canary).toEqual(canary);
  });
});
