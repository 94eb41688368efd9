import { totalOf } from './budget';
import { movedIn, patienceMs, type RunStep, settledAtMs } from './runs';
import type { View } from './view';

/**
 * How many letters there were among the dead when the step had settled. While the run can go on, those there are now speak
 * for that moment; after it only CloudWatch knows.
 */
function lettersWhenSettled({ settings, facts }: View, step: RunStep): number | undefined {
  if (!facts.deadLetters) return undefined;
  const isLongAgo = facts.nowMs > settledAtMs(step, settings) + patienceMs(settings);
  return isLongAgo ? facts.deadLettersWhenSettled : totalOf(facts.deadLetters);
}

function failuresWhenSettled({ settings, facts }: View, step: RunStep): number | undefined {
  if (!facts.failures) return undefined;
  const isLongAgo = facts.nowMs > settledAtMs(step, settings) + patienceMs(settings);
  return isLongAgo ? facts.failures.whenSettled : facts.failures.now;
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
