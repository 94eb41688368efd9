import type { MoveFacts, QueueDepth } from './redrive-facts';

/** The span all budgets are for. */
export const DAY_MS = 86_400_000;

/** How many ticks may pass until the next look at a task: one may be lost, or late. Our choice. */
const TICKS_UNTIL_LOOK = 2;

/** For how long a task moves on that has been cancelled, and the calls it takes: our choice; recorded ones stop in seconds. */
const CANCEL_MS = 10_000;

/**
 * How late SQS's counts may be, of a queue and of a task: AWS says a minute of queues, and nothing of tasks.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
 */
const COUNTS_LATE_MS = 60_000;

/** How many messages a queue holds, whether anybody can receive them or not. */
export function totalOf({ visible, inFlight, delayed }: QueueDepth): number {
  return visible + inFlight + delayed;
}

/** The most a task can have moved after so long: the first one goes at once. */
function mostMovedIn(messagesPerSecond: number, ms: number): number {
  return Math.floor((messagesPerSecond * ms) / 1_000) + 1;
}

/** How much longer a task moves on that is cancelled at the look after the next, one look being lost. */
function unseenMs(tickMs: number): number {
  return TICKS_UNTIL_LOOK * tickMs + CANCEL_MS;
}

/** The most a task has moved by the time it stops that is cancelled at the look after the next, one look being lost. */
export function mostMovedUnseen(messagesPerSecond: number, elapsedMs: number, tickMs: number): number {
  return mostMovedIn(messagesPerSecond, elapsedMs + unseenMs(tickMs));
}

/**
 * When a move that is over was over: SQS does not say. It was not before its rate allows, and one that was slower than its
 * rate was not before it was last seen under way.
 */
export function endedAtMs({ startedAtMs, moved, messagesPerSecond = 1, activeAtMs = 0 }: MoveFacts): number {
  return Math.max(startedAtMs + Math.ceil((moved * 1_000) / messagesPerSecond), activeAtMs);
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

/** A task that may begin, or that runs. */
export interface BudgetedTask {
  readonly messagesPerSecond: number;
  /** 0 of one that has not begun. */
  readonly elapsedMs: number;
  /** As SQS tells. */
  readonly moved: number;
  /** How many were visible when it began. @default - nobody knows */
  readonly toMove?: number;
  /** How many are among the dead letters, as SQS tells. */
  readonly messages: number;
}

/** How many messages a task can move while a count is late. */
function movedWhileLate(messagesPerSecond: number): number {
  return Math.ceil((messagesPerSecond * COUNTS_LATE_MS) / 1_000);
}

/** The most a task has moved after so long, and so much more: by its rate, and by the count of what it has moved. */
function mostMoved({ messagesPerSecond, elapsedMs, moved }: BudgetedTask, moreMs: number): number {
  const byCount = moved + mostMovedIn(messagesPerSecond, COUNTS_LATE_MS + moreMs);
  return Math.min(mostMovedIn(messagesPerSecond, elapsedMs + moreMs), byCount);
}

/**
 * How many messages a task moves in all: what it has moved and what is there, or what there was when it began. The letters
 * are counted late, so that some may be among both: they count for more letters only where they are more than can be so.
 */
function movesInAll(task: BudgetedTask): number {
  const { messagesPerSecond, elapsedMs, messages } = task;
  if (elapsedMs <= 0) return messages;
  const seen = mostMoved(task, 0) + messages;
  const { toMove = seen } = task;
  return Math.min(seen, Math.max(toMove, seen - movedWhileLate(messagesPerSecond)));
}

/**
 * Whether a task can be left alone until the next look without passing the budget: either by its rate, or because all that
 * has moved, and all that is there to be moved, is within it.
 *
 * By its rate this is for certain as long as no two ticks in succession are lost. By the letters that are there it can be
 * passed by those alone that come to the dead-letter queue until the next look, and, where
 * `hasRoomForLateCounts` was false, by those that late counts hide.
 */
export function isWithinBudget(budget: Budget, task: BudgetedTask): boolean {
  const left = messagesLeft(budget);
  return mostMoved(task, unseenMs(budget.tickMs)) <= left || movesInAll(task) <= left;
}

/**
 * Whether counts that are late cannot let a task pass the budget that is about to begin: its letters do not fit anyway, and
 * its rate is what holds it, or they fit with so much room as a late count can hide.
 */
export function hasRoomForLateCounts(budget: Budget, messagesPerSecond: number, messages: number): boolean {
  const left = messagesLeft(budget);
  return messages > left || messages + movedWhileLate(messagesPerSecond) <= left;
}
