import { isMembers } from '../kernel/json';
import type { Rule } from './operators';
import type { FieldValue } from './string-conditions';

/** What has to hold of every field named, in the order of the names: the order in which AWS's matcher asks. */
export type Wanted = readonly (readonly [path: string, rules: readonly Rule[]])[];

/** Elements chosen, one of an array and none inside another: whatever else is chosen has to agree with all of them. */
type Chosen = readonly ArrayPlace[];

/** Whether two places are in different elements of one array. */
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

/** The first of the fields before which at least `order` scalars stand. */
function firstFrom(fields: readonly EventField[], order: number): number {
  let [low, high] = [0, fields.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((fields[middle]?.order ?? order) < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Those of the fields that are in no other element of the arrays around a place, found without looking at the others. */
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

/** Which scalars are in an element. */
function extentOf({ array: { starts, end }, index }: ArrayPlace): readonly [from: number, to: number] {
  return [starts[index] ?? end, starts[index + 1] ?? end];
}

/**
 * Looks in one event for fields that satisfy a pattern together: of an array of objects, one has to satisfy everything that
 * is said of its members by itself. What failed once is not tried again, and elements are told apart only as long as a
 * field that is still to come may be in one of them; without that, the work would grow with the power of the fields.
 */
class FieldSearch {
  private readonly failed = new Set<string>();
  /** By array, the last wanted field that has values in it. */
  private readonly lastUse = new Map<ArraySpan, number>();

  constructor(
    private readonly wanted: Wanted,
    private readonly fields: EventFields,
  ) {
    wanted.forEach(([path], at) => {
      for (const { place } of this.at(path)) this.use(place, at);
    });
  }

  /** Whether every field wanted from `at` on is as wanted. */
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

  /** What later fields have to agree with. */
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

  /** The innermost of the elements around a place that some later field may share. */
  private usedAfter(at: number, place: ArrayPlace | undefined): ArrayPlace | undefined {
    let used = place;
    while (used && (this.lastUse.get(used.array) ?? 0) <= at) used = used.outer;
    return used;
  }

  /** Notes the arrays around a place; where one is noted, those around it are. */
  private use(innermost: ArrayPlace | undefined, at: number): void {
    for (let place = innermost; place && this.lastUse.get(place.array) !== at; place = place.outer) {
      this.lastUse.set(place.array, at);
    }
  }
}

/** Whether an event's fields satisfy one way of satisfying a pattern. */
export function isSatisfied(wanted: Wanted, fields: EventFields): boolean {
  return new FieldSearch(wanted, fields).succeeds();
}

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
