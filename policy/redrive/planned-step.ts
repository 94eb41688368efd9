import { type Budget, hasRoomForLateCounts, isWithinBudget, messagesLeft, totalOf } from './budget';
import type { RedriveDecision } from './redrive-decision';
import type { MoveFacts } from './redrive-facts';
import { movedIn, newestMove, newestStep, type RedriveContext, type Run } from './redrive-runs';

export interface PlannedStep {
  readonly index: number;
  readonly carrier: MoveFacts['carrier'];
  /**
   * The allowed rates, the fastest first: that of the step, and those of slower steps, in case the budget requires one.
   */
  readonly rates: readonly number[];
  /** How many messages it is to move. @default - all there are */
  readonly messages?: number;
  /** When its run began. @default - this step begins a run */
  readonly runStartedAtMs?: number;
}

function quota(messages: number | undefined): Pick<PlannedStep, 'messages'> {
  return messages === undefined ? {} : { messages };
}

/** The first step of a run. */
export function canaryOf({ settings: { carrier, steps } }: RedriveContext): PlannedStep {
  const rates = steps.slice(0, 1).map(({ messagesPerSecond }) => messagesPerSecond);
  return { index: 0, carrier, rates, ...quota(steps[0]?.messages) };
}

/** The same step again, for the messages it has not moved yet. */
export function restOf(run: Run, carrier: MoveFacts['carrier']): PlannedStep {
  const step = newestStep(run);
  const { messagesPerSecond = 1 } = newestMove(step);
  const messages = step.messages === undefined ? undefined : step.messages - movedIn(step);
  const runStartedAtMs = run.steps[0].moves[0].startedAtMs;
  return { index: step.index, carrier, rates: [messagesPerSecond], ...quota(messages), runStartedAtMs };
}

/** The step after the newest one. It is never as slow as the canary, or it would be mistaken for one. */
export function stepAfter({ settings: { steps } }: RedriveContext, run: Run): PlannedStep {
  const newest = newestStep(run);
  const index = newest.index + 1;
  const rates = steps.slice(1, index + 1).map(({ messagesPerSecond }) => messagesPerSecond);
  const { carrier } = newestMove(newest);
  const runStartedAtMs = run.steps[0].moves[0].startedAtMs;
  return { index, carrier, rates: rates.toReversed(), ...quota(steps[index]?.messages), runStartedAtMs };
}

/** A task is cancelled at a tick; a function that moves messages can stop at any message. */
function isRateWithinBudget(
  budget: Budget,
  { carrier }: PlannedStep,
  messagesPerSecond: number,
  messages: number,
): boolean {
  if (carrier !== 'task') return messagesLeft(budget) > 0;
  return isWithinBudget(budget, { messagesPerSecond, elapsedMs: 0, moved: 0, messages });
}

/**
 * The fastest rate of the step that cannot exceed the budget, preferably one that cannot exceed it even if counts are
 * late.
 */
export function rateWithinBudget({ budget, facts }: RedriveContext, planned: PlannedStep): number | undefined {
  const messages = facts.deadLetters ? totalOf(facts.deadLetters) : 0;
  const rates = planned.rates.filter(rate => isRateWithinBudget(budget, planned, rate, messages));
  const isSure = (rate: number) => planned.carrier !== 'task' || hasRoomForLateCounts(budget, rate, messages);
  return rates.find(isSure) ?? rates[0];
}

/** The decision to start the step; undefined if the budget does not allow it. */
export function startOf(context: RedriveContext, planned: PlannedStep, why: string): RedriveDecision | undefined {
  const messagesPerSecond = rateWithinBudget(context, planned);
  if (messagesPerSecond === undefined) return undefined;
  const { index, carrier, runStartedAtMs, messages = Number.POSITIVE_INFINITY } = planned;
  return {
    kind: 'start',
    step: index,
    carrier,
    messagesPerSecond,
    messages: Math.min(messages, messagesLeft(context.budget)),
    ...(runStartedAtMs !== undefined && { runStartedAtMs }),
    reason: why,
  };
}
