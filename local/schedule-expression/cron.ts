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

/** A month of a year: what days can be reckoned from. */
export interface Month {
  /** How many days it has. */
  readonly length: number;
  /** 1 for Sunday to 7 for Saturday, of its first day. */
  readonly firstWeekday: number;
}

/** The days of a month a field stands for. */
export type DaysOf = (month: Month) => ReadonlySet<number>;

const DAYS_OF_MONTH: FieldRange = { min: 1, max: 31 };
const WEEKDAYS: FieldRange = { min: 1, max: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] };
const SUNDAY = 1;
const SATURDAY = 7;

export function monthOf(year: number, month: number): Month {
  return {
    length: new Date(Date.UTC(year, month, 0)).getUTCDate(),
    firstWeekday: new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 1,
  };
}

function weekdayOf(day: number, { firstWeekday }: Month): number {
  return ((firstWeekday - 1 + day - 1) % 7) + 1;
}

/** The working day nearest to a day, in the same month. */
function nearestWorkingDay(day: number, month: Month): number {
  const weekday = weekdayOf(day, month);
  if (weekday === SATURDAY) return day === 1 ? 3 : day - 1;
  if (weekday === SUNDAY) return day === month.length ? day - 2 : day + 1;
  return day;
}

function only(day: number, { length }: Month): ReadonlySet<number> {
  return new Set(day >= 1 && day <= length ? [day] : []);
}

/** The days with one of the weekdays. */
function onWeekdays(weekdays: ReadonlySet<number>): DaysOf {
  return month => {
    const days = Array.from({ length: month.length }, (_, i) => i + 1);
    return new Set(days.filter(day => weekdays.has(weekdayOf(day, month))));
  };
}

/**
 * Reads the field day-of-month: `L` is the last day, `LW` the last working day, `L-3` the third before the last, `15W` the
 * working day nearest to the 15th.
 */
export function daysOfMonth(field: string): DaysOf | undefined {
  if (field === 'LW') return month => only(nearestWorkingDay(month.length, month), month);
  const [, before] = /^L(?:-(\d{1,2}))?$/.exec(field) ?? [undefined, undefined];
  if (field === 'L' || before !== undefined) return month => only(month.length - Number(before ?? 0), month);
  if (field.endsWith('W')) {
    const wanted = valueIn(field.slice(0, -1), DAYS_OF_MONTH);
    if (wanted === undefined) return undefined;
    return month => only(wanted <= month.length ? nearestWorkingDay(wanted, month) : 0, month);
  }
  const days = valuesOf(field, DAYS_OF_MONTH);
  return days && (({ length }) => new Set([...days].filter(day => day <= length)));
}

/**
 * Reads the field day-of-week: 1 or `SUN` to 7 or `SAT`; `L` is Saturday, `6L` the last Friday of the month, `3#2` its
 * second Tuesday.
 */
export function daysOfWeek(field: string): DaysOf | undefined {
  if (field === 'L') return onWeekdays(new Set([SATURDAY]));
  if (field.endsWith('L')) {
    const weekday = valueIn(field.slice(0, -1), WEEKDAYS);
    if (weekday === undefined) return undefined;
    const days = onWeekdays(new Set([weekday]));
    return month => only(Math.max(...days(month)), month);
  }
  const [, name = '', nth] = /^(\w+)#([1-5])$/.exec(field) ?? [];
  if (nth !== undefined) {
    const weekday = valueIn(name, WEEKDAYS);
    if (weekday === undefined) return undefined;
    return month => only(1 + ((weekday - month.firstWeekday + 7) % 7) + 7 * (Number(nth) - 1), month);
  }
  const weekdays = valuesOf(field, WEEKDAYS);
  return weekdays && onWeekdays(weekdays);
}

/** The numbers a field of a cron expression may have, and the names some go by. */
export interface FieldRange {
  readonly min: number;
  readonly max: number;
  /** The first is the name of `min`. */
  readonly names?: readonly string[];
}

/** Reads one number, or one name, of a field; undefined when it is neither, or out of range. */
export function valueIn(text: string, { min, max, names = [] }: FieldRange): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return min + named;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/**
 * `from` up to `to`. Our choice: where `to` is the smaller, as in `FRI-MON`, it begins again at the field's smallest value,
 * as in Quartz, whose expressions AWS's are.
 */
function span(from: number, to: number, step: number, { min, max }: FieldRange): number[] {
  const count = max - min + 1;
  const length = to >= from ? to - from : to - from + count;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => min + ((from - min + i * step) % count));
}

/** The values one part of a field stands for: `*`, `5`, `1-5`, each perhaps with `/15` behind it. */
function valuesOfPart(part: string, range: FieldRange): readonly number[] | undefined {
  const [, body = '', stepText] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
  const step = stepText === undefined ? 1 : Number(stepText);
  if (body === '' || step < 1) return undefined;
  if (body === '*') return span(range.min, range.max, step, range);
  const [first = '', last, ...rest] = body.split('-');
  const from = valueIn(first, range);
  if (from === undefined || rest.length > 0) return undefined;
  if (last === undefined) return stepText === undefined ? [from] : span(from, range.max, step, range);
  const to = valueIn(last, range);
  return to === undefined ? undefined : span(from, to, step, range);
}

/** The values a whole field stands for, or undefined when it is none. */
export function valuesOf(field: string, range: FieldRange): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const found = valuesOfPart(part, range);
    if (!found) return undefined;
    for (const value of found) values.add(value);
  }
  return values;
}
