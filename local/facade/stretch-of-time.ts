import { formatValue } from '../../policy/problem';
import { isoInstantMs, LAST_INSTANT_MS } from '../kernel/clock';
import { isMembers } from '../kernel/json';

/** A stretch of virtual time; what is given is added up. Each is 0 or more, and need not be whole. */
export interface TimeSpan {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
}

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1_000],
]);

/** @throws RangeError naming every member that is none, or not a number of 0 or more that is possible */
export function timeSpanMs(stretch: TimeSpan): number {
  const given: Readonly<Record<string, number | undefined>> = { ...stretch };
  if (!isMembers(stretch)) {
    throw new RangeError(`a stretch of time must be an object such as { minutes: 5 }, got ${formatValue(stretch)}`);
  }
  const problems: string[] = [];
  let ms = 0;
  for (const [unit, count] of Object.entries<number | undefined>(given)) {
    const unitMs = UNIT_MS.get(unit);
    if (unitMs === undefined) {
      problems.push(`${unit} is no unit of time: it must be one of ${[...UNIT_MS.keys()].join(', ')}`);
    } else if (count !== undefined && !(Number.isFinite(count) && count >= 0 && count * unitMs <= LAST_INSTANT_MS)) {
      problems.push(`${unit} must be a number from 0 to ${LAST_INSTANT_MS / unitMs}, got ${count}`);
    } else ms += (count ?? 0) * unitMs;
  }
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  return ms;
}

/**
 * Milliseconds since the Unix epoch.
 *
 * @param instant ISO 8601: a date, or a date and time with `Z` or an offset; or milliseconds since the Unix epoch
 * @throws RangeError when it is neither
 */
export function instantMs(instant: string | number): number {
  const ms = typeof instant === 'string' ? isoInstantMs(instant) : instant;
  if (typeof ms === 'number' && Math.abs(ms) <= LAST_INSTANT_MS) return ms;
  throw new RangeError(
    'an instant must be ISO 8601 (a date, or a date and time with Z or an offset), or milliseconds since the Unix epoch, ' +
      `got ${formatValue(instant)}`,
  );
}
