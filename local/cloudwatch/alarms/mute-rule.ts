import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { LAST_INSTANT_MS, utcInstantMs } from '../../kernel/clock';
import {
  nextOccurrence,
  parseSchedule,
  type ScheduleExpression,
  TimeZone,
} from '../../schedule-expression/schedule-expression';

export interface MuteSchedule {
  readonly expression: string;
  readonly duration: string;
  readonly timezone?: string | undefined;
}

export interface MuteRuleConfiguration {
  readonly name: string;
  readonly arn: string;
  readonly description?: string | undefined;
  readonly schedule: MuteSchedule;
  readonly alarmNames: readonly string[];
  /** Milliseconds since the Unix epoch, as the next two. @default - since its creation */
  readonly startMs?: number | undefined;
  /** @default - it does not expire */
  readonly expireMs?: number | undefined;
  readonly updatedAtMs: number;
}

export type MuteScheduleReading =
  | {
      readonly kind: 'schedule';
      readonly occurrences: ScheduleExpression;
      readonly durationMs: number;
      readonly zone: TimeZone;
    }
  /** The member of the request, and the rule it breaks. */
  | { readonly kind: 'problem'; readonly member: 'expression' | 'duration' | 'timezone'; readonly rule: string };

const LONGEST_DURATION_MS = 15 * DAY_MS;

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const CRON_FIELDS = 5;

/**
 * Rewrites a cron expression of five fields for the reader of EventBridge's expressions, in which exactly one of the two
 * day fields is `?`. **Assumption CW-20:** Weekdays as numbers begin with 0 for Sunday, as in standard cron. AWS says
 * "standard cron syntax", and shows names only.
 */
function asSchedulerCron(text: string): string | undefined {
  const [, body = ''] = /^cron\(([\w*, -]+)\)$/.exec(text) ?? [];
  const fields = body.split(' ');
  const [minutes, hours, day = '', month, weekday = ''] = fields;
  if (fields.length !== CRON_FIELDS || (day !== '*' && weekday !== '*')) return undefined;
  if (weekday === '*') return `cron(${minutes} ${hours} ${day} ${month} ?)`;
  const named = weekday.replace(/\d+/g, digits => WEEKDAYS[Number(digits)] ?? 'none');
  return `cron(${minutes} ${hours} ? ${month} ${named})`;
}

function occurrencesOf(text: string): ScheduleExpression | undefined {
  if (/^at\(\d{4}-\d\d-\d\dT\d\d:\d\d\)$/.test(text)) return parseSchedule(text);
  const cron = asSchedulerCron(text);
  return cron === undefined ? undefined : parseSchedule(cron);
}

/** Reads a duration such as `PT4H` or `P2DT12H`; undefined if it is none. */
function durationMsOf(text: string): number | undefined {
  const [whole, days = '0', hours = '0', minutes = '0'] =
    /^P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return Number(days) * DAY_MS + Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Schedule.html */
export function readMuteSchedule({ expression, duration, timezone = 'UTC' }: MuteSchedule): MuteScheduleReading {
  const occurrences = occurrencesOf(expression);
  if (!occurrences) {
    const rule =
      'must be cron(Minutes Hours Day-of-month Month Day-of-week), with a * for one of the days, or at(yyyy-MM-ddThh:mm)';
    return { kind: 'problem', member: 'expression', rule };
  }
  const durationMs = durationMsOf(duration);
  if (durationMs === undefined || durationMs < MINUTE_MS || durationMs > LONGEST_DURATION_MS) {
    return { kind: 'problem', member: 'duration', rule: 'must be an ISO 8601 duration from PT1M to P15D' };
  }
  const zone = TimeZone.named(timezone);
  if (!zone) return { kind: 'problem', member: 'timezone', rule: 'must be the name of a time zone' };
  return { kind: 'schedule', occurrences, durationMs, zone };
}

type Reading = Extract<MuteScheduleReading, { kind: 'schedule' }>;

export class MuteRule {
  constructor(
    readonly configuration: MuteRuleConfiguration,
    private readonly reading: Reading,
  ) {}

  get isOneTime(): boolean {
    return this.reading.occurrences.kind === 'at';
  }

  /** The instant of a local time of the rule's time zone, such as `2026-01-02T03:04`; undefined if it is none. */
  static instantIn(text: string, timezone = 'UTC'): number | undefined {
    const wallMs = utcInstantMs(/T\d\d:\d\d$/.test(text) ? `${text}:00` : text);
    return wallMs === undefined ? undefined : TimeZone.named(timezone)?.instantOrLater(wallMs);
  }

  /** When the current window ends; undefined outside of windows. A later window may overlap with it. */
  endOfWindow(nowMs: number): number | undefined {
    const { expireMs = LAST_INSTANT_MS } = this.configuration;
    const { durationMs } = this.reading;
    const begunMs = this.firstAfter(nowMs - durationMs);
    if (begunMs === undefined || begunMs > nowMs || nowMs >= expireMs) return undefined;
    return Math.min(begunMs + durationMs, expireMs);
  }

  status(nowMs: number): 'SCHEDULED' | 'ACTIVE' | 'EXPIRED' {
    if (this.endOfWindow(nowMs) !== undefined) return 'ACTIVE';
    const { expireMs = LAST_INSTANT_MS } = this.configuration;
    const nextMs = this.firstAfter(nowMs);
    return nextMs === undefined || nextMs >= expireMs || nowMs >= expireMs ? 'EXPIRED' : 'SCHEDULED';
  }

  private firstAfter(afterMs: number): number | undefined {
    const { startMs = 0 } = this.configuration;
    const { occurrences, zone } = this.reading;
    const found = nextOccurrence(occurrences, { startMs, zone }, Math.max(afterMs, startMs - 1));
    return found;
  }
}
