import { totalOf } from './budget';
import { isActive, movedIn, newestMove, patienceMs, type RunStep, settledAtMs } from './runs';
import type { View } from './view';

/**
 * Whether the queues' figures of now say nothing of the step any more: it has settled long ago, and what is there may have
 * come since. Of the moment when it had settled only CloudWatch knows then.
 */
function isLongAgo({ settings, facts }: View, step: RunStep): boolean {
  return !isActive(newestMove(step)) && facts.nowMs > settledAtMs(step, settings) + patienceMs(settings);
}

function lettersWhenSettled(view: View, step: RunStep): number | undefined {
  const { deadLetters, deadLettersWhenSettled } = view.facts;
  if (!deadLetters) return undefined;
  return isLongAgo(view, step) ? deadLettersWhenSettled : totalOf(deadLetters);
}

function failuresWhenSettled(view: View, step: RunStep): number | undefined {
  const { failures } = view.facts;
  return isLongAgo(view, step) ? failures?.whenSettled : failures?.now;
}

function sumOf({ moves }: RunStep, of: 'setAside' | 'returned'): number {
  return moves.reduce((sum, move) => sum + (move[of] ?? 0), 0);
}

/** What came back into the dead-letter queue itself, and whatever else failed: nobody can tell one from the other. */
function amongDeadLetters(view: View, step: RunStep): number | undefined {
  const letters = lettersWhenSettled(view, step);
  const { toMove } = step.moves[0];
  if (letters === undefined || toMove === undefined) return undefined;
  const returned = sumOf(step, 'returned');
  const left = toMove - movedIn(step) - (sumOf(step, 'setAside') - returned);
  return Math.max(0, letters - left) + returned;
}

function elsewhere(view: View, step: RunStep): number | undefined {
  const failures = failuresWhenSettled(view, step);
  const returned = sumOf(step, 'returned');
  if (failures === undefined) return returned > 0 ? returned : undefined;
  return Math.max(0, failures - (view.facts.failures?.atStart ?? 0)) + returned;
}

/**
 * How many of the step's messages came back; undefined where nobody knows. Letters that were in flight when it began count
 * as returned, for SQS tells of the visible ones only.
 */
export function returnedOf(view: View, step: RunStep): number | undefined {
  const { failures, deadLetters } = view.settings;
  const returned = failures?.arn === deadLetters.arn ? amongDeadLetters(view, step) : elsewhere(view, step);
  return returned === undefined ? undefined : Math.min(returned, movedIn(step));
}

/** Whether more came back than may. */
export function hasComeBack(view: View, step: RunStep): boolean {
  const returned = returnedOf(view, step);
  return returned !== undefined && returned * 100 > movedIn(step) * view.settings.maxReturnedPercent;
}
