/** Reads the time of the embedded AWS, which only ever moves when something is due. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** `2026-01-02T03:04:05.678Z`, the form in which the trace and most AWS documents give an instant. */
export function isoInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** `2026-01-02T03:04:05Z`: the same without the part of a second, which is cut off. */
export function isoSeconds(atMs: number): string {
  return isoInstant(atMs).replace(/\.\d{3}Z$/, 'Z');
}

/** The last instant a JavaScript `Date` can be, in milliseconds: 100 million days after the Unix epoch. */
export const LAST_INSTANT_MS = 8.64e15;

const ISO_INSTANT = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Milliseconds since the Unix epoch of an ISO 8601 instant: a date, which begins in UTC, or a date and time with `Z` or an
 * offset. A time without either would be another one on a machine in another time zone.
 *
 * @returns undefined when the text is none, or names a day that is not in the calendar
 */
export function isoInstantMs(text: string): number | undefined {
  const [, year, month, day] = ISO_INSTANT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const ms = Date.parse(text);
  return date.getUTCDate() === Number(day) && !Number.isNaN(ms) ? ms : undefined;
}

/** What `isoInstantMs` answers, a time without a zone being one in UTC, whatever the machine's own zone is. */
export function utcInstantMs(text: string): number | undefined {
  return isoInstantMs(text) ?? isoInstantMs(`${text}Z`);
}
