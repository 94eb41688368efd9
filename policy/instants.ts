/** Formats an instant as ISO 8601 in UTC, to the millisecond: `2026-01-02T03:04:05.678Z`. */
export function isoInstant(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Formats an instant for people, to the minute: `2026-01-05 02:00 UTC`. */
export function formatInstant(atMs: number): string {
  return `${isoInstant(atMs).slice(0, 16).replace('T', ' ')} UTC`;
}

const ISO_INSTANT = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads an ISO 8601 instant, in milliseconds since the Unix epoch. A date without a time begins in UTC. A time needs `Z` or
 * an offset: without one, it would mean another instant on a machine in another time zone.
 *
 * @returns undefined when the text is not an instant, or names a day that is not in the calendar
 */
export function isoInstantMs(text: string): number | undefined {
  const [, year, month, day] = ISO_INSTANT.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const ms = Date.parse(text);
  return date.getUTCDate() === Number(day) && !Number.isNaN(ms) ? ms : undefined;
}
