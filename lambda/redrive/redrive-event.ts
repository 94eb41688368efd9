import type { RedriveTrigger } from '../../policy/redrive/redrive-facts';

/** What a redrive function is invoked with. */
export interface RedriveEvent {
  readonly trigger: RedriveTrigger;
  /** The instant the invocation was due, as EventBridge names it in `time`. @default - nobody says */
  readonly dueAtMs?: number;
}

const TRIGGERS: readonly RedriveTrigger[] = ['schedule', 'recovery', 'operator', 'tick'];

/** As EventBridge and its Scheduler write it: in UTC, so that it is the same instant everywhere. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * @param event `{"trigger": "tick", "time": "2026-01-05T09:00:00Z"}`; only a tick needs its `time`
 * @throws Error that names what makes no sense
 */
export function readRedriveEvent(event: unknown): RedriveEvent {
  const { trigger, time } = Object(event) as Readonly<Record<string, unknown>>;
  const known = TRIGGERS.find(it => it === trigger);
  const isInstant = typeof time === 'string' && INSTANT.test(time);
  const wrong = [
    ...(known ? [] : [`trigger must be one of ${TRIGGERS.join(', ')}, and is ${JSON.stringify(trigger)}`]),
    ...(isInstant || time === undefined ? [] : [`time must be an instant in UTC, and is ${JSON.stringify(time)}`]),
  ];
  if (!known || wrong.length > 0) throw new Error(`the event of a redrive: ${wrong.join('; ')}`);
  return { trigger: known, ...(isInstant && { dueAtMs: new Date(time).getTime() }) };
}
