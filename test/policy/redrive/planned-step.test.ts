import { canaryOf, rateWithinBudget, restOf, startOf, stepAfter } from '../../../policy/redrive/planned-step';
import type { RedriveFacts } from '../../../policy/redrive/redrive-facts';
import { redriveContextOf } from '../../../policy/redrive/redrive-runs';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { MINUTE_MS } from '../../../policy/time-units';
import { depth, FACTS, move, NOW, SETTINGS } from './fixtures';

const contextOf = (settings: Partial<RedriveSettings> = {}, facts: Partial<RedriveFacts> = {}) =>
  redriveContextOf({ ...SETTINGS, ...settings }, { ...FACTS, ...facts });

const CANARY = move();
const CANARY_STEP = { index: 0, moves: [CANARY], messages: 10 } as const;
const runStartedAtMs = CANARY.startedAtMs;

// The steps: 1/s for 10 messages, 10/s for 100, 50/s for the rest.
describe('A step has its messages and its rate, and a slower one in case the budget requires it', () => {
  test('the canary', () => {
    expect(canaryOf(contextOf())).toStrictEqual({ index: 0, carrier: 'task', rates: [1], messages: 10 });
    const steps = [{ messagesPerSecond: 5 }];
    expect(canaryOf(contextOf({ steps, carrier: 'copy' }))).toStrictEqual({ index: 0, carrier: 'copy', rates: [5] });
  });

  test('the step after the canary, and the last: none is as slow as the canary', () => {
    const second = {
      index: 1,
      moves: [move({ messagesPerSecond: 10, startedAtMs: NOW - MINUTE_MS })],
      messages: 100,
    } as const;
    expect(stepAfter(contextOf(), { steps: [CANARY_STEP] })).toStrictEqual({
      index: 1,
      carrier: 'task',
      rates: [10],
      messages: 100,
      runStartedAtMs,
    });
    expect(stepAfter(contextOf(), { steps: [CANARY_STEP, second] })).toStrictEqual({
      index: 2,
      carrier: 'task',
      rates: [50, 10],
      runStartedAtMs,
    });
  });

  test('the rest of a step that was interrupted', () => {
    const moves = [move({ moved: 4 }), move({ moved: 3 })] as const;
    expect(restOf({ steps: [{ index: 0, moves, messages: 10 }] }, 'copy')).toStrictEqual({
      index: 0,
      carrier: 'copy',
      rates: [1],
      messages: 3,
      runStartedAtMs,
    });
    expect(restOf({ steps: [{ index: 0, moves }] }, 'copy')).toStrictEqual({
      index: 0,
      carrier: 'copy',
      rates: [1],
      runStartedAtMs,
    });
  });
});

describe('The rate of a step', () => {
  // 9,000 dead letters, 10,000 messages a day. Counts may be a minute late: by 3,000 at 50/s, by 600 at 10/s.
  const deep = contextOf({}, { deadLetters: depth(9_000) });
  const rates = [50, 10];

  test('by a task is one at which even late counts exceed no budget', () => {
    expect(rateWithinBudget(deep, { index: 2, carrier: 'task', rates })).toBe(10);
  });

  test('by a function that moves messages itself is the fastest, because it stops at the last message of the budget', () => {
    expect(rateWithinBudget(deep, { index: 2, carrier: 'copy', rates })).toBe(50);
  });
});

describe('The start of a step', () => {
  test('waits if the budget is used up', () => {
    for (const carrier of ['task', 'copy'] as const) {
      const context = contextOf({ messagesPerDay: 60, carrier }, { moves: [move()] });
      expect(startOf(context, canaryOf(context), 'why')).toBeUndefined();
    }
  });
});
