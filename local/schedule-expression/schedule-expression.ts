import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { utcInstantMs } from '../kernel/clock';
import { CronExpression } from './cron';

const UNITS_MS: Readonly<Record<string, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};

export type ScheduleExpression =
  | { readonly kind: 'rate'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly cron: CronExpression }
  /** Local time, as the milliseconds since the epoch at which UTC shows the same time. */
  | { readonly kind: 'at'; readonly wallMs: number };

/** What determines the instants of a schedule, besides its expression. */
interface Occurrences {
  /** When a rate begins to count. Nothing occurs before it. Milliseconds since the Unix epoch. */
  readonly startMs: number;
  readonly zone: TimeZone;
}

function rate(text: string, isStrict: boolean): ScheduleExpression | undefined {
  const [, digits = '', unit = '', plural = ''] = /^(\d{1,9}) (minute|hour|day)(s?)$/.exec(text) ?? [];
  const value = Number(digits);
  const unitMs = UNITS_MS[unit];
  if (value < 1 || unitMs === undefined) return undefined;
  if (isStrict && (value === 1) !== (plural === '')) return undefined;
  return { kind: 'rate', everyMs: value * unitMs };
}

function cron(text: string, optionalYear: boolean): ScheduleExpression | undefined {
  const expression = CronExpression.parse(text, optionalYear);
  return expression && { kind: 'cron', cron: expression };
}

function at(text: string): ScheduleExpression | undefined {
  const [, date, time, seconds = ':00'] = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):\d\d)(:\d\d)?$/.exec(text) ?? [];
  const wallMs = utcInstantMs(`${date}T${time}${seconds}`);
  return wallMs === undefined ? undefined : { kind: 'at', wallMs };
}

/** Splits an expression into the keyword and the text in parentheses. */
function parts(text: string): readonly [keyword: string, body: string] {
  const [, keyword = '', body = ''] = /^(\w+)\((.*)\)$/s.exec(text) ?? [];
  return [keyword, body];
}

/**
 * Reads the schedule of an EventBridge rule: `rate(1 minute)`, `rate(5 minutes)` or a cron expression with six fields.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @returns undefined when it is invalid
 */
export function parseRuleSchedule(text: string): ScheduleExpression | undefined {
  const [keyword, body] = parts(text);
  if (keyword === 'rate') return rate(body, true);
  return keyword === 'cron' ? cron(body, false) : undefined;
}

/**
 * Reads a schedule of EventBridge Scheduler. It differs from that of a rule: it accepts `rate(1 minutes)`, upper and
 * lower case, and a missing year. `at(2026-01-02T03:04:05)` is a one-time schedule.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 * @returns undefined when it is invalid
 */
export function parseSchedule(text: string): ScheduleExpression | undefined {
  const [keyword, body] = parts(text);
  switch (keyword.toLowerCase()) {
    case 'rate':
      return rate(body.toLowerCase(), false);
    case 'cron':
      return cron(body, true);
    case 'at':
      return at(body);
    default:
      return undefined;
  }
}

function cronAfter(expression: CronExpression, zone: TimeZone, afterMs: number): number | undefined {
  let wallMs: number | undefined = zone.wallAt(afterMs);
  while (wallMs !== undefined) {
    wallMs = expression.after(wallMs);
    const instantMs = wallMs === undefined ? undefined : zone.instantOf(wallMs);
    // Undefined in the hour skipped in spring. In the past in the hour repeated in autumn.
    if (instantMs !== undefined && instantMs > afterMs) return instantMs;
  }
  return undefined;
}

/**
 * Returns the first instant of a schedule after another. In spring a cron expression skips the local times that do not
 * exist. In autumn it runs once, the first time the local time occurs. A rate ignores daylight saving time.
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 * @returns undefined when there is none
 */
export function nextOccurrence(
  expression: ScheduleExpression,
  { startMs, zone }: Occurrences,
  afterMs: number,
): number | undefined {
  switch (expression.kind) {
    case 'rate': {
      const { everyMs } = expression;
      return startMs + Math.max(0, Math.floor((afterMs - startMs) / everyMs) + 1) * everyMs;
    }
    case 'cron':
      return cronAfter(expression.cron, zone, Math.max(afterMs, startMs - 1));
    case 'at': {
      const instantMs = zone.instantOrLater(expression.wallMs);
      return instantMs > afterMs ? instantMs : undefined;
    }
  }
}

/**
 * Converts between instants and the local time of a time zone. A local time is given as the milliseconds since the
 * epoch at which UTC shows the same time. The rules are those of the ICU data in Node.
 */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat;

  private constructor(readonly name: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** @param name in the IANA database, for example `America/New_York`; undefined when it is unknown */
  static named(name: string): TimeZone | undefined {
    try {
      return new TimeZone(name);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** Returns the local time at an instant, to the second. */
  wallAt(instantMs: number): number {
    const parts = new Map(this.format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  }

  /** Returns the first instant with a local time, or undefined when it is skipped in spring. */
  instantOf(wallMs: number): number | undefined {
    const offsets = [wallMs - DAY_MS, wallMs + DAY_MS].map(around => this.wallAt(around) - around);
    const instants = offsets.map(offset => wallMs - offset).filter(instant => this.wallAt(instant) === wallMs);
    return instants.length > 0 ? Math.min(...instants) : undefined;
  }

  /** Returns the instant of a local time. A time skipped in spring moves later by the length of the change. */
  instantOrLater(wallMs: number): number {
    return this.instantOf(wallMs) ?? wallMs - (this.wallAt(wallMs - DAY_MS) - (wallMs - DAY_MS));
  }
}
