/** Reads the time of the embedded AWS, which moves only when due work runs. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Formats an instant as the trace and most AWS documents do: `2026-01-02T03:04:05.678Z`. */
export function isoInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Formats an instant without its milliseconds, which are cut off: `2026-01-02T03:04:05Z`. */
export function isoSeconds(atMs: number): string {
  return isoInstant(atMs).replace(/\.\d{3}Z$/, 'Z');
}

/** The last instant that a JavaScript `Date` can hold, in milliseconds: 100 million days after the Unix epoch. */
export const LAST_INSTANT_MS = 8.64e15;

const ISO_INSTANT = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Parses an ISO 8601 instant into milliseconds since the Unix epoch: a date, which begins in UTC, or a date and time
 * with `Z` or an offset. A time without either is refused, because it would depend on the machine's time zone.
 *
 * @returns undefined when the text is no instant, or names a day that does not exist
 */
export function isoInstantMs(text: string): number | undefined {
  const [, year, month, day] = ISO_INSTANT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const ms = Date.parse(text);
  return date.getUTCDate() === Number(day) && !Number.isNaN(ms) ? ms : undefined;
}

/** Parses an instant like `isoInstantMs`, but reads a time without a zone as UTC, whatever the machine's zone is. */
export function utcInstantMs(text: string): number | undefined {
  return isoInstantMs(text) ?? isoInstantMs(`${text}Z`);
}
