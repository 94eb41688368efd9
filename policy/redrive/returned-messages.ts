import { totalOf } from './budget';
import {
  continueWithinMs,
  isActive,
  isDone,
  movedIn,
  newestMove,
  type RedriveContext,
  type RunStep,
  settledAtMs,
} from './redrive-runs';

/**
 * Whether the queues' figures of now say nothing of the step any more: it has settled long ago, and what is there may have
 * come since. Of the moment when it had settled only CloudWatch knows then.
 */
function isLongAgo({ settings, facts }: RedriveContext, step: RunStep): boolean {
  return !isActive(newestMove(step)) && facts.nowMs > settledAtMs(step, settings) + continueWithinMs(settings);
}

function messagesWhenSettled(view: RedriveContext, step: RunStep): number | undefined {
  const { deadLetters, deadLettersWhenSettled } = view.facts;
  if (!deadLetters) return undefined;
  return isLongAgo(view, step) ? deadLettersWhenSettled : totalOf(deadLetters);
}

function failuresWhenSettled(view: RedriveContext, step: RunStep): number | undefined {
  const { failures } = view.facts;
  return isLongAgo(view, step) ? failures?.whenSettled : failures?.now;
}

function sumOf({ moves }: RunStep, of: 'setAside' | 'returned'): number {
  return moves.reduce((sum, move) => sum + (move[of] ?? 0), 0);
}

/**
 * Of how many letters of a deep queue one is noise: SQS counts them about, and others come and go meanwhile. Our choice: a
 * canary of 63, all of which came back, tells itself from the noise of 100,000 letters yet.
 */
const NOISE_OF = 2_000;

/** How a count differs from what it would be had nothing come back. */
interface Difference {
  readonly more: number;
  /** Of how many it is the difference. */
  readonly of: number;
}

/** Up to how many more, or fewer, are taken for noise, or for what may come back. */
function tolerated({ settings: { maxReturnedPercent } }: RedriveContext, step: RunStep, of: number): number {
  return Math.max((movedIn(step) * maxReturnedPercent) / 100, of / NOISE_OF);
}

/** What came back into the dead-letter queue itself, and whatever else failed: nobody can tell one from the other. */
function amongDeadLetters(view: RedriveContext, step: RunStep): Difference | undefined {
  const messages = messagesWhenSettled(view, step);
  const { toMove } = step.moves[0];
  if (messages === undefined || toMove === undefined) return undefined;
  const left = toMove - movedIn(step) - (sumOf(step, 'setAside') - sumOf(step, 'returned'));
  return { more: messages - left, of: toMove };
}

/**
 * What came to where failures end. Where nobody knows what was there before, all of it may have come back, and so nobody knows
 * unless that would be borne.
 */
function elsewhere(view: RedriveContext, step: RunStep): Difference | undefined {
  const failures = failuresWhenSettled(view, step);
  if (failures === undefined) return undefined;
  const { atStart } = view.facts.failures ?? {};
  if (atStart !== undefined) return { more: failures - atStart, of: atStart };
  return failures <= tolerated(view, step, 0) ? { more: failures, of: 0 } : undefined;
}

function differenceOf(view: RedriveContext, step: RunStep): Difference | undefined {
  const { failures, deadLetters } = view.settings;
  return failures?.arn === deadLetters.arn ? amongDeadLetters(view, step) : elsewhere(view, step);
}

/**
 * How many of the step's messages came back; undefined where nobody knows. So it is where letters are missing that the step has
 * not moved, for they have expired or somebody took them: as many may have come back unseen. Letters that were in flight when
 * it began count as returned, for SQS tells of the visible ones only.
 */
export function returnedOf(view: RedriveContext, step: RunStep): number | undefined {
  const seen = sumOf(step, 'returned');
  const { more, of } = differenceOf(view, step) ?? {};
  const isKnown = more !== undefined && of !== undefined && more >= -tolerated(view, step, of);
  if (!isKnown && seen === 0) return undefined;
  return Math.min((isKnown ? Math.max(0, more) : 0) + seen, movedIn(step));
}

/** Whether more came back than may, and than the noise of a deep queue is. */
export function hasComeBack(view: RedriveContext, step: RunStep): boolean {
  const returned = returnedOf(view, step);
  return returned !== undefined && returned > tolerated(view, step, differenceOf(view, step)?.of ?? 0);
}

/**
 * Why nobody can tell what came back of the step, though it is known where that ends.
 * @returns undefined where somebody can; and where it was known when the step had settled, and is forgotten since
 */
export function unknownReturn(view: RedriveContext, step: RunStep): string | undefined {
  const { settings, facts } = view;
  if (!settings.failures || returnedOf(view, step) !== undefined) return undefined;
  const isAmongDeadLetters = settings.failures.arn === settings.deadLetters.arn;
  const then = isAmongDeadLetters ? facts.deadLettersWhenSettled : facts.failures?.whenSettled;
  const isForgotten =
    isLongAgo(view, step) && then === undefined && (isAmongDeadLetters || facts.failures !== undefined);
  return isForgotten ? undefined : `nobody can tell how many of ${movedIn(step)} messages came back`;
}

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
