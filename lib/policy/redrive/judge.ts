import { firstShut } from './gates';
import { firedSince } from './health';
import { type PlannedStep, restOf, startOf, stepAfter } from './planned-step';
import type { RedriveCause, RedriveDecision, RedriveState, RunEnding } from './redrive-decision';
import { hasComeBack, returnedOf } from './returned';
import { canBeCopied, goesOnUntilMs, isDone, movedIn, newestMove, newestStep, type Run, settledAtMs } from './runs';
import type { View } from './view';

/** What is to be said of a run of which no move is under way. */
export type Judgement =
  | { readonly kind: 'goes-on'; readonly decision: RedriveDecision; readonly state: RedriveState }
  | { readonly kind: 'over'; readonly ending: RunEnding };

function over(overAtMs: number, reason: string, cause?: RedriveCause): Judgement {
  return { kind: 'over', ending: { reason, overAtMs, ...(cause && { cause }) } };
}

function waits(reason: string): Judgement {
  return { kind: 'goes-on', decision: { kind: 'wait', reason }, state: 'settling' };
}

/** Begins the step where nothing is against it, and waits for what is not well yet; after `untilMs` it never begins. */
function goOn(view: View, planned: PlannedStep, why: string, untilMs: number): Judgement {
  const shut = firstShut('go-on', view, planned);
  if (view.facts.nowMs > untilMs) {
    if (shut?.cause === 'no-letters') return over(untilMs, 'there is no letter left');
    return over(untilMs, shut?.reason ?? 'nobody went on with the run in time', shut?.cause ?? 'abandoned');
  }
  const decision = shut ? undefined : startOf(view, planned, why);
  if (decision) return { kind: 'goes-on', decision, state: 'moving' };
  return waits(`the run waits: ${shut?.reason}`);
}

/** A step that broke off: what it has not moved is moved by another move of the same rate, or its run is over. */
function afterBreakingOff(view: View, run: Run): Judgement | undefined {
  const { settings } = view;
  const step = newestStep(run);
  const newest = newestMove(step);
  if (canBeCopied(newest, settings)) {
    return goOn(
      view,
      restOf(run, 'copy'),
      `no task can move them: ${newest.failureReason}`,
      settledAtMs(step, settings),
    );
  }
  if (newest.status === 'FAILED') {
    return over(
      settledAtMs(step, settings),
      `the move failed: ${newest.failureReason ?? 'nobody says why'}`,
      'task-failed',
    );
  }
  if (isDone(step)) return undefined;
  if (newest.status === 'PAUSED') {
    const why = 'the function ran out of time, and goes on';
    return goOn(view, restOf(run, newest.carrier), why, goesOnUntilMs(step, settings));
  }
  if (newest.status !== 'CANCELLED') return undefined;
  return over(settledAtMs(step, settings), `the move was cancelled after ${movedIn(step)} messages`, 'cancelled');
}

/** Whether an alarm ends the run: where all is moved, only one that came before the outcome was known. */
function afterAlarm(view: View, run: Run): Judgement | undefined {
  const { settings, facts } = view;
  const step = newestStep(run);
  const settled = settledAtMs(step, settings);
  const isAllMoved = newestMove(step).status === 'COMPLETED' && !isDone(step);
  const untilMs = isAllMoved ? settled : goesOnUntilMs(step, settings);
  const fired = firedSince(view, run.steps[0].moves[0].startedAtMs, untilMs);
  if (!fired) return undefined;
  const { state, sinceMs = facts.nowMs } = fired.alarm;
  return over(state === 'ALARM' ? Math.max(settled, sinceMs) : settled, fired.reason, 'alarm-firing');
}

/** What becomes of a run of which no move is under way: it waits, goes on, or is over. */
export function judge(view: View, run: Run): Judgement {
  const { settings, facts } = view;
  const step = newestStep(run);
  const settled = settledAtMs(step, settings);
  const early = afterAlarm(view, run) ?? afterBreakingOff(view, run);
  if (early) return early;
  if (facts.nowMs < settled) return waits('what was moved may still come back');
  if (hasComeBack(view, step)) {
    const reason = `${returnedOf(view, step)} of ${movedIn(step)} messages came back`;
    return over(settled, reason, 'came-back');
  }
  if (!isDone(step)) return over(settled, 'all letters that were there have been moved');
  return goOn(view, stepAfter(view, run), 'the step before went well', goesOnUntilMs(step, settings));
}
