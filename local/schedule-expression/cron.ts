import { DAY_MS, MINUTE_MS } from '../../policy/time-units';

const MINUTES: FieldRange = { min: 0, max: 59 };
const HOURS: FieldRange = { min: 0, max: 23 };
const MONTHS: FieldRange = {
  min: 1,
  max: 12,
  names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
};
/** AWS documents 2199 as the last year, but accepts later years. */
const YEARS: FieldRange = { min: 1970, max: 9999 };
const LAST_YEAR = 2199;

interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: DaysOf;
  readonly months: ReadonlySet<number>;
  /** Undefined means every year. */
  readonly years: ReadonlySet<number> | undefined;
}

const inOrder = (values: ReadonlySet<number>): readonly number[] => [...values].sort((a, b) => a - b);

/**
 * A cron expression of AWS: minutes, hours, day of month, month, day of week, year.
 * We have our own evaluator because croner, the closest library, does not support steps such as `1/10`, ranges that
 * wrap around, or `L-3`, and does not skip times that do not exist on the day daylight saving time starts. Tests
 * compare it with croner where both have the same meaning.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-cron-expressions.html
 */
export class CronExpression {
  private constructor(private readonly fields: CronFields) {}

  /**
   * @param text the fields, without `cron(…)`
   * @param optionalYear whether the year may be omitted, as EventBridge Scheduler allows
   * @returns undefined when the expression is invalid
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
   * Returns the next local time after another, or undefined when there is none.
   * @param wallMs local time, as the milliseconds since the epoch at which UTC shows the same time
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

  /** The days of a year in order, as days since 1970-01-01. */
  private *daysIn(year: number): Generator<number> {
    for (const month of inOrder(this.fields.months)) {
      const before = Date.UTC(year, month - 1, 1) / DAY_MS - 1;
      for (const day of inOrder(this.fields.days(monthOf(year, month)))) yield before + day;
    }
  }

  /** Returns the first minute of a day that is not before `minute`. */
  private minuteFrom(minute: number): number | undefined {
    for (const hour of this.fields.hours) {
      const found = this.fields.minutes.find(it => hour * 60 + it >= minute);
      if (found !== undefined) return hour * 60 + found;
    }
    return undefined;
  }
}

interface Month {
  /** Number of days. */
  readonly length: number;
  /** Weekday of its first day, 1 for Sunday to 7 for Saturday. */
  readonly firstWeekday: number;
}

type DaysOf = (month: Month) => ReadonlySet<number>;

const DAYS_OF_MONTH: FieldRange = { min: 1, max: 31 };
const WEEKDAYS: FieldRange = { min: 1, max: 7, names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] };
const SUNDAY = 1;
const SATURDAY = 7;

function monthOf(year: number, month: number): Month {
  return {
    length: new Date(Date.UTC(year, month, 0)).getUTCDate(),
    firstWeekday: new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 1,
  };
}

function weekdayOf(day: number, { firstWeekday }: Month): number {
  return ((firstWeekday - 1 + day - 1) % 7) + 1;
}

function nearestWorkingDay(day: number, month: Month): number {
  const weekday = weekdayOf(day, month);
  if (weekday === SATURDAY) return day === 1 ? 3 : day - 1;
  if (weekday === SUNDAY) return day === month.length ? day - 2 : day + 1;
  return day;
}

function only(day: number, { length }: Month): ReadonlySet<number> {
  return new Set(day >= 1 && day <= length ? [day] : []);
}

function onWeekdays(weekdays: ReadonlySet<number>): DaysOf {
  return month => {
    const days = Array.from({ length: month.length }, (_, i) => i + 1);
    return new Set(days.filter(day => weekdays.has(weekdayOf(day, month))));
  };
}

/**
 * Reads the day-of-month field: `L` is the last day, `LW` the last working day, `L-3` the third day before the last,
 * `15W` the working day nearest to the 15th.
 */
function daysOfMonth(field: string): DaysOf | undefined {
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
 * Reads the day-of-week field: 1 or `SUN` to 7 or `SAT`. `L` is Saturday, `6L` the last Friday of the month, `3#2` its
 * second Tuesday.
 */
function daysOfWeek(field: string): DaysOf | undefined {
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

/** The valid numbers of a field, and their names if they have any. */
interface FieldRange {
  readonly min: number;
  readonly max: number;
  /** The first is the name of `min`. */
  readonly names?: readonly string[];
}

/** Reads one number or name of a field. Undefined when it is invalid or out of range. */
function valueIn(text: string, { min, max, names = [] }: FieldRange): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return min + named;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/**
 * Returns the values from `from` to `to`. **Assumption EVENTS-6:** When `to` is smaller, as in `FRI-MON`, the range
 * wraps around as in Quartz, whose expressions AWS adopted.
 */
function span(from: number, to: number, step: number, { min, max }: FieldRange): number[] {
  const count = max - min + 1;
  const length = to >= from ? to - from : to - from + count;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => min + ((from - min + i * step) % count));
}

/** Returns the values of one part of a field: `*`, `5` or `1-5`, each optionally followed by a step such as `/15`. */
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

/** Returns the values of a field, or undefined when it is invalid. */
function valuesOf(field: string, range: FieldRange): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const found = valuesOfPart(part, range);
    if (!found) return undefined;
    for (const value of found) values.add(value);
  }
  return values;
}
