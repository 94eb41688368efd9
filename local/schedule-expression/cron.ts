import { type DaysOf, daysOfMonth, daysOfWeek, monthOf } from './cron-days';
import { type FieldRange, valuesOf } from './cron-field';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const MINUTES: FieldRange = { min: 0, max: 59 };
const HOURS: FieldRange = { min: 0, max: 23 };
const MONTHS: FieldRange = {
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** AWS documents 2199 as the last year, and takes later ones. */
const YEARS: FieldRange = { min: 1970, max: 9999 };
const LAST_YEAR = 2199;

interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DaysOf;
  readonly months: ReadonlySet<number>;
  /** Undefined for every year. */
  readonly years: ReadonlySet<number> | undefined;
}

const inOrder = (values: ReadonlySet<number>): readonly number[] => [...values].sort((a, b) => a - b);

/**
 * A cron expression of AWS's: minutes, hours, day of month, month, day of week, year.
 *
 * Our own evaluator: croner, the nearest library, takes no steps of the form `1/10`, no ranges that begin again and no
 * `L-3`, and does not skip the times that daylight saving leaves out. Our tests hold it to croner wherever both mean the
 * same.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html
 */
export class CronExpression {
  private constructor(private readonly fields: CronFields) {}

  /**
   * @param text the fields, without `cron(…)`
   * @param optionalYear whether the year may be left out, as EventBridge Scheduler lets it
   * @returns undefined when they are not valid
   */
  static parse(text: string, optionalYear = false): CronExpression | undefined {
    const fields = text.split(' ');
    if (fields.length !== 6 && !(optionalYear && fields.length === 5)) return undefined;
    const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = '', year = '*'] = fields;
    if ((dayOfMonth === '?') === (dayOfWeek === '?')) return undefined;
    const minutes = valuesOf(minute, MINUTES);
    const hours = valuesOf(hour, HOURS);
    const months = valuesOf(month, MONTHS);
    const years = year === '*' ? undefined : valuesOf(year, YEARS);
    const days = dayOfMonth === '?' ? daysOfWeek(dayOfWeek) : daysOfMonth(dayOfMonth);
    if (!minutes || !hours || !months || !days || (year !== '*' && !years)) return undefined;
    return new CronExpression({ minutes: inOrder(minutes), hours: inOrder(hours), days, months, years });
  }

  /**
   * The first time on the wall after another; undefined when there is none any more.
   *
   * @param wallMs a time on the wall, as the milliseconds UTC would have at it
   */
  after(wallMs: number): number | undefined {
    const from = new Date((Math.floor(wallMs / MINUTE_MS) + 1) * MINUTE_MS);
    const fromDay = Math.floor(from.getTime() / DAY_MS);
    const fromMinute = from.getUTCHours() * 60 + from.getUTCMinutes();
    for (let year = from.getUTCFullYear(); year <= this.lastYear; year += 1) {
      if (this.fields.years && !this.fields.years.has(year)) continue;
      for (const day of this.daysIn(year)) {
        const minute = day < fromDay ? undefined : this.minuteFrom(day === fromDay ? fromMinute : 0);
        if (minute !== undefined) return day * DAY_MS + minute * MINUTE_MS;
      }
    }
    return undefined;
  }

  private get lastYear(): number {
    return this.fields.years ? Math.max(...this.fields.years) : LAST_YEAR;
  }

  /** The days of a year, counted from 1970, in order. */
  private *daysIn(year: number): Generator<number> {
    for (const month of inOrder(this.fields.months)) {
      const before = Date.UTC(year, month - 1, 1) / DAY_MS - 1;
      for (const day of inOrder(this.fields.days(monthOf(year, month)))) yield before + day;
    }
  }

  /** The first minute of a day that is not before `minute`. */
  private minuteFrom(minute: number): number | undefined {
    for (const hour of this.fields.hours) {
      const found = this.fields.minutes.find(it => hour * 60 + it >= minute);
      if (found !== undefined) return hour * 60 + found;
    }
    return undefined;
  }
}
