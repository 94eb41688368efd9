import { type PlannedStep, restOf, startOf, stepAfter } from './planned-step';
import { type FailedPrecondition, firstFailedPrecondition } from './preconditions';
import type { RedriveCause, RedriveDecision, RedriveState, RunEnding } from './redrive-decision';
import type { HealthAlarmFacts } from './redrive-facts';
import {
  canBeCopied,
  isActive,
  isDone,
  isPaused,
  movedIn,
  newestMove,
  newestStep,
  outcomeAtMs,
  type RedriveContext,
  type Run,
  type RunStep,
  settledAtMs,
} from './redrive-runs';
import { failedAgainText, hasComeBack, isNotConsumed, mayWait, returnedOf } from './returned-messages';

// The rules that stop a redrive. While messages move: `stopWhileMoving`, which `watchRunningMove` applies to a task of SQS
// and `stopOfPass` to a function's own move pass. Between steps: `judgeRun`. All also check the preconditions of
// `preconditions.ts`, whose table says which of them hold a run up or stop it, and when.

/**
 * Why a run must stop while its messages are moving; undefined if it may continue. A precondition fails, or a health
 * alarm has fired since the run began.
 */
function stopWhileMoving(context: RedriveContext, runStartedAtMs: number): FailedPrecondition | undefined {
  return firstFailedPrecondition('while-moving', context) ?? firedSince(context, runStartedAtMs, context.facts.nowMs);
}

/**
 * Why a function must stop moving messages itself; undefined if it may continue. It stops for whatever an SQS move task
 * would be cancelled for, and for a task that another process has started: both would move the same messages.
 */
export function stopOfPass(context: RedriveContext, runStartedAtMs: number): FailedPrecondition | undefined {
  const hasOtherTask = context.facts.moves.some(move => move.carrier === 'task' && isActive(move));
  if (hasOtherTask) return { cause: 'foreign-task', reason: 'another process moves messages of the queue' };
  return stopWhileMoving(context, runStartedAtMs);
}

/** Decides what to do about an active move of a run. A function that moves messages watches its move itself. */
export function watchRunningMove(context: RedriveContext, run: Run): RedriveDecision {
  const step = newestStep(run);
  const { carrier, status, handle, moved } = newestMove(step);
  if (carrier !== 'task') return wait('the function moves messages');
  if (status === 'CANCELLING' || handle === undefined) return wait('the task is about to end');
  const failed = stopWhileMoving(context, run.steps[0].moves[0].startedAtMs);
  if (failed) return { kind: 'cancel', handle, ...failed };
  if (hasMovedEnough(context, step)) {
    return { kind: 'cancel', handle, cause: 'step-done', reason: `the step has moved ${movedIn(step)} messages` };
  }
  return wait(`the task has moved ${moved} messages`);
}

function wait(reason: string): RedriveDecision {
  return { kind: 'wait', reason };
}

/** By both its rate and SQS's count. A late count delays the end, and a slow task gets more time. */
function hasMovedEnough({ facts }: RedriveContext, step: RunStep): boolean {
  const { startedAtMs, messagesPerSecond = 1 } = newestMove(step);
  if (step.messages === undefined || movedIn(step) < step.messages) return false;
  return ((facts.nowMs - startedAtMs) * messagesPerSecond) / 1_000 >= step.messages;
}

/** What happens to a run when none of its moves is active. */
type Judgement =
  | { readonly kind: 'continues'; readonly decision: RedriveDecision; readonly state: RedriveState }
  | { readonly kind: 'over'; readonly ending: RunEnding };

/** Decides what happens to a run when none of its moves is active: it waits, continues, or is over. */
export function judgeRun(context: RedriveContext, run: Run): Judgement {
  const overAtMs = outcomeAtMs(newestStep(run), context.settings);
  const over: Over = (reason, cause) => ({ kind: 'over', ending: { reason, overAtMs, ...(cause && { cause }) } });
  const fired = firedSince(context, run.steps[0].moves[0].startedAtMs, overAtMs);
  if (fired) return over(fired.reason, fired.cause);
  return afterBreakingOff(context, run, over) ?? afterItsEnd(context, run, over);
}

/** Ends the run. The time of the end does not depend on the cause, so it is reported once. */
type Over = (reason: string, cause?: RedriveCause) => Extract<Judgement, { kind: 'over' }>;

/** When the step was interrupted: another move of the same rate moves the rest, or the run is over. */
function afterBreakingOff(context: RedriveContext, run: Run, over: Over): Judgement | undefined {
  const step = newestStep(run);
  if (isDone(step)) return undefined;
  const { status, carrier, failureReason = 'SQS gives no reason' } = newestMove(step);
  if (canBeCopied(newestMove(step))) {
    return goOn(context, run, restOf(run, 'copy'), `no task can move them: ${failureReason}`, over);
  }
  if (status === 'FAILED') return over(`the move failed: ${failureReason}`, 'task-failed');
  const missed = missedMessages(context, step);
  if (missed > 0) return afterMissing(context, run, over, missed);
  if (isPaused(step))
    return goOn(context, run, restOf(run, carrier), 'the function ran out of time, and continues', over);
  return undefined;
}

/**
 * How often a step starts a task again that has missed all messages. SQS lists ten tasks, and a budget needs all of a day.
 */
const MISSED_TASKS = 2;

/**
 * How many messages are visible although a task has completed without moving any; 0 if it has not missed them.
 * **Assumption TASK-14:** Live tests have seen that a task that starts just after messages arrived misses
 * them, and reports COMPLETED with 0. A task on a real account, started directly after sends, would settle it.
 */
