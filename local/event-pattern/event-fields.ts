import { isMembers } from '../kernel/json';
import type { FieldValue } from './condition';

/** Which element of which array something stands in. */
export interface ArrayPlace {
  readonly array: number;
  readonly index: number;
  /** Where the array itself stands. */
  readonly outer: ArrayPlace | undefined;
}

/** One scalar of an event; one in an array is a field as well, of the array's name. */
export interface EventField {
  readonly value: FieldValue;
  readonly place: ArrayPlace | undefined;
}

/** The scalars of an event by the names of the members that lead to them, joined by dots. */
export type EventFields = ReadonlyMap<string, readonly EventField[]>;

interface Waiting {
  readonly path: string;
  readonly value: unknown;
  readonly place: ArrayPlace | undefined;
}

/** The parts of an object or array, the last one first. */
function partsOf({ path, value, place }: Waiting, nextArray: () => number): readonly Waiting[] {
  if (Array.isArray(value)) {
    const array = nextArray();
    return value
      .map((item: unknown, index) => ({ path, value: item, place: { array, index, outer: place } }))
      .reverse();
  }
  if (!isMembers(value)) return [];
  return Object.entries(value)
    .map(([name, member]) => ({ path: path === '' ? name : `${path}.${name}`, value: member, place }))
    .reverse();
}

/**
 * Takes an event apart, however deeply it is nested. An empty object or array leaves nothing.
 *
 * @param event a value as `JSON.parse` gives it
 */
export function eventFields(event: unknown): EventFields {
  const fields = new Map<string, EventField[]>();
  const waiting: Waiting[] = [{ path: '', value: event, place: undefined }];
  let arrays = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, value, place } = next;
    if (typeof value === 'object' && value !== null) {
      waiting.push(...partsOf(next, () => arrays++));
    } else if (isFieldValue(value)) {
      const sameName = fields.get(path);
      if (sameName) sameName.push({ value, place });
      else fields.set(path, [{ value, place }]);
    }
  }
  return fields;
}

function isFieldValue(value: unknown): value is FieldValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
