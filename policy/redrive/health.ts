import type { FailedPrecondition } from './gates';
import type { HealthAlarmFacts } from './redrive-facts';
import type { RedriveContext } from './view';

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