function missedMessages({ facts }: RedriveContext, step: RunStep): number {
  const { carrier, status, moved } = newestMove(step);
  const isEmpty = carrier === 'task' && status === 'COMPLETED' && moved === 0;
  return isEmpty ? (facts.deadLetters?.visible ?? 0) : 0;
}

/** Starts the same step again, at most twice. */
function afterMissing(context: RedriveContext, run: Run, over: Over, missed: number): Judgement | undefined {
  const step = newestStep(run);
  const missing = step.moves.filter(({ status, moved }) => status === 'COMPLETED' && moved === 0).length;
  const hasSettled = context.facts.nowMs >= settledAtMs(step, context.settings);
  if (missing <= MISSED_TASKS && !hasSettled) {
    return goOn(context, run, restOf(run, 'task'), `the task has completed, and missed ${missed} messages`, over);
  }
  // The messages that are visible now may have arrived only after this step. The next run moves them.
  if (missing <= MISSED_TASKS) return undefined;
  return over(`${missing} tasks have completed, and ${missed} messages are still there`, 'task-failed');
}

/** When the step has ended: wait for messages to come back, then start the next step, or end the run. */
function afterItsEnd(context: RedriveContext, run: Run, over: Over): Judgement {
  const { settings, facts } = context;
  const step = newestStep(run);
  const moved = movedIn(step);
  const isCutShort = newestMove(step).status === 'CANCELLED' && !isDone(step);
  const hasSettled = facts.nowMs >= settledAtMs(step, settings);
  const failedAgain = failedAgainText(context, step);
  if (failedAgain) return over(failedAgain, 'returned');
  if (hasSettled && hasComeBack(context, step)) {
    return over(`${returnedOf(context, step)} of ${moved} messages came back`, 'returned');
  }
  if (isCutShort) {
    // If the reason for the cancellation still holds, it is the cause. Otherwise an operator probably cancelled the
    // task.
    const failed = firstFailedPrecondition('while-moving', context);
    const cancelled = `the move was cancelled after ${moved} messages`;
    return over(failed ? `${cancelled}: ${failed.reason}` : cancelled, failed?.cause ?? 'cancelled');
  }
  if (!hasSettled) return waits('messages may still come back');
  if (!isDone(step)) return finished(context, run, over, 'all dead letters have been moved');
  const [{ moves }] = run.steps;
  const noData = withoutDataSince(context, moves[0].startedAtMs, outcomeAtMs(step, settings));
  if (noData) return over(noData.reason, noData.cause);
  return goOn(context, run, stepAfter(context, run), 'the previous step went well', over);
}

/**
 * Starts the next step if all preconditions hold. Otherwise it waits for them, until the result of the run is final.
 */
function goOn(context: RedriveContext, run: Run, planned: PlannedStep, why: string, over: Over): Judgement {
  const failed = firstFailedPrecondition('next-step', context, planned);
  if (context.facts.nowMs >= outcomeAtMs(newestStep(run), context.settings)) {
    if (failed?.cause === 'no-dead-letters') return finished(context, run, over, 'the dead-letter queue is empty');
    return over(failed?.reason ?? 'the run was not continued in time', failed?.cause ?? 'abandoned');
  }
  const decision = failed ? undefined : startOf(context, planned, why);
  if (decision) return { kind: 'continues', decision, state: 'moving' };
  return waits(`the run waits: ${failed?.reason}`);
}

/**
 * Ends a run that has nothing left to move. It only ended well if the destination's consumer has taken messages by
 * then.
 */
function finished(context: RedriveContext, run: Run, over: Over, why: string): Judgement {
  const step = newestStep(run);
  if (isNotConsumed(context, step)) {
    return over(`${why}, and nothing has been deleted from the destination since the step began`, 'not-consumed');
  }
  const waiting = mayWait(context, step);
  const { kind, ending } = over(why);
  return { kind, ending: { ...ending, ...(waiting > 0 && { waiting }) } };
}

function waits(reason: string): Judgement {
  return { kind: 'continues', decision: { kind: 'wait', reason }, state: 'settling' };
}

/**
 * Why an alarm ends the run, if one does: it is in ALARM, or has been since the run began. An alarm that is OK again
 * does not help, because it flaps. An alarm that had no data in between is not known to have fired.
 * @param untilMs later changes do not concern the run
 */
function firedSince(context: RedriveContext, runStartedAtMs: number, untilMs: number): FailedPrecondition | undefined {
  const { nowMs } = context.facts;
  const firing = context.alarms.find(({ state, sinceMs = nowMs }) => state === 'ALARM' && sinceMs <= untilMs);
  if (firing) return { cause: 'alarm-firing', reason: `the alarm ${firing.name} is in ALARM` };
  const changed = changedSince(context, runStartedAtMs, untilMs);
  const flapped = changed.find(({ state, recovered }) => state === 'OK' && recovered !== false);
  return flapped && { cause: 'alarm-firing', reason: `the alarm ${flapped.name} has fired since the run began` };
}

/** Why the run does not continue because of an alarm that has not fired: for a while there was no data. */
function withoutDataSince(
  context: RedriveContext,
  runStartedAtMs: number,
  untilMs: number,
): FailedPrecondition | undefined {
  const [changed] = changedSince(context, runStartedAtMs, untilMs);
  return (
    changed && { cause: 'alarm-without-data', reason: `the alarm ${changed.name} has had no data since the run began` }
  );
}

/** Alarms whose current state began after the run did, and while the run could still continue. */
function changedSince(
  { alarms }: RedriveContext,
  runStartedAtMs: number,
  untilMs: number,
): readonly HealthAlarmFacts[] {
  return alarms.filter(({ sinceMs }) => sinceMs !== undefined && sinceMs > runStartedAtMs && sinceMs <= untilMs);
}
