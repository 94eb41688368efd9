import { totalOf } from './budget';
import { returnedOf } from './returned';
import { isDone, movedIn, type RunStep } from './runs';
import type { RedriveContext } from './view';

/**
 * How many of the step's letters may be in the destination yet, for all anybody can tell. A queue hands out messages about as
 * they came: whatever is there and was not sent after the step had ended may be one of its letters, or lie before one.
 */
export function mayWait({ facts: { destination } }: RedriveContext, step: RunStep): number {
  if (!destination) return 0;
  const { depth, sentSince = 0 } = destination;
  return Math.min(movedIn(step), Math.max(0, totalOf(depth) - sentSince));
}

/**
 * Why it is not proven that the destination is well, after the canary: nobody has taken a message out of it; or so many of the
 * canary's letters may wait behind others that, if all those came back, too many would have.
 */
export function isUnproven(view: RedriveContext): string | false {
  const { settings, facts, history } = view;
  const [canary, ...later] = history.current?.steps ?? [];
  if (!settings.proofOfHealth || !canary || later.length > 0 || !isDone(canary)) return false;
  if (!facts.destination?.deleted) return 'nothing has been deleted from the destination since the canary began';
  const waiting = mayWait(view, canary);
  if (waiting === 0) return false;
  const mayFail = waiting + (returnedOf(view, canary) ?? 0);
  if (mayFail * 100 <= movedIn(canary) * settings.maxReturnedPercent) return false;
  return `${waiting} of the ${movedIn(canary)} messages of the canary may wait in the destination yet, behind others`;
}

/** Whether all that the step moved lies in the destination yet, and nobody takes anything from there. */
export function isUntaken({ settings, facts: { destination } }: RedriveContext, step: RunStep): boolean {
  if (!settings.proofOfHealth || !destination || movedIn(step) === 0) return false;
  return !destination.deleted && totalOf(destination.depth) >= movedIn(step);
}
