import { isMembers } from '../kernel/json';
import type { FieldValue } from './condition';

/** An array of an event: which of its scalars, counted as they stand there, are in which element. */
export interface ArraySpan {
  /** Of each element, how many scalars stand before it. */
  readonly starts: readonly number[];
  /** How many stand before what follows the array. */
  readonly end: number;
}

/** Which element of which array something stands in. */
export interface ArrayPlace {
  /** Of this element alone, among all elements of all arrays of the event. */
  readonly id: number;
  /** In how many arrays it stands, this one included. */
  readonly depth: number;
  readonly array: ArraySpan;
  readonly index: number;
  /** Where the array itself stands. */
  readonly outer: ArrayPlace | undefined;
}

/** One scalar of an event; one in an array is a field as well, of the array's name. */
export interface EventField {
  readonly value: FieldValue;
  readonly place: ArrayPlace | undefined;
  /** How many scalars stand before it. */
  readonly order: number;
}

/** The scalars of an event by the names of the members that lead to them, joined by dots; each name's as they stand there. */
export type EventFields = ReadonlyMap<string, readonly EventField[]>;

interface OpenArray extends ArraySpan {
  readonly starts: number[];
  end: number;
}

interface Value {
  readonly path: string;
  readonly value: unknown;
  readonly place: ArrayPlace | undefined;
  /** The array of which it is the next element. */
  readonly elementOf?: OpenArray;
}

/** What is still to be looked at: a value, or the end of an array. */
type Waiting = Value | { readonly endOf: OpenArray };

/** One walk through an event, with a stack of its own: how deep the event is nested is up to who sent it. */
class Walk {
  readonly fields = new Map<string, EventField[]>();
  /** The next one last. */
  private readonly waiting: Waiting[] = [];
  private scalars = 0;
  private elements = 0;

  constructor(event: unknown) {
    this.waiting.push({ path: '', value: event, place: undefined });
    for (let next = this.waiting.pop(); next; next = this.waiting.pop()) {
      if ('endOf' in next) next.endOf.end = this.scalars;
      else this.look(next);
    }
  }

  private look(at: Value): void {
    const { path, value, place } = at;
    at.elementOf?.starts.push(this.scalars);
    if (Array.isArray(value)) this.open(at, value);
    else if (isMembers(value)) {
      const members = Object.entries(value).reverse();
      for (const [name, member] of members) {
        this.waiting.push({ path: path === '' ? name : `${path}.${name}`, value: member, place });
      }
    } else if (isFieldValue(value)) {
      const field = { value, place, order: this.scalars++ };
      const sameName = this.fields.get(path);
      if (sameName) sameName.push(field);
      else this.fields.set(path, [field]);
    }
  }

  private open({ path, place: outer }: Value, items: readonly unknown[]): void {
    const array: OpenArray = { starts: [], end: 0 };
    const depth = (outer?.depth ?? 0) + 1;
    this.waiting.push({ endOf: array });
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const place = { id: this.elements++, depth, array, index, outer };
      this.waiting.push({ path, value: items[index], place, elementOf: array });
    }
  }
}

/**
 * Takes an event apart, however deeply it is nested. An empty object or array leaves nothing.
 *
 * @param event a value as `JSON.parse` gives it
 */
export function eventFields(event: unknown): EventFields {
  return new Walk(event).fields;
}

function isFieldValue(value: unknown): value is FieldValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
