import type { MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { type RedriveContext, type RunStep, redriveContextOf } from '../../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import {
  canaryNotConsumed,
  failedAgainText,
  hasComeBack,
  isNotConsumed,
  returnedOf,
  unknownReturn,
} from '../../../policy/redrive/returned-messages';
import { MINUTE_MS } from '../../../policy/time-units';
import { depth, FACTS, move, NOW, QUARANTINE, SETTINGS } from './fixtures';

const contextOf = (facts: Partial<RedriveFacts> = {}, settings: Partial<RedriveSettings> = {}): RedriveContext =>
  redriveContextOf({ ...SETTINGS, ...settings }, { ...FACTS, ...facts });

const stepOf = (changes: Partial<MoveFacts> = {}, messages?: number): RunStep => ({
  index: 0,
  moves: [move(changes)],
  ...(messages !== undefined && { messages }),
});

/** A step settles after two ticks and three minutes. Ten ticks later, queue depths say nothing about it anymore. */
const JUST_WITHIN = { startedAtMs: NOW - 16 * MINUTE_MS };
const LONG_AGO = { startedAtMs: NOW - 16 * MINUTE_MS - 1 };

describe('The messages that came back to the dead-letter queue', () => {
  // 560 were there and 60 moved, so 500 remain.
  test('are what the queue holds above what the step left there', () => {
    expect(returnedOf(contextOf({ deadLetters: depth(500) }), stepOf())).toBe(0);
    expect(returnedOf(contextOf({ deadLetters: depth(507) }), stepOf())).toBe(7);
    expect(returnedOf(contextOf({ deadLetters: depth(900) }), stepOf())).toBe(60);
  });

  test('are unknown where more is missing than is tolerated: a quarter of 60', () => {
    expect(returnedOf(contextOf({ deadLetters: depth(485) }), stepOf())).toBe(0);
    expect(returnedOf(contextOf({ deadLetters: depth(484) }), stepOf())).toBeUndefined();
  });

  test('are unknown where SQS did not say how many there were', () => {
    const { toMove: _, ...others } = move();
    expect(returnedOf(contextOf(), { index: 0, moves: [others] })).toBeUndefined();
  });

  test('of a replay are those the function failed on, and those that appear in addition', () => {
    // Of 100, 60 moved. 5 are in the quarantine, 2 of them because the function failed again: 37 remain.
    const step = stepOf({ carrier: 'replay', toMove: 100, moved: 60, setAside: 5, returned: 2 });
    expect(returnedOf(contextOf({ deadLetters: depth(37) }), step)).toBe(2);
    expect(returnedOf(contextOf({ deadLetters: depth(57) }), step)).toBe(22);
    expect(returnedOf(contextOf({ deadLetters: depth(1_000) }), step)).toBe(60);
    // Even where the queue says nothing, those the function failed on are known.
    expect(returnedOf(contextOf({ deadLetters: depth(0) }), step)).toBe(2);
  });

  test('are too many above the noise of a deep queue, one message in 2,000', () => {
    const step = stepOf({ toMove: 200_060 });
    expect(hasComeBack(contextOf({ deadLetters: depth(200_060) }), step)).toBe(false);
    const larger = stepOf({ toMove: 200_000, moved: 101 });
    const strict = { maxReturnedPercent: 0 };
    expect(hasComeBack(contextOf({ deadLetters: depth(199_999) }, strict), larger)).toBe(false);
    expect(hasComeBack(contextOf({ deadLetters: depth(200_000) }, strict), larger)).toBe(true);
  });
});

describe('The messages that came back to another queue', () => {
  const elsewhere = (failures: RedriveFacts['failures'], step = stepOf()) =>
    returnedOf(contextOf(failures ? { failures } : {}, { failures: QUARANTINE }), step);

  test('are those that arrived there since the step began', () => {
    expect(elsewhere({ now: 30, atStart: 10 })).toBe(20);
    expect(elsewhere(undefined)).toBeUndefined();
  });

  test('are known without a start only where all that are there may return', () => {
    expect(elsewhere({ now: 15 })).toBe(15);
    expect(elsewhere({ now: 16 })).toBeUndefined();
  });

  test('are counted when the step had settled, once that is long ago', () => {
    expect(elsewhere({ now: 30, atStart: 10, whenSettled: 13 }, stepOf(JUST_WITHIN))).toBe(20);
    expect(elsewhere({ now: 30, atStart: 10, whenSettled: 13 }, stepOf(LONG_AGO))).toBe(3);
    expect(elsewhere({ now: 30, atStart: 10 }, stepOf(LONG_AGO))).toBeUndefined();
  });
});

describe('The report that the number of returned messages is unknown', () => {
  const UNKNOWN = 'it cannot be determined how many of 60 messages came back';

  test('names another queue, unless its depth at that time is no longer looked up', () => {
    const elsewhere = (failures: RedriveFacts['failures'], step: RunStep) =>
      unknownReturn(contextOf(failures ? { failures } : {}, { failures: QUARANTINE }), step);
    expect(elsewhere({ now: 16 }, stepOf())).toBe(UNKNOWN);
    expect(elsewhere({ now: 16 }, stepOf(LONG_AGO))).toBeUndefined();
    expect(elsewhere({ now: 0, whenSettled: 16 }, stepOf(LONG_AGO))).toBe(UNKNOWN);
    // The queue itself cannot be read: nothing was forgotten.
    expect(elsewhere(undefined, stepOf(LONG_AGO))).toBe(UNKNOWN);
  });
});

describe('A repeated failure of the function', () => {
  // The canary has 10 messages, and a quarter may fail.
  const failed = (returned: number, moved: number, messages?: number) =>
    failedAgainText(contextOf(), stepOf({ carrier: 'replay', returned, moved }, messages));

  test.each([
    ['on no more than a quarter of the messages', 15, 60, undefined],
    ['on the first messages of a canary, which say little', 2, 2, 10],
    ['on the first messages of a later step', 2, 2, 100],
    ['on the first messages of the last step', 2, 2, undefined],
  ])('is not reported if it failed %s', (_, returned, moved, messages) => {
    expect(failed(returned, moved, messages)).toBeUndefined();
  });

  test.each([
    ['more than a quarter of the messages', 16, 60, undefined],
    ['more than a quarter of a canary', 3, 3, 10],
    ['more than a quarter of a canary, at the beginning of a larger step', 3, 3, 100],
    ['more than a quarter of a canary, at the beginning of the last step', 3, 3, undefined],
    ['more than a quarter of a step that is smaller than the canary', 2, 2, 4],
  ])('is reported on %s', (_, returned, moved, messages) => {
    expect(failed(returned, moved, messages)).toBe(`the function failed on ${returned} of ${moved} messages`);
  });
});

describe('The destination', () => {
  test('is proven to take messages, or need not be, if no run continues', () => {
    expect(canaryNotConsumed(contextOf({ moves: [] }))).toBe(false);
  });

  test('took none if all moved messages may be there, and none was deleted', () => {
    expect(isNotConsumed(contextOf({ destination: { depth: depth(60) } }), stepOf())).toBe(true);
    expect(isNotConsumed(contextOf({ destination: { depth: depth(59) } }), stepOf())).toBe(false);
    expect(isNotConsumed(contextOf({ destination: { depth: depth(60), deleted: 1 } }), stepOf())).toBe(false);
    expect(isNotConsumed(contextOf({ destination: undefined }), stepOf())).toBe(false);
  });

  test('took all if none was moved', () => {
    expect(isNotConsumed(contextOf(), stepOf({ moved: 0 }))).toBe(false);
  });
});
