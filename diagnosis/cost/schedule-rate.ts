import { DAY_SECONDS, HOUR_SECONDS } from '../../policy/time-units';
import { MONTH_SECONDS } from './assumptions';

const RATE = /^rate\(\s*(\d+)\s+(minute|hour|day)s?\s*\)$/;
const AT = /^at\(.*\)$/;
const CRON = /^cron\(\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*\)$/;

const UNIT_SECONDS: Readonly<Record<string, number>> = { minute: 60, hour: HOUR_SECONDS, day: DAY_SECONDS };

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A field of a cron expression: its values, and their names. */
interface Field {
  readonly first: number;
  readonly last: number;
  readonly names?: readonly string[];
}

const MINUTES: Field = { first: 0, last: 59 };
const HOURS: Field = { first: 0, last: 23 };
const DAYS: Field = { first: 1, last: 31 };
const MONTHS_OF_A_YEAR: Field = { first: 1, last: 12, names: MONTHS };
const DAYS_OF_A_WEEK: Field = { first: 1, last: 7, names: WEEKDAYS };

const DIGITS = /^\d+$/;

function numberOf(text: string, { first, names = [] }: Field): number {
  const named = names.indexOf(text.toUpperCase());
  if (named !== -1) return first + named;
  return DIGITS.test(text) ? Number(text) : Number.NaN;
}

/** The number of values that a part without a comma selects; undefined if it is not a range, a step or a value. */
function countOfPart(part: string, field: Field): number | undefined {
  const [range = '', step, ...others] = part.split('/');
  const by = step === undefined ? 1 : Number(step);
  if (others.length > 0 || !Number.isInteger(by) || by < 1) return undefined;
  const bounds = range === '*' ? [field.first, field.last] : range.split('-').map(it => numberOf(it, field));
  const [from, to = step === undefined ? from : field.last] = bounds;
  const isValid = [from, to].every(it => Number.isInteger(it));
  if (from === undefined || to === undefined || !isValid || bounds.length > 2 || to < from) return undefined;
  return Math.floor((to - from) / by) + 1;
}

function countOf(text: string, field: Field): number | undefined {
  const counts = text.split(',').map(part => countOfPart(part, field));
  return counts.reduce((sum, count) => (sum === undefined || count === undefined ? undefined : sum + count), 0);
}

const ANY = new Set(['*', '?']);

/** Days like the last one of the month (`L`) or the second Monday (`2#2`) happen once a month. */
const ONCE_A_MONTH = /^(L|LW|\d+W|L-\d+|\w+L|\w+#\d)$/i;

const WEEKS_A_MONTH = MONTH_SECONDS / (7 * DAY_SECONDS);

function daysAMonth(dayOfMonth: string, dayOfWeek: string): number | undefined {
  if (ONCE_A_MONTH.test(dayOfMonth) || (ONCE_A_MONTH.test(dayOfWeek) && !WEEKDAYS.includes(dayOfWeek))) return 1;
  if (!ANY.has(dayOfWeek)) {
    const weekdays = countOf(dayOfWeek, DAYS_OF_A_WEEK);
    return weekdays === undefined ? undefined : weekdays * WEEKS_A_MONTH;
  }
  return ANY.has(dayOfMonth) ? MONTH_SECONDS / DAY_SECONDS : countOf(dayOfMonth, DAYS);
}

/**
 * The average number of invocations of a schedule in a month: none for a time that happens once. Undefined if the
 * expression is not one of AWS's.
 *
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export function invocationsAMonth(expression: string): number | undefined {
  const [, count = '', unit = ''] = RATE.exec(expression) ?? [];
  const everySeconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (everySeconds > 0) return MONTH_SECONDS / everySeconds;
  if (AT.test(expression)) return 0;
  const [, minutes = '', hours = '', dayOfMonth = '', months = '', dayOfWeek = ''] = CRON.exec(expression) ?? [];
  const parts = [
    countOf(minutes, MINUTES),
    countOf(hours, HOURS),
    daysAMonth(dayOfMonth, dayOfWeek),
    countOf(months, MONTHS_OF_A_YEAR),
  ];
  const product = parts.reduce((all, part) => (all === undefined || part === undefined ? undefined : all * part), 1);
  return product === undefined ? undefined : product / MONTHS.length;
}
