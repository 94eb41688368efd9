import { formatProblem } from '../../../policy/problem';
import { MOVE_LIMITS, type RunTerms, runProblems } from '../../../policy/redrive/redrive-limits';
import { SETTINGS } from './fixtures';

function problems(changes: Partial<RunTerms>): string[] {
  return runProblems({ ...SETTINGS, ...changes }).map(formatProblem);
}

/** Steps of these rates, each of 10 messages but the last. */
function rates(...all: readonly number[]): RunTerms['steps'] {
  return all.map((messagesPerSecond, i) =>
    i === all.length - 1 ? { messagesPerSecond } : { messagesPerSecond, messages: 10 },
  );
}

test('SQS moves 1 to 500 messages a second, and tells of ten tasks', () => {
  expect(MOVE_LIMITS).toEqual({ messagesPerSecond: { min: 1, max: 500 }, reportedTasks: 10 });
});

test('Three steps three times a day are ten tasks at most, and so is one step ten times, or ten once', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ steps: rates(500), runsPerDay: 10, messagesPerDay: 65_001 })).toEqual([]);
  expect(problems({ steps: rates(1, 2, 3, 4, 5, 6, 7, 8, 9, 500), runsPerDay: 1 })).toEqual([]);
});

test.each<[string, Partial<RunTerms>]>([
  ['steps must be from 1 to 10 steps: SQS tells of the last 10 tasks of a queue only, got 0', { steps: [] }],
  ['steps[1].messagesPerSecond must be more than that of the step before it, 5, got 5', { steps: rates(5, 5) }],
  ['steps[2].messagesPerSecond must be more than that of the step before it, 5, got 4', { steps: rates(1, 5, 4) }],
  ['steps[0].messagesPerSecond must be a whole number from 1 to 500, got 0', { steps: rates(0) }],
  ['steps[1].messagesPerSecond must be a whole number from 1 to 500, got 501', { steps: rates(1, 501) }],
  ['steps[0].messagesPerSecond must be a whole number from 1 to 500, got 1.5', { steps: rates(1.5) }],
  [
    'steps[0].messages must be a whole number of at least 1, got nothing',
    { steps: [{ messagesPerSecond: 1 }, { messagesPerSecond: 2 }] },
  ],
  [
    'steps[0].messages must be a whole number of at least 1, got 0',
    { steps: [{ messagesPerSecond: 1, messages: 0 }, { messagesPerSecond: 2 }] },
  ],
  [
    'steps[0].messages must be absent in the last step, which moves all that is left, got 10',
    { steps: [{ messagesPerSecond: 1, messages: 10 }] },
  ],
  ['runsPerDay must be a whole number from 1 to 10, got 0', { runsPerDay: 0 }],
  ['runsPerDay must be a whole number from 1 to 10, got 11', { runsPerDay: 11, steps: rates(1) }],
  ['runsPerDay must be a whole number from 1 to 10, got 1.5', { runsPerDay: 1.5 }],
  [
    'steps must be from 1 to 10 steps: SQS tells of the last 10 tasks of a queue only, got 11',
    { steps: rates(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) },
  ],
  ['messagesPerDay must be a whole number of at least 1, got 0', { messagesPerDay: 0 }],
  ['messagesPerDay must be a whole number of at least 1, got 1000.5', { messagesPerDay: 1_000.5 }],
  // One a second, for two ticks and ten seconds, the first at once.
  [
    'messagesPerDay must be at least 131, which the first step can move before it is stopped, got 130',
    { messagesPerDay: 130 },
  ],
  ['maxReturnedPercent must be a number from 0 to 100, got -1', { maxReturnedPercent: -1 }],
  ['maxReturnedPercent must be a number from 0 to 100, got 100.5', { maxReturnedPercent: 100.5 }],
  ['maxReturnedPercent must be a number from 0 to 100, got NaN', { maxReturnedPercent: Number.NaN }],
])('%s', (problem, changes) => {
  expect(problems(changes)).toEqual([problem]);
});

test('The ends of what is allowed are allowed', () => {
  expect(problems({ messagesPerDay: 131, maxReturnedPercent: 0 })).toEqual([]);
  expect(problems({ maxReturnedPercent: 100 })).toEqual([]);
});

test('Who moves messages one by one can keep any budget', () => {
  expect(problems({ carrier: 'copy', messagesPerDay: 1 })).toEqual([]);
  expect(problems({ carrier: 'replay', messagesPerDay: 1 })).toEqual([]);
});

test('All problems come at once', () => {
  expect(problems({ steps: rates(2, 1), runsPerDay: 0, messagesPerDay: 0, maxReturnedPercent: 101 })).toHaveLength(4);
});
