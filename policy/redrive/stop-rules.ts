import { type PlannedStep, restOf, startOf, stepAfter } from './planned-step';
import { type FailedPrecondition, firstFailedPrecondition } from './preconditions';
import type { RedriveCause, RedriveDecision, RedriveState, RunEnding } from './redrive-decision';
import type { HealthAlarmFacts } from './redrive-facts';
import {
  canBeCopied,
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
import { hasComeBack, isUntaken, mayWait, returnedOf } from './returned-messages';

function wait(reason: string): RedriveDecision {
  return { kind: 'wait', reason };
}

/** Both by its rate and by what SQS tells: a count that comes late delays the end, and a task that is slow has more time. */
function hasMovedEnough({ facts }: RedriveContext, step: RunStep): boolean {
  const { startedAtMs, messagesPerSecond = 1 } = newestMove(step);
  if (step.messages === undefined || movedIn(step) < step.messages) return false;
  return ((facts.nowMs - startedAtMs) * messagesPerSecond) / 1_000 >= step.messages;
}

/** What is done about a move of ours that is not over. Who moves messages one by one watches for himself. */
export function watchRunningMove(view: RedriveContext, run: Run): RedriveDecision {
  const step = newestStep(run);
  const { carrier, status, handle, moved } = newestMove(step);
  if (carrier !== 'task') return wait('the function moves messages');
  if (status === 'CANCELLING' || handle === undefined) return wait('the task is about to end');
  const shut =
    firstFailedPrecondition('watch', view) ?? firedSince(view, run.steps[0].moves[0].startedAtMs, view.facts.nowMs);
  if (shut) return { kind: 'cancel', handle, ...shut };
  if (hasMovedEnough(view, step)) {
    return { kind: 'cancel', handle, cause: 'step-done', reason: `the step has moved ${movedIn(step)} messages` };
  }
  return wait(`the task has moved ${moved} messages`);
}

/** What is to be said of a run of which no move is under way. */
export type Judgement =
  | { readonly kind: 'goes-on'; readonly decision: RedriveDecision; readonly state: RedriveState }
  | { readonly kind: 'over'; readonly ending: RunEnding };

/** Says how the run ended: at the same instant whatever the cause, so that it is told of once. */
type Over = (reason: string, cause?: RedriveCause) => Extract<Judgement, { kind: 'over' }>;

function waits(reason: string): Judgement {
  return { kind: 'goes-on', decision: { kind: 'wait', reason }, state: 'settling' };
}

/** Whether a run from which nothing is left to move went well: by then somebody must take what it moved. */
function finished(view: RedriveContext, run: Run, over: Over, why: string): Judgement {
  const step = newestStep(run);
  if (isUntaken(view, step)) {
    return over(`${why}, and nothing has been deleted from the destination since the step began`, 'unproven');
  }
  const waiting = mayWait(view, step);
  const { kind, ending } = over(why);
  return { kind, ending: { ...ending, ...(waiting > 0 && { waiting }) } };
}

/** Begins the step where nothing is against it, and waits for what is not well yet, until the outcome is known for good. */
function goOn(view: RedriveContext, run: Run, planned: PlannedStep, why: string, over: Over): Judgement {
  const shut = firstFailedPrecondition('go-on', view, planned);
  if (view.facts.nowMs >= outcomeAtMs(newestStep(run), view.settings)) {
    if (shut?.cause === 'no-letters') return finished(view, run, over, 'there is no letter left');
    return over(shut?.reason ?? 'nobody went on with the run in time', shut?.cause ?? 'abandoned');
  }
  const decision = shut ? undefined : startOf(view, planned, why);
  if (decision) return { kind: 'goes-on', decision, state: 'moving' };
  return waits(`the run waits: ${shut?.reason}`);
}

/** Where the step broke off: what it has not moved is moved by another move of the same rate, or its run is over. */
function afterBreakingOff(view: RedriveContext, run: Run, over: Over): Judgement | undefined {
  const step = newestStep(run);
  if (isDone(step)) return undefined;
  const { status, carrier, failureReason = 'nobody says why' } = newestMove(step);
  if (canBeCopied(newestMove(step))) {
    return goOn(view, run, restOf(run, 'copy'), `no task can move them: ${failureReason}`, over);
  }
  if (status === 'FAILED') return over(`the move failed: ${failureReason}`, 'task-failed');
  if (isPaused(step)) return goOn(view, run, restOf(run, carrier), 'the function ran out of time, and goes on', over);
  return undefined;
}

/** Where the step came to its end: what comes back is waited for, and then it went well, and the next begins, or it did not. */
function afterItsEnd(view: RedriveContext, run: Run, over: Over): Judgement {
  const { settings, facts } = view;
  const step = newestStep(run);
  const moved = movedIn(step);
  const isCutShort = newestMove(step).status === 'CANCELLED' && !isDone(step);
  const hasSettled = facts.nowMs >= settledAtMs(step, settings);
  if (hasSettled && hasComeBack(view, step)) {
    return over(`${returnedOf(view, step)} of ${moved} messages came back`, 'came-back');
  }
  if (isCutShort) {
    // What it was cancelled for may show still; where it does not, it was somebody's hand as like as not.
    const shut = firstFailedPrecondition('watch', view);
    const cancelled = `the move was cancelled after ${moved} messages`;
    return over(shut ? `${cancelled}: ${shut.reason}` : cancelled, shut?.cause ?? 'cancelled');
  }
  if (!hasSettled) return waits('what was moved may still come back');
  if (!isDone(step)) return finished(view, run, over, 'all letters that were there have been moved');
  const [{ moves }] = run.steps;
  const noData = withoutDataSince(view, moves[0].startedAtMs, outcomeAtMs(step, settings));
  if (noData) return over(noData.reason, noData.cause);
  return goOn(view, run, stepAfter(view, run), 'the step before went well', over);
}

/** What becomes of a run of which no move is under way: it waits, goes on, or is over. */
export function judgeRun(view: RedriveContext, run: Run): Judgement {
  const overAtMs = outcomeAtMs(newestStep(run), view.settings);
  const over: Over = (reason, cause) => ({ kind: 'over', ending: { reason, overAtMs, ...(cause && { cause }) } });
  const fired = firedSince(view, run.steps[0].moves[0].startedAtMs, overAtMs);
  if (fired) return over(fired.reason, fired.cause);
  return afterBreakingOff(view, run, over) ?? afterItsEnd(view, run, over);
}

/** Alarms in a state they came into after the run began, and while it could still go on. */
function changedSince(
  { alarms }: RedriveContext,
  runStartedAtMs: number,
  untilMs: number,
): readonly HealthAlarmFacts[] {
  return alarms.filter(({ sinceMs }) => sinceMs !== undefined && sinceMs > runStartedAtMs && sinceMs <= untilMs);
}

/**
 * Why an alarm ends the run, if one does: it is in ALARM, or has been since the run began. One that is OK again is no better,
 * for it flaps. Of one that had no data in between nobody is told that it fired.
 * @param untilMs what came later concerns the run no more
 */
export function firedSince(
  view: RedriveContext,
  runStartedAtMs: number,
  untilMs: number,
): FailedPrecondition | undefined {
  const { nowMs } = view.facts;
  const firing = view.alarms.find(({ state, sinceMs = nowMs }) => state === 'ALARM' && sinceMs <= untilMs);
  if (firing) return { cause: 'alarm-firing', reason: `the alarm ${firing.name} is in ALARM` };
  const changed = changedSince(view, runStartedAtMs, untilMs);
  const flapped = changed.find(({ state, recovered }) => state === 'OK' && recovered !== false);
  return flapped && { cause: 'alarm-firing', reason: `the alarm ${flapped.name} has fired since the run began` };
}

/** Why an alarm keeps the run from going on that has not fired: for a while nobody knew how things were. */
export function withoutDataSince(
  view: RedriveContext,
  runStartedAtMs: number,
  untilMs: number,
): FailedPrecondition | undefined {
  const [changed] = changedSince(view, runStartedAtMs, untilMs);
  return (
    changed && { cause: 'alarm-without-data', reason: `the alarm ${changed.name} has had no data since the run began` }
  );
}
