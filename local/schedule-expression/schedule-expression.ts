import { utcInstantMs } from '../kernel/clock';
import { CronExpression } from './cron';

const MINUTE_MS = 60_000;

const UNITS_MS: Readonly<Record<string, number>> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

/** When something recurs, or happens once. */
export type ScheduleExpression =
  | { readonly kind: 'rate'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly cron: CronExpression }
  /** A time on the wall, as the milliseconds UTC would have at it. */
  | { readonly kind: 'at'; readonly wallMs: number };

/** What the instants of a schedule depend on beside its expression. */
export interface Occurrences {
  /** Where a rate begins to count, and before which nothing occurs: milliseconds since the Unix epoch. */
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

/** The word in front of the brackets, and what is in them. */
function parts(text: string): readonly [keyword: string, body: string] {
  const [, keyword = '', body = ''] = /^(\w+)\((.*)\)$/s.exec(text) ?? [];
  return [keyword, body];
}

/**
 * Reads the schedule of an EventBridge rule: `rate(1 minute)`, `rate(5 minutes)` or a cron expression of six fields.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
 * @returns undefined when it is not valid
 */
export function parseRuleSchedule(text: string): ScheduleExpression | undefined {
  const [keyword, body] = parts(text);
  if (keyword === 'rate') return rate(body, true);
  return keyword === 'cron' ? cron(body, false) : undefined;
}

/**
 * Reads a schedule of EventBridge Scheduler: as a rule's, but lax about `rate(1 minutes)`, about upper and lower case and
 * about a missing year, and with `at(2026-01-02T03:04:05)` for one that happens once.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 * @returns undefined when it is not valid
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
    // Undefined in the hour that spring leaves out; past in the hour that autumn repeats.
    if (instantMs !== undefined && instantMs > afterMs) return instantMs;
  }
  return undefined;
}

/**
 * The first instant of a schedule after another, computed, never ticked towards. In spring a cron expression skips the times
 * that do not exist; in autumn it runs once, the first time the wall shows its time. A rate knows no daylight saving.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
 * @returns undefined when there is none any more
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

const DAY_MS = 86_400_000;

/**
 * What the clocks on the wall show somewhere. A time on the wall is given as the milliseconds UTC would have at it. The
 * rules are those of this Node's own ICU.
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

  /** @param name as the IANA database has it, for example `America/New_York`; undefined when there is none such */
  static named(name: string): TimeZone | undefined {
    try {
      return new TimeZone(name);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** What the wall shows at an instant, to the second. */
  wallAt(instantMs: number): number {
    const parts = new Map(this.format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  }

  /** The first instant at which the wall shows a time; undefined for one that is left out in spring. */
  instantOf(wallMs: number): number | undefined {
    const offsets = [wallMs - DAY_MS, wallMs + DAY_MS].map(around => this.wallAt(around) - around);
    const instants = offsets.map(offset => wallMs - offset).filter(instant => this.wallAt(instant) === wallMs);
    return instants.length > 0 ? Math.min(...instants) : undefined;
  }

  /** The instant of a time on the wall; one that is left out in spring is as much later as the clocks are put forward. */
  instantOrLater(wallMs: number): number {
    return this.instantOf(wallMs) ?? wallMs - (this.wallAt(wallMs - DAY_MS) - (wallMs - DAY_MS));
  }
}
