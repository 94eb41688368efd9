import type { MoveFacts, QueueDepth } from './redrive-facts';

/** The span all budgets are for. */
export const DAY_MS = 86_400_000;

/** How many ticks may pass until the next look at a task: one may be lost, or late. Our choice. */
const TICKS_UNTIL_LOOK = 2;

/** For how long a task moves on that has been cancelled, and the calls it takes: our choice; recorded ones stop in seconds. */
const CANCEL_MS = 10_000;

/** How many messages a queue holds, whether anybody can receive them or not. */
export function totalOf({ visible, inFlight, delayed }: QueueDepth): number {
  return visible + inFlight + delayed;
}

/** The most a task can have moved after so long: the first one goes at once. */
function mostMovedIn(messagesPerSecond: number, ms: number): number {
  return Math.floor((messagesPerSecond * ms) / 1_000) + 1;
}

/** The most a task has moved by the time it stops that is cancelled at the look after the next, one look being lost. */
export function mostMovedUnseen(messagesPerSecond: number, elapsedMs: number, tickMs: number): number {
  return mostMovedIn(messagesPerSecond, elapsedMs + TICKS_UNTIL_LOOK * tickMs + CANCEL_MS);
}

/** When a move that is over was over, as far as its rate tells: SQS does not say. */
export function endedAtMs({ startedAtMs, moved, messagesPerSecond = 1 }: MoveFacts): number {
  return startedAtMs + Math.ceil((moved * 1_000) / messagesPerSecond);
}

/** What may be moved yet. */
export interface Budget {
  readonly messagesPerDay: number;
  readonly tickMs: number;
  readonly nowMs: number;
  /** Every move of the day, whoever began it. */
  readonly moves: readonly MoveFacts[];
}

/**
 * How many messages of the day's budget are left, the newest move left out while it is not over. A move counts whole as long as its last
 * message can be within the day.
 */
export function messagesLeft({ messagesPerDay, nowMs, moves }: Budget): number {
  const since = nowMs - DAY_MS;
  const isUnderWay = (move: MoveFacts) => move === moves[0] && move.status === 'RUNNING';
  const spent = moves.filter(move => !isUnderWay(move) && endedAtMs(move) > since);
  return Math.max(0, messagesPerDay - spent.reduce((sum, { moved }) => sum + moved, 0));
}

/**
 * Whether a task can be left alone until the next look without passing the budget: either by its rate, or because all that
 * has moved, and all that is there to be moved, is within it.
 *
 * By its rate this is for certain as long as no two ticks in succession are lost. By the letters that are there it can be
 * passed by those alone that come to the dead-letter queue until the next look.
 */
export function isWithinBudget(
  budget: Budget,
  task: { readonly messagesPerSecond: number; readonly elapsedMs: number; readonly letters: number },
): boolean {
  const left = messagesLeft(budget);
  if (mostMovedUnseen(task.messagesPerSecond, task.elapsedMs, budget.tickMs) <= left) return true;
  const movedByNow = task.elapsedMs > 0 ? mostMovedIn(task.messagesPerSecond, task.elapsedMs) : 0;
  return movedByNow + task.letters <= left;
}
