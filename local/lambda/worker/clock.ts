/** The virtual time in one worker. It moves only when the engine says so. */
export class VirtualClock {
  /** @param nowMs milliseconds since the Unix epoch */
  constructor(private now: number) {}

  get nowMs(): number {
    return this.now;
  }

  moveTo(nowMs: number): void {
    this.now = nowMs;
  }
}

/** Makes `Date`, `performance` and `process.hrtime` return the virtual time. */
export function installClock(clock: VirtualClock): void {
  const startedAtMs = clock.nowMs;
  const elapsedMs = (): number => clock.nowMs - startedAtMs;
  showUtc();
  globalThis.Date = virtualDate(clock);
  virtualPerformance(startedAtMs, elapsedMs);
  process.uptime = () => elapsedMs() / 1000;
  const nanoseconds = (): bigint => BigInt(Math.round(clock.nowMs)) * 1_000_000n;
  process.hrtime = Object.assign((since?: [number, number]) => hrtime(nanoseconds(), since), { bigint: nanoseconds });
}

function virtualDate(clock: VirtualClock): DateConstructor {
  const RealDate = Date;
  const now = (): number => clock.nowMs;
  const { parse: parseLocal } = RealDate;
  const parse = (text: string): number => parseUtc(String(text), parseLocal);
  const replaced = new Map<string | symbol, unknown>([
    ['now', now],
    ['parse', parse],
  ]);
  const VirtualDate = new Proxy(RealDate, {
    construct: (target, given: unknown[], newTarget) =>
      Reflect.construct(target, given.length === 0 ? [clock.nowMs] : utcArguments(given, parse), newTarget),
    apply: () => new RealDate(clock.nowMs).toString(),
    get: (target, property, receiver) => replaced.get(property) ?? Reflect.get(target, property, receiver),
  });
  // Without this, `new date.constructor()` would read the wall clock.
  RealDate.prototype.constructor = VirtualDate;
  return VirtualDate;
}

function virtualPerformance(startedAtMs: number, elapsedMs: () => number): void {
  const { mark, measure } = performance;
  Object.defineProperties(performance, {
    now: { value: elapsedMs },
    timeOrigin: { value: startedAtMs },
    // No time passes between two virtual instants, so the event loop is never busy.
    eventLoopUtilization: { value: () => ({ idle: elapsedMs(), active: 0, utilization: 0 }) },
    nodeTiming: { get: () => ({ name: 'node', entryType: 'node', startTime: 0, duration: elapsedMs() }) },
    toJSON: { value: () => ({ timeOrigin: startedAtMs }) },
    mark: {
      value: (name: string, options?: PerformanceMarkOptions) =>
        mark.call(performance, name, { startTime: elapsedMs(), ...options }),
    },
    measure: {
      value: (name: string, from?: string | PerformanceMeasureOptions, to?: string) => {
        if (typeof from === 'object') return measure.call(performance, name, from);
        return measure.call(performance, name, { start: from ?? 0, end: to ?? elapsedMs() });
      },
    },
  });
}

interface PerformanceMarkOptions {
  readonly startTime?: number;
  readonly detail?: unknown;
}

interface PerformanceMeasureOptions {
  readonly start?: number | string;
  readonly end?: number | string;
}

function hrtime(nowNs: bigint, since?: [number, number]): [number, number] {
  const ns = since ? nowNs - (BigInt(since[0]) * 1_000_000_000n + BigInt(since[1])) : nowNs;
  return [Number(ns / 1_000_000_000n), Number(ns % 1_000_000_000n)];
}

/** The suffixes of the `get…` and `set…` methods of a date. */
const PARTS = ['Date', 'Day', 'FullYear', 'Hours', 'Milliseconds', 'Minutes', 'Month', 'Seconds'];

/** A date and time without a time zone, in ISO 8601 or in another common format. */
const ZONELESS_ISO = /^[+-]?\d{4,6}-\d\d-\d\dT[\d:.,]+$/;
const ENDS_IN_ZONE = /(?:\d|\s)(?:Z|[A-Z]{3,4}|(?:GMT|UTC)?[+-]\d\d:?\d\d)(?:\s*\(.*\))?$/i;
const ISO_DATE = /^[+-]?\d{4,6}(?:-\d\d){0,2}$/;

/**
 * Makes local time UTC, as on Lambda. A time zone belongs to a whole process, and this process is the engine's, so the
 * methods of `Date` are replaced. A function's output is then the same on every machine.
 */
function showUtc(): void {
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

/** Converts the arguments of `new Date(…)` from local time, which is UTC. */
function utcArguments(given: readonly unknown[], parse: (text: string) => number): readonly unknown[] {
  const [first] = given;
  if (given.length > 1) return [Date.UTC(...(given.map(Number) as [number]))];
  return typeof first === 'string' ? [parse(first)] : given;
}

/** Parses a date as `Date.parse` does, with UTC as local time. */
function parseUtc(text: string, parse: (text: string) => number): number {
  if (ISO_DATE.test(text)) return parse(text);
  if (ZONELESS_ISO.test(text)) return parse(`${text}Z`);
  return ENDS_IN_ZONE.test(text) ? parse(text) : parse(`${text} UTC`);
}

const isInvalid = (date: Date): boolean => Number.isNaN(date.getTime());

/** Extracts `Thu Jan 01 2026` from `Thu, 01 Jan 2026 00:00:00 GMT`. */
function dateText(date: Date): string {
  const [weekday = '', day = '', month = '', year = ''] = date.toUTCString().split(' ');
  return `${weekday.slice(0, 3)} ${month} ${day} ${year}`;
}

function timeText(date: Date): string {
  return `${date.toUTCString().split(' ')[4]} GMT+0000 (Coordinated Universal Time)`;
}

/** Makes `Intl.DateTimeFormat` default to UTC, and to the virtual time when no date is given. */
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
