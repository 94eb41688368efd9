import { DAY_MS } from './budget';
import type { HealthAlarmFacts } from './redrive-facts';
import type { RedriveContext, Starter } from './view';

/** For how long a recovery can start a run. Our choice: as long as it is known of every move that began since. */
const RECOVERY_COUNTS_MS = DAY_MS;

/** The alarms that have recovered lately, and since when they are OK. */
export function recoveriesOf({
  settings,
  facts,
  alarms,
}: RedriveContext): readonly (HealthAlarmFacts & { sinceMs: number })[] {
  return alarms.flatMap(alarm => {
    const { name, state, sinceMs, recovered } = alarm;
    const isRecovery = settings.recoveryAlarms.includes(name) && state === 'OK' && recovered === true;
    if (!isRecovery || sinceMs === undefined || facts.nowMs - sinceMs >= RECOVERY_COUNTS_MS) return [];
    return [{ ...alarm, sinceMs }];
  });
}

/**
 * Who asks for a run. A recovery does so until a move begins after it, or for a day: at the event itself the alarm has been
 * OK for no time at all, so as a rule it is a tick that begins the run.
 */
export function starterOf(view: RedriveContext): Starter | undefined {
  const { trigger, moves } = view.facts;
  if (trigger === 'schedule' || trigger === 'operator') return trigger;
  const isDue = recoveriesOf(view).some(({ sinceMs }) => moves.every(({ startedAtMs }) => startedAtMs < sinceMs));
  return isDue ? 'recovery' : undefined;
}
