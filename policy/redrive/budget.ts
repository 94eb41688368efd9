import { QUEUE_COUNTS_LATE_MS } from '../aws-limits';
import { DAY_MS } from '../time-units';
import type { MoveFacts, QueueDepth } from './redrive-facts';

/** How many ticks may pass until the next check of a task: one tick may be lost or late. */
const TICKS_UNTIL_LOOK = 2;

/** How long a task continues after it was cancelled, including the calls. Recorded tasks stop within seconds. */
const CANCEL_MS = 10_000;

/** How many messages a queue holds: visible, in flight and delayed. */
export function totalOf({ visible, inFlight, delayed }: QueueDepth): number {
  return visible + inFlight + delayed;
}

/** The most messages a task can move in that time. The first one moves at once. */
function mostMovedIn(messagesPerSecond: number, ms: number): number {
  return Math.floor((messagesPerSecond * ms) / 1_000) + 1;
}

/** How long a task continues if it is cancelled at the check after the next, because one check was lost. */
function unseenMs(tickMs: number): number {
  return TICKS_UNTIL_LOOK * tickMs + CANCEL_MS;
}

/**
 * The most messages a task has moved when it stops, if it is cancelled at the check after the next because one check
 * was lost.
 */
export function mostMovedUnseen(messagesPerSecond: number, elapsedMs: number, tickMs: number): number {
  return mostMovedIn(messagesPerSecond, elapsedMs + unseenMs(tickMs));
}

/**
 * When a finished move ended, which SQS does not report. It did not end before its rate allows, nor before it was last
 * seen active.
 */
export function endedAtMs({ startedAtMs, moved, messagesPerSecond = 1, activeAtMs = 0 }: MoveFacts): number {
  return Math.max(startedAtMs + Math.ceil((moved * 1_000) / messagesPerSecond), activeAtMs);
}

/** The budget of a day, and how many messages it has left. */
export interface Budget {
  readonly messagesPerDay: number;
  readonly tickMs: number;
  readonly nowMs: number;
  /** Every move of the day, including those that are not part of a run. */
  readonly moves: readonly MoveFacts[];
}

/**
 * How many messages of the day's budget are left, without the newest move while it is running. A move counts in full as
 * long as its last message may be within the day.
 */
export function messagesLeft({ messagesPerDay, nowMs, moves }: Budget): number {
  const since = nowMs - DAY_MS;
  const isUnderWay = (move: MoveFacts) => move === moves[0] && move.status === 'RUNNING';
  const spent = moves.filter(move => !isUnderWay(move) && endedAtMs(move) > since);
  return Math.max(0, messagesPerDay - spent.reduce((sum, { moved }) => sum + moved, 0));
}

interface BudgetedTask {
  readonly messagesPerSecond: number;
  /** 0 if it has not begun. */
  readonly elapsedMs: number;
  readonly moved: number;
  /** How many were visible when it began. @default - unknown */
  readonly toMove?: number;
  /** How many messages the dead-letter queue holds, as SQS reports. */
  readonly messages: number;
}

/** How many messages a task can move while a count is late. */
function movedWhileLate(messagesPerSecond: number): number {
  return Math.ceil((messagesPerSecond * QUEUE_COUNTS_LATE_MS) / 1_000);
}

/**
 * The most messages a task has moved, `moreMs` from now: the lower of two limits, by its rate and by its count of moved
 * messages.
 */
function mostMoved({ messagesPerSecond, elapsedMs, moved }: BudgetedTask, moreMs: number): number {
  const byCount = moved + mostMovedIn(messagesPerSecond, QUEUE_COUNTS_LATE_MS + moreMs);
  return Math.min(mostMovedIn(messagesPerSecond, elapsedMs + moreMs), byCount);
}

/**
 * How many messages a task moves in all: those it has moved plus those that are there, or those that were there when it
 * began. Because counts are late, some messages may be counted twice. Only a difference that lateness cannot explain
 * counts as new messages.
 */
function movesInAll(task: BudgetedTask): number {
  const { messagesPerSecond, elapsedMs, messages } = task;
  if (elapsedMs <= 0) return messages;
  const seen = mostMoved(task, 0) + messages;
  const { toMove = seen } = task;
  return Math.min(seen, Math.max(toMove, seen - movedWhileLate(messagesPerSecond)));
}

/**
 * Whether a task can run until the next check without exceeding the budget: either its rate is low enough, or all moved
 * and remaining messages fit.
 *
 * The first case is certain unless two ticks in a row are lost. In the second case, messages that arrive in the
 * dead-letter queue before the next check may exceed the budget, and, if `hasRoomForLateCounts` was false, messages
 * that late counts hide.
 */
export function isWithinBudget(budget: Budget, task: BudgetedTask): boolean {
  const left = messagesLeft(budget);
  return mostMoved(task, unseenMs(budget.tickMs)) <= left || movesInAll(task) <= left;
}

/**
 * Whether late counts cannot make a new task exceed the budget: either its messages do not fit anyway, so the rate
 * limits it, or they fit with room for all messages that late counts may hide.
 */
export function hasRoomForLateCounts(budget: Budget, messagesPerSecond: number, messages: number): boolean {
  const left = messagesLeft(budget);
  return messages > left || messages + movedWhileLate(messagesPerSecond) <= left;
}
