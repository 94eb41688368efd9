import type { HealthAlarmFacts } from './redrive-facts';
import type { View } from './view';

/** An alarm that fired while a run went on. */
export interface Fired {
  readonly alarm: HealthAlarmFacts;
  readonly reason: string;
}

/**
 * The first alarm that is in ALARM, or has been since the run began: one that is OK again is no better, for it flaps.
 * @param untilMs what came later concerns the run no more
 */
export function firedSince({ alarms, facts }: View, runStartedAtMs: number, untilMs: number): Fired | undefined {
  for (const alarm of alarms) {
    const { name, state, sinceMs = facts.nowMs, recovered } = alarm;
    if (sinceMs > untilMs) continue;
    if (state === 'ALARM') return { alarm, reason: `the alarm ${name} is in ALARM` };
    const hasFlapped = state === 'OK' && sinceMs > runStartedAtMs && recovered !== false;
    if (hasFlapped && alarm.sinceMs !== undefined)
      return { alarm, reason: `the alarm ${name} has fired since the run began` };
  }
  return undefined;
}
