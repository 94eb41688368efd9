import type { Budget } from './budget';
import type { RunEnding } from './redrive-decision';
import type { HealthAlarmFacts, RedriveFacts } from './redrive-facts';
import type { RedriveSettings } from './redrive-settings';
import { type History, historyOf } from './runs';

/** Who asks for a run. */
export type Starter = 'schedule' | 'operator' | 'recovery';

/** The facts as the rules look at them. */
export interface RedriveContext {
  readonly settings: RedriveSettings;
  readonly facts: RedriveFacts;
  readonly history: History;
  /** Every alarm the settings name. */
  readonly alarms: readonly HealthAlarmFacts[];
  readonly budget: Budget;
  /** How the last run ended. @default - there is none, or it goes on */
  readonly ending?: RunEnding;
}

function alarmsOf({ recoveryAlarms, healthAlarms }: RedriveSettings, { alarms }: RedriveFacts): HealthAlarmFacts[] {
  const names = [...new Set([...recoveryAlarms, ...healthAlarms])];
  return names.map(name => alarms.find(alarm => alarm.name === name) ?? { name, state: 'missing' });
}

export function redriveContextOf(settings: RedriveSettings, facts: RedriveFacts): RedriveContext {
  const { nowMs, moves } = facts;
  const { messagesPerDay, tickMs } = settings;
  return {
    settings,
    facts,
    history: historyOf(moves, settings),
    alarms: alarmsOf(settings, facts),
    budget: { messagesPerDay, tickMs, nowMs, moves },
  };
}
