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
 * Whether the current queue depths no longer tell anything about the step: it settled long ago, and messages may have
 * arrived since. Then only CloudWatch knows the depths at that time.
 */
function isLongAgo({ settings, facts }: RedriveContext, step: RunStep): boolean {
  return !isActive(newestMove(step)) && facts.nowMs > settledAtMs(step, settings) + continueWithinMs(settings);
}

function messagesWhenSettled(context: RedriveContext, step: RunStep): number | undefined {
  const { deadLetters, deadLettersWhenSettled } = context.facts;
  if (!deadLetters) return undefined;
  return isLongAgo(context, step) ? deadLettersWhenSettled : totalOf(deadLetters);
}

function failuresWhenSettled(context: RedriveContext, step: RunStep): number | undefined {
  const { failures } = context.facts;
  return isLongAgo(context, step) ? failures?.whenSettled : failures?.now;
}

function sumOf({ moves }: RunStep, of: 'setAside' | 'returned'): number {
  return moves.reduce((sum, move) => sum + (move[of] ?? 0), 0);
}

/**
 * In a deep queue, a difference of one message in 2,000 is noise: SQS's counts are approximate, and other messages come
 * and go. With this value, a canary of 63 messages that all came back still stands out in a queue of 100,000.
 */
const NOISE_OF = 2_000;

/** How a count differs from what it would be if nothing had come back. */
interface Difference {
  readonly more: number;
  /** The count to which the difference belongs. */
  readonly of: number;
}

/** The difference that counts as noise, or as an allowed number of returns. */
function tolerated({ settings: { maxReturnedPercent } }: RedriveContext, step: RunStep, of: number): number {
  return Math.max((movedIn(step) * maxReturnedPercent) / 100, of / NOISE_OF);
}

/** What came back to the dead-letter queue itself. Other new failures are included: they cannot be distinguished. */
function amongDeadLetters(context: RedriveContext, step: RunStep): Difference | undefined {
  const messages = messagesWhenSettled(context, step);
  const { toMove } = step.moves[0];
  if (messages === undefined || toMove === undefined) return undefined;
  const left = toMove - movedIn(step) - (sumOf(step, 'setAside') - sumOf(step, 'returned'));
  return { more: messages - left, of: toMove };
}

/**
 * What arrived in the queue for failures. If its earlier depth is unknown, all its messages may have come back. Then
 * the result is known only if even that many are allowed.
 */
function elsewhere(context: RedriveContext, step: RunStep): Difference | undefined {
  const failures = failuresWhenSettled(context, step);
  if (failures === undefined) return undefined;
  const { atStart } = context.facts.failures ?? {};
  if (atStart !== undefined) return { more: failures - atStart, of: atStart };
  return failures <= tolerated(context, step, 0) ? { more: failures, of: 0 } : undefined;
}

function differenceOf(context: RedriveContext, step: RunStep): Difference | undefined {
  const { failures, deadLetters } = context.settings;
  return failures?.arn === deadLetters.arn ? amongDeadLetters(context, step) : elsewhere(context, step);
}

/**
 * How many of the moved messages came back, if a queue holds `more` messages than it would if none had. Other new dead
 * letters look the same, so it is at most as many as were moved.
 */
export function returnedAtMost(moved: number, more: number): number {
  return Math.min(moved, Math.max(0, more));
}

/**
 * How many of the step's messages came back; undefined if unknown. It is unknown if dead letters are missing that the
 * step did not move: they have expired or another process took them, and as many may have come back unnoticed. Messages
 * in flight when the step began count as returned, because SQS reports only visible ones.
 */
export function returnedOf(context: RedriveContext, step: RunStep): number | undefined {
  const seen = sumOf(step, 'returned');
  const difference = differenceOf(context, step);
  const isKnown = difference !== undefined && difference.more >= -tolerated(context, step, difference.of);
  if (!isKnown && seen === 0) return undefined;
  const unseen = isKnown ? returnedAtMost(movedIn(step), difference.more) : 0;
  return Math.min(unseen + seen, movedIn(step));
}

/** Whether more messages came back than allowed, and more than the noise of a deep queue. */
export function hasComeBack(context: RedriveContext, step: RunStep): boolean {
  const returned = returnedOf(context, step) ?? 0;
  return returned > tolerated(context, step, differenceOf(context, step)?.of ?? 0);
}

/**
 * Says that a function failed on more of the step's messages than allowed; undefined if it did not. A replay knows the
 * result of each event, so this needs no queue depth. It is judged by at least as many messages as the canary has,
 * because the first messages of a step say little.
 */
export function failedAgainText({ settings }: RedriveContext, step: RunStep): string | undefined {
  const [canary] = settings.steps;
  const moved = movedIn(step);
  const failed = sumOf(step, 'returned');
  const judged = Math.max(moved, Math.min(canary?.messages ?? 0, step.messages ?? Number.POSITIVE_INFINITY));
  const isTooMany = failed > (judged * settings.maxReturnedPercent) / 100;
  return isTooMany ? `the function failed on ${failed} of ${moved} messages` : undefined;
}

/**
 * Why the number of returned messages is unknown, although the queue for failures is known.
 * @returns undefined if it is known, or if it was known when the step had settled and is no longer looked up
 */
export function unknownReturn(context: RedriveContext, step: RunStep): string | undefined {
  const { settings, facts } = context;
  if (!settings.failures || returnedOf(context, step) !== undefined) return undefined;
  const isAmongDeadLetters = settings.failures.arn === settings.deadLetters.arn;
  const then = isAmongDeadLetters ? facts.deadLettersWhenSettled : facts.failures?.whenSettled;
  const isForgotten =
    isLongAgo(context, step) && then === undefined && (isAmongDeadLetters || facts.failures !== undefined);
  return isForgotten ? undefined : `it cannot be determined how many of ${movedIn(step)} messages came back`;
}

/**
 * The most messages of the step that may still wait in the destination. A queue delivers messages roughly in order. So
 * any message that was not sent after the step ended may be one of the step's, or be ahead of one.
 */
export function mayWait({ facts: { destination } }: RedriveContext, step: RunStep): number {
  if (!destination) return 0;
  const { depth, sentSince = 0 } = destination;
  return Math.min(movedIn(step), Math.max(0, totalOf(depth) - sentSince));
}

/**
 * Why the canary did not prove that the destination works: no message was deleted from it; or so many canary messages
 * may wait behind others that, if they all came back, there would be too many returns.
 */
export function canaryNotConsumed(context: RedriveContext): string | false {
  const { settings, facts, history } = context;
  const [canary, ...later] = history.current?.steps ?? [];
  if (!settings.proofOfHealth || !canary || later.length > 0 || !isDone(canary)) return false;
  if (!facts.destination?.deleted) return 'nothing has been deleted from the destination since the canary began';
  const waiting = mayWait(context, canary);
  if (waiting === 0) return false;
  const mayFail = waiting + (returnedOf(context, canary) ?? 0);
  if (mayFail * 100 <= movedIn(canary) * settings.maxReturnedPercent) return false;
  return `${waiting} of the canary’s ${movedIn(canary)} messages may still wait in the destination, behind others`;
}

/** Whether everything the step moved may still be in the destination, and nothing is deleted from there. */
export function isNotConsumed({ settings, facts: { destination } }: RedriveContext, step: RunStep): boolean {
  if (!settings.proofOfHealth || !destination || movedIn(step) === 0) return false;
  return !destination.deleted && totalOf(destination.depth) >= movedIn(step);
}
