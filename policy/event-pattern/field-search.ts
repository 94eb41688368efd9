import { isObject } from '../json-members';
import type { Rule } from './operators';
import type { FieldValue } from './string-conditions';

/** The rules for each named field, sorted by name: the order in which the matcher of AWS reads them. */
export type Wanted = readonly (readonly [path: string, rules: readonly Rule[]])[];

/** The chosen array elements, at most one for each array. All matched fields must be in these elements. */
type Chosen = readonly ArrayPlace[];

/** Whether two places are in different elements of the same array. */
function disagree(one: ArrayPlace | undefined, other: ArrayPlace | undefined): boolean {
  let [a, b] = [one, other];
  while (a && b) {
    if (a.array === b.array) return a.index !== b.index;
    if (a.depth >= b.depth) a = a.outer;
    else b = b.outer;
  }
  return false;
}

function isInside(place: ArrayPlace | undefined, outer: ArrayPlace): boolean {
  let at = place;
  while (at && at.depth > outer.depth) at = at.outer;
  return at === outer;
}

/** Returns the index of the first field with at least `order` scalars before it. */
function firstFrom(fields: readonly EventField[], order: number): number {
  let [low, high] = [0, fields.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fields[middle]?.order ?? order) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the fields that are not in another element of the arrays around a place, without scanning all fields. */
function agreeingWith(place: ArrayPlace, fields: readonly EventField[]): EventField[] {
  const agreeing: EventField[] = [];
  const collect = (from: number, to: number): void => {
    for (let i = firstFrom(fields, from); i < fields.length; i += 1) {
      const field = fields[i];
      if (!field || field.order >= to) return;
      agreeing.push(field);
    }
  };
  const [from, to] = extentOf(place);
  collect(from, to);
  for (let inner: ArrayPlace | undefined = place; inner; inner = inner.outer) {
    const [outerFrom, outerTo] = inner.outer ? extentOf(inner.outer) : [0, Number.POSITIVE_INFINITY];
    collect(outerFrom, inner.array.starts[0] ?? outerFrom);
    collect(inner.array.end, outerTo);
  }
  return agreeing;
}

/** Returns the range of scalars in an element. */
function extentOf({ array: { starts, end }, index }: ArrayPlace): readonly [from: number, to: number] {
  return [starts[index] ?? end, starts[index + 1] ?? end];
}

/**
 * Searches one event for fields that match a pattern together. In an array of objects, one object must match all rules
 * on its members. Failed states are not tried again. Elements are distinguished only while a later field may be in one
 * of them. Without both, the work would grow exponentially with the number of fields.
 */
class FieldSearch {
  private readonly failed = new Set<string>();
  /** By array: the index of the last wanted field with values in it. */
  private readonly lastUse = new Map<ArraySpan, number>();

  constructor(
    private readonly wanted: Wanted,
    private readonly fields: EventFields,
  ) {
    wanted.forEach(([path], at) => {
      for (const { place } of this.at(path)) this.use(place, at);
    });
  }

  /** Whether all wanted fields from index `at` on match. */
  succeeds(at = 0, chosen: Chosen = []): boolean {
    const [path, rules] = this.wanted[at] ?? [];
    if (path === undefined || !rules) return true;
    const state = `${at} ${chosen.map(({ id }) => id).join(' ')}`;
    if (this.failed.has(state)) return false;
    const succeeds = this.someRule(rules, at, chosen, this.candidates(path, chosen));
    if (!succeeds) this.failed.add(state);
    return succeeds;
  }

  private someRule(rules: readonly Rule[], at: number, chosen: Chosen, candidates: readonly EventField[]): boolean {
    const goesOn = ({ place }: EventField): boolean => this.succeeds(at + 1, this.choose(chosen, place, at));
    return rules.some(rule => {
      if (rule.kind === 'value') return candidates.some(field => rule.holds(field.value) && goesOn(field));
      if (rule.wanted) return candidates.some(goesOn);
      return candidates.length === 0 && this.succeeds(at + 1, this.choose(chosen, undefined, at));
    });
  }

  private at(path: string): readonly EventField[] {
    return this.fields.get(path) ?? [];
  }

  private candidates(path: string, chosen: Chosen): readonly EventField[] {
    const fields = this.at(path);
    const [first, ...others] = chosen;
    if (!first) return fields;
    return agreeingWith(first, fields).filter(({ place }) => !others.some(other => disagree(place, other)));
  }

  /** Returns the elements in which later fields must be. */
  private choose(chosen: Chosen, place: ArrayPlace | undefined, at: number): Chosen {
    if (!place && chosen.length === 0) return chosen;
    const kept = new Set<ArrayPlace>();
    for (const one of [...chosen, place]) {
      const used = this.usedAfter(at, one);
      if (used) kept.add(used);
    }
    const places = [...kept];
    return places
      .filter(one => !places.some(other => other !== one && isInside(other, one)))
      .sort((a, b) => a.id - b.id);
  }

  /** Returns the innermost element around a place that a later field may share. */
  private usedAfter(at: number, place: ArrayPlace | undefined): ArrayPlace | undefined {
    let used = place;
    while (used && (this.lastUse.get(used.array) ?? 0) <= at) used = used.outer;
    return used;
  }

  /** Notes the arrays around a place. If one is noted already, so are those around it. */
  private use(innermost: ArrayPlace | undefined, at: number): void {
    for (let place = innermost; place && this.lastUse.get(place.array) !== at; place = place.outer) {
      this.lastUse.set(place.array, at);
    }
  }
}

export function isSatisfied(wanted: Wanted, fields: EventFields): boolean {
  return new FieldSearch(wanted, fields).succeeds();
}

/** An array of an event: which scalars, in document order, are in which element. */
interface ArraySpan {
  /** For each element, the number of scalars before it. */
  readonly starts: readonly number[];
  /** Number of scalars before the end of the array. */
  readonly end: number;
}

interface ArrayPlace {
  /** Unique among all elements of all arrays of the event. */
  readonly id: number;
  /** Number of arrays around it, including this one. */
  readonly depth: number;
  readonly array: ArraySpan;
  readonly index: number;
  readonly outer: ArrayPlace | undefined;
}

/** One scalar of an event. An element of an array has the name of the array. */
interface EventField {
  readonly value: FieldValue;
  readonly place: ArrayPlace | undefined;
  /** Number of scalars before it. */
  readonly order: number;
}

/** The scalars of an event by path, with member names joined by dots. Those of a path are in document order. */
type EventFields = ReadonlyMap<string, readonly EventField[]>;

interface OpenArray extends ArraySpan {
  readonly starts: number[];
  end: number;
}

interface Value {
  readonly path: string;
  readonly value: unknown;
  readonly place: ArrayPlace | undefined;
  readonly elementOf?: OpenArray;
}

/** An item still to be visited: a value, or the end of an array. */
type Waiting = Value | { readonly endOf: OpenArray };

/** Visits all values of an event with an explicit stack, because the sender decides how deep an event is nested. */
class Walk {
  readonly fields = new Map<string, EventField[]>();
  /** A stack: the next item is the last. */
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
    else if (isObject(value)) {
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
 * Returns the scalars of an event of any depth. Empty objects and arrays have none.
 * @param event as `JSON.parse` returns it
 */
export function eventFields(event: unknown): EventFields {
  return new Walk(event).fields;
}

function isFieldValue(value: unknown): value is FieldValue {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
