/** What `get…` and `set…` of a date come in. */
const PARTS = ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds'];

/** A date and time in ISO 8601, or as people write them, that names no time zone at its end. */
const ZONELESS_ISO = /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.,]+$/;
const ENDS_IN_ZONE = /(?:\d|\s)(?:Z|[A-Z]{3,4}|(?:GMT|UTC)?[+-]\d\d:?\d\d)(?:\s*\(.*\))?$/i;
const ISO_DATE = /^[+-]?\d{4,6}(?:-\d\d){0,2}$/;

/**
 * Lambda's clocks show UTC. A time zone belongs to a whole process, and this one is the engine's, so dates here are taught
 * that local time is UTC: what a function prints is the same on every machine.
 */
export function showUtc(): void {
  const dates: Record<string, unknown> = Object.create(null);
  for (const part of PARTS) {
    dates[`get${part}`] = Reflect.get(Date.prototype, `getUTC${part}`);
    if (part !== 'Day') dates[`set${part}`] = Reflect.get(Date.prototype, `setUTC${part}`);
  }
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const) {
    const inAnyZone = Date.prototype[name];
    dates[name] = function (this: Date, locales?: Intl.LocalesArgument, options?: Intl.DateTimeFormatOptions): string {
      return inAnyZone.call(this, locales, { timeZone: 'UTC', ...options });
    };
  }
  const texts = {
    getTimezoneOffset: () => 0,
    toDateString(this: Date): string {
      return isInvalid(this) ? 'Invalid Date' : dateText(this);
    },
    toTimeString(this: Date): string {
      return isInvalid(this) ? 'Invalid Date' : timeText(this);
    },
    toString(this: Date): string {
      return isInvalid(this) ? 'Invalid Date' : `${dateText(this)} ${timeText(this)}`;
    },
  };
  for (const [name, value] of Object.entries({ ...dates, ...texts })) {
    Object.defineProperty(Date.prototype, name, { value, writable: true, configurable: true });
  }
  Intl.DateTimeFormat = formatUtc(Intl.DateTimeFormat);
}

/** What `new Date(…)` is to be given, local time being UTC. */
export function utcArguments(given: readonly unknown[], parse: (text: string) => number): readonly unknown[] {
  const [first] = given;
  if (given.length > 1) return [Date.UTC(...(given.map(Number) as [number]))];
  return typeof first === 'string' ? [parse(first)] : given;
}

/** Reads a date as `Date.parse` does, local time being UTC. */
export function parseUtc(text: string, parse: (text: string) => number): number {
  if (ISO_DATE.test(text)) return parse(text);
  if (ZONELESS_ISO.test(text)) return parse(`${text}Z`);
  return ENDS_IN_ZONE.test(text) ? parse(text) : parse(`${text} UTC`);
}

const isInvalid = (date: Date): boolean => Number.isNaN(date.getTime());

/** `Thu Jan 01 2026` of `Thu, 01 Jan 2026 00:00:00 GMT`. */
function dateText(date: Date): string {
  const [weekday = '', day = '', month = '', year = ''] = date.toUTCString().split(' ');
  return `${weekday.slice(0, 3)} ${month} ${day} ${year}`;
}

function timeText(date: Date): string {
  return `${date.toUTCString().split(' ')[4]} GMT+0000 (Coordinated Universal Time)`;
}

/** Formats default to UTC, and to the virtual now where no date is given. */
function formatUtc(InAnyZone: typeof Intl.DateTimeFormat): typeof Intl.DateTimeFormat {
  const inUtc = ([locales, options]: readonly unknown[]) => [locales, { timeZone: 'UTC', ...(options ?? {}) }];
  const { prototype } = InAnyZone;
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')?.get;
  const { formatToParts } = prototype;
  Object.defineProperties(prototype, {
    format: {
      get(this: Intl.DateTimeFormat) {
        const own: Intl.DateTimeFormat['format'] = format?.call(this);
        return (date?: Date | number) => own(date ?? Date.now());
      },
    },
    formatToParts: {
      value(this: Intl.DateTimeFormat, date?: Date | number) {
        return formatToParts.call(this, date ?? Date.now());
      },
    },
  });
  return new Proxy(InAnyZone, {
    construct: (target, given, newTarget) => Reflect.construct(target, inUtc(given), newTarget),
    apply: (target, self, given) => Reflect.apply(target, self, inUtc(given)),
  });
}
