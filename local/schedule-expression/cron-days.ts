import { type FieldRange, valueIn, valuesOf } from './cron-field';

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
