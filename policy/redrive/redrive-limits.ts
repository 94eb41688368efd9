import type { Problem } from '../problem';
import { mostMovedUnseen } from './budget';
import type { RedriveSettings, RedriveStep } from './redrive-settings';

/**
 * What SQS takes for a move task's rate, both ends included, and of how many tasks it tells.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListMessageMoveTasks.html
 */
export const MOVE_LIMITS = { messagesPerSecond: { min: 1, max: 500 }, reportedTasks: 10 } as const;

/** What a run may do, and how often. */
export type RunTerms = Pick<
  RedriveSettings,
  'carrier' | 'steps' | 'maxReturnedPercent' | 'runsPerDay' | 'messagesPerDay' | 'tickMs'
>;

function isWhole(value: number | undefined, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

function wholeProblems(property: string, value: number | undefined, min: number, max: number): Problem[] {
  const rule = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return isWhole(value, min, max) ? [] : [{ property, rule: `must be a whole number ${rule}`, value }];
}

function quotaProblems(property: string, { messages }: RedriveStep, isLast: boolean): Problem[] {
  if (!isLast) return wholeProblems(property, messages, 1, Number.MAX_SAFE_INTEGER);
  const rule = 'must be absent in the last step, which moves all that is left';
  return messages === undefined ? [] : [{ property, rule, value: messages }];
}

/** By its rate a task is known again, so no two steps have the same. */
function stepProblems(steps: readonly RedriveStep[]): Problem[] {
  const { min, max } = MOVE_LIMITS.messagesPerSecond;
  return steps.flatMap((step, index) => {
    const { messagesPerSecond: value } = step;
    const before = steps[index - 1]?.messagesPerSecond;
    const isFaster = before === undefined || value > before;
    const rule = `must be more than that of the step before it, ${before}`;
    return [
      ...wholeProblems(`steps[${index}].messagesPerSecond`, value, min, max),
      ...(isFaster ? [] : [{ property: `steps[${index}].messagesPerSecond`, rule, value }]),
      ...quotaProblems(`steps[${index}].messages`, step, index === steps.length - 1),
    ];
  });
}

/** SQS tells of ten tasks, and no budget can be kept without those of a day: a run has no more, and so a day has no more runs. */
function countProblems({ steps, runsPerDay }: RunTerms): Problem[] {
  const most = MOVE_LIMITS.reportedTasks;
  const rule = `must be from 1 to ${most} steps: SQS tells of the last ${most} tasks of a queue only`;
  const isCountable = steps.length >= 1 && steps.length <= most;
  return [
    ...(isCountable ? [] : [{ property: 'steps', rule, value: steps.length }]),
    ...wholeProblems('runsPerDay', runsPerDay, 1, most),
  ];
}

/** A budget the canary alone may pass before anybody can stop it lets no run begin. */
function messagesProblems({ carrier, steps, messagesPerDay, tickMs }: RunTerms): Problem[] {
  const property = 'messagesPerDay';
  const problems = wholeProblems(property, messagesPerDay, 1, Number.MAX_SAFE_INTEGER);
  const [canary] = steps;
  if (problems.length > 0 || !canary || carrier !== 'task') return problems;
  const least = mostMovedUnseen(canary.messagesPerSecond, 0, tickMs);
  if (messagesPerDay >= least) return [];
  const rule = `must be at least ${least}, which the first step can move before it is stopped`;
  return [{ property, rule, value: messagesPerDay }];
}

/** All that is wrong with what a run may do. The properties are called as the construct calls them. */
export function runProblems(terms: RunTerms): Problem[] {
  const { maxReturnedPercent: value } = terms;
  const isPercent = Number.isFinite(value) && value >= 0 && value <= 100;
  const rule = 'must be a number from 0 to 100';
  return [
    ...stepProblems(terms.steps),
    ...countProblems(terms),
    ...messagesProblems(terms),
    ...(isPercent ? [] : [{ property: 'maxReturnedPercent', rule, value }]),
  ];
}
