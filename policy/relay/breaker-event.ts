import { isNonEmptyText, isObject, type JsonObject } from '../json-members';

/**
 * The environment variable of the breaker's function that names the functions of its relays, separated by commas. The
 * function does not read it: operators and `dlo` find the breaker of a relay by it.
 */
export const BREAKER_RELAYS_VARIABLE = 'RELAY_BREAKER_FUNCTIONS';

/** The beginning of the names of all alarms that open a breaker. The name of the stack follows. */
export const BREAKER_ALARM_PREFIX = 'DeadLetterOfficeBreaker-';

/** How often EventBridge runs the breaker's function. */
export const BREAKER_SCHEDULE_MS = 300_000;

/**
 * How many relays one target of the rule serves. With the longest names that AWS accepts, the settings of this many
 * take fewer than 8,192 characters.
 * @see https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_InputTransformer.html
 */
export const RELAYS_PER_TARGET = 10;

/**
 * The most targets of a rule.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
 */
const MAX_RULE_TARGETS = 5;

/** The most relays of one breaker's function. */
export const MAX_BREAKER_RELAYS = RELAYS_PER_TARGET * MAX_RULE_TARGETS;

/** The settings of one relay's breaker. The construct writes them into the targets of the rule. */
export interface BreakerSettings {
  /** The id of the event source mapping from the relay's queue to its function. */
  readonly mappingId: string;
  /** The mapping's maximum concurrency while the breaker is closed. */
  readonly configuredConcurrency: number;
  readonly alarmName: string;
  /** The relay's queue. It is in the account and Region of the breaker's function. */
  readonly queueUrl: string;
  readonly functionName: string;
  /** How long it takes until the alarm reflects a change of the mapping. */
  readonly settleMs: number;
  /** How long an open breaker waits before its first probe, and between probes. */
  readonly probeIntervalMs: number;
  /** How often the relay is checked: a multiple of `BREAKER_SCHEDULE_MS`. */
  readonly tickMs: number;
  readonly functionTimeoutMs: number;
  /** The retention period of the relay's queue. */
  readonly retentionMs: number;
}

const TEXTS = ['mappingId', 'alarmName', 'queueUrl', 'functionName'] as const;
const NUMBERS = [
  'configuredConcurrency',
  'settleMs',
  'probeIntervalMs',
  'tickMs',
  'functionTimeoutMs',
  'retentionMs',
] as const;

/** What runs the breaker's function, and for which relays. */
export interface BreakerEvent {
  /** When EventBridge scheduled the tick. Undefined for other events. */
  readonly tickAtMs: number | undefined;
  /** The name of the alarm that fired. Undefined for other events. */
  readonly alarmName: string | undefined;
  /** The time within which the relays are checked, so that the calls are not all made at once. */
  readonly spreadMs: number;
  /** The settings of the relays, as they were received. */
  readonly relays: readonly unknown[];
}

/**
 * Returns when EventBridge scheduled a tick; undefined for any other event. Ticks arrive some seconds late, and not
 * always equally late. By the clock, work that is due at every n-th tick would now and then be due at none. AWS does not
 * promise the accuracy of this time, but at worst it is as late as the clock.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html
 */
function tickAtMsOf({ source, time }: JsonObject): number | undefined {
  const isTick = source === 'aws.events' && typeof time === 'string' && time.endsWith('Z');
  const atMs = isTick ? new Date(time).getTime() : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

const ALARM = ':alarm:';

function alarmNameOf({ source, resources }: JsonObject): string | undefined {
  const arn: unknown = source === 'aws.cloudwatch' && Array.isArray(resources) ? resources[0] : undefined;
  if (typeof arn !== 'string' || !arn.includes(ALARM)) return undefined;
  return arn.slice(arn.indexOf(ALARM) + ALARM.length);
}

/** Reads the event that the rule's target makes from a tick or from the change of an alarm. */
export function readBreakerEvent(event: unknown): BreakerEvent {
  if (!isObject(event) || !Array.isArray(event.relays)) {
    throw new Error('the event must have relays, a list with the settings of each relay');
  }
  const { relays, spreadMs } = event;
  return {
    tickAtMs: tickAtMsOf(event),
    alarmName: alarmNameOf(event),
    spreadMs: typeof spreadMs === 'number' && spreadMs > 0 ? spreadMs : 0,
    relays,
  };
}

export function readBreakerSettings(settings: unknown): BreakerSettings {
  if (!isObject(settings)) throw new Error('the settings of a relay must be an object');
  const isPositive = (value: unknown) => Number.isFinite(value) && Number(value) > 0;
  const wrong = [
    ...TEXTS.filter(name => !isNonEmptyText(settings[name])).map(name => `${name} must be a string that is not empty`),
    ...NUMBERS.filter(name => !isPositive(settings[name])).map(name => `${name} must be a number greater than 0`),
  ];
  if (wrong.length > 0) throw new Error(`the settings of a relay: ${wrong.join('; ')}`);
  return settings as unknown as BreakerSettings;
}

/**
 * Whether this event is for a relay. An alarm concerns its own relay. A relay whose checks may take longer than the
 * schedule's interval is skipped at the ticks in between, and the time of the tick alone decides which these are. An
 * event of any other origin is for all relays.
 */
export function concernsRelay(
  { tickAtMs, alarmName }: BreakerEvent,
  relay: Pick<BreakerSettings, 'alarmName' | 'tickMs'>,
): boolean {
  if (alarmName !== undefined) return alarmName === relay.alarmName;
  if (tickAtMs === undefined) return true;
  const every = Math.max(1, Math.round(relay.tickMs / BREAKER_SCHEDULE_MS));
  return Math.floor(tickAtMs / BREAKER_SCHEDULE_MS) % every === 0;
}
