import { compileEventPattern } from '../../policy/event-pattern/event-pattern';
import { EventPatternError } from '../../policy/event-pattern/located-json';
import { type FilterPolicy, readAttributes } from '../../policy/filter/filter-policy';
import { isObject, type JsonObject } from '../kernel/json';

/** What an event that matches a pattern must have. */
export interface EventSample {
  readonly source: string;
  readonly detailType: string;
  readonly resources: readonly string[];
  readonly detail: JsonObject;
}

type Scalar = string | number | boolean | null;

/** The values that the patterns and filters of both versions name, by the path of the field. */
export type NamedValues = ReadonlyMap<string, readonly Scalar[]>;

/** A value for fields that only have to exist, or to differ from others. */
const ANY = 'deploy-check';

/** Between the names of a path. Names may have a dot. */
const SEPARATOR = '\n';

/** Messages for one pattern, at most. */
const MOST_SAMPLES = 12;

/**
 * Makes up events that match a pattern; none if none is found, such as for a pattern that wants an event of another account. The
 * first has what the pattern names first, the others differ from it in one field.
 *
 * @param pattern as `JSON.parse` returns it
 * @param about the members that every event of the bus has: account and Region
 */
export function eventsFor(pattern: unknown, about: JsonObject, named: NamedValues = new Map()): readonly EventSample[] {
  if (!isObject(pattern)) return [];
  const read = (made: JsonObject): EventSample | undefined => {
    const { source = ANY, 'detail-type': detailType = ANY, resources, detail = {} } = made;
    const listed = resources === undefined ? [] : [resources].flat();
    if (typeof source !== 'string' || typeof detailType !== 'string' || !isObject(detail)) return undefined;
    const event = { ...made, source, 'detail-type': detailType, resources: listed, detail };
    if (!matches(pattern, { ...event, ...about })) return undefined;
    return { source, detailType, detail, resources: listed.map(String) };
  };
  return samplesOf(pattern, made => read(made) !== undefined, named).flatMap(made => read(made) ?? []);
}

/** What a message needs to pass a filter policy: members of its body, or attributes. */
export interface FilterSample {
  readonly body: JsonObject;
  readonly attributes: Readonly<Record<string, { readonly DataType: string; readonly StringValue: string }>>;
  /** Whether it differs little from another one for the same filter. */
  readonly isVariation: boolean;
}

/** Messages that pass the filter policy of a subscription. */
export function messagesFor(filter: FilterPolicy, named: NamedValues): readonly FilterSample[] {
  const isOfBody = filter.scope === 'MessageBody';
  const sampleOf = (made: JsonObject, index = 0): FilterSample => ({
    isVariation: index > 0,
    body: isOfBody ? made : {},
    attributes: isOfBody
      ? {}
      : Object.fromEntries(Object.entries(made).map(([name, value]) => [name, attribute(value)])),
  });
  const passes = ({ body, attributes }: FilterSample) =>
    filter.rejects({ filterable: readAttributes(attributes), document: body }) === undefined;
  const pattern: unknown = JSON.parse(filter.text);
  return isObject(pattern)
    ? samplesOf(pattern, made => passes(sampleOf(made)), named).map((made, index) => sampleOf(made, index))
    : [];
}

const attribute = (value: unknown) => ({
  DataType: typeof value === 'number' ? 'Number' : 'String',
  StringValue: String(value),
});

/** Bodies that pass one of the filters of an event source mapping: those under `member` of its patterns. */
export function bodiesFor(
  filters: readonly string[],
  member: 'body' | 'data' | 'dynamodb',
  named: NamedValues,
): readonly FilterSample[] {
  return filters.flatMap(text => {
    const pattern: unknown = JSON.parse(text);
    const wanted = isObject(pattern) ? pattern[member] : undefined;
    const bodies = isObject(wanted) ? samplesOf(wanted, made => matches(wanted, made), named) : [];
    return bodies.map((body, index) => ({ body, attributes: {}, isVariation: index > 0 }));
  });
}

/** Whether an event matches. Nothing matches a condition that only filters of SNS can have. */
function matches(pattern: JsonObject, event: JsonObject): boolean {
  try {
    return compileEventPattern(pattern)(event);
  } catch (error) {
    if (error instanceof EventPatternError) return false;
    throw error;
  }
}

/** Objects that match: one for each alternative, and others that differ from it by one value that a pattern names, or a value next to it. */
function samplesOf(pattern: JsonObject, accepts: (made: JsonObject) => boolean, named: NamedValues) {
  const firsts = alternativesOf(pattern)
    .map(objectFor)
    .filter(it => it !== undefined);
  const own = valuesIn([pattern]);
  const of = (path: string) => [...(own.get(path) ?? []), ...(named.get(path) ?? [])].flatMap(near);
  const paths = [...new Set([...own.keys(), ...named.keys()])];
  const all = firsts.flatMap(first =>
    paths.flatMap(path => of(path).map(value => withValue(first, path.split(SEPARATOR), value))),
  );
  const different = new Map([...firsts, ...all].map(made => [JSON.stringify(made), made]));
  const samples: JsonObject[] = [];
  for (const made of different.values()) {
    if (samples.length < MOST_SAMPLES && accepts(made)) samples.push(made);
  }
  return samples;
}

function alternativesOf({ $or, ...others }: JsonObject): readonly JsonObject[] {
  const branches: readonly unknown[] | undefined = Array.isArray($or) ? $or : undefined;
  if (!branches) return [others];
  return branches.filter(isObject).flatMap(it => alternativesOf({ ...others, ...it }));
}

const near = (value: Scalar): readonly Scalar[] =>
  typeof value === 'number' ? [value, value - 1, value + 1] : [value];

function withValue(object: JsonObject, [name = '', ...rest]: readonly string[], value: Scalar): JsonObject {
  const inner = object[name];
  return { ...object, [name]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}

/** The properties of a template that hold an event pattern or a filter policy, as an object or as JSON. */
const PATTERN_MEMBERS = ['EventPattern', 'FilterPolicy', 'Pattern'];

/** The values that all patterns and filters in templates name. */
export function namedValues(templates: readonly JsonObject[]): NamedValues {
  const patterns: JsonObject[] = [];
  const collect = (value: unknown, key: string): void => {
    const read = PATTERN_MEMBERS.includes(key) ? objectIn(value) : undefined;
    if (read) patterns.push(key === 'Pattern' ? partOf(read) : read);
    else if (Array.isArray(value)) for (const item of value) collect(item, '');
    else if (isObject(value)) for (const [name, member] of Object.entries(value)) collect(member, name);
  };
  for (const template of templates) collect(template, '');
  return valuesIn(patterns);
}

/** The part of a mapping's pattern that is about the message. */
const partOf = ({ body, data, dynamodb }: JsonObject): JsonObject => [body, data, dynamodb].find(isObject) ?? {};

function objectIn(value: unknown): JsonObject | undefined {
  if (typeof value !== 'string') return isObject(value) ? value : undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    // The text of a pattern that is no JSON is refused when it is deployed.
    return undefined;
  }
}

function valuesIn(patterns: readonly JsonObject[]): NamedValues {
  const found = new Map<string, Scalar[]>();
  const collect = (pattern: unknown, path: readonly string[]): void => {
    if (Array.isArray(pattern)) {
      if (path.at(-1) === '$or') {
        for (const one of pattern) collect(one, path.slice(0, -1));
        return;
      }
      const values = [...pattern.filter(isScalar), ...pattern.flatMap(conditionValues)];
      const name = path.join(SEPARATOR);
      found.set(name, [...new Set([...(found.get(name) ?? []), ...values])]);
    } else if (isObject(pattern)) {
      for (const [name, inner] of Object.entries(pattern)) collect(inner, [...path, name]);
    }
  };
  for (const pattern of patterns) collect(pattern, []);
  return found;
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** The values that a condition such as `{ prefix: 'a' }` names; for one that only wants a field to be there or not, any value. */
const conditionValues = (condition: unknown): readonly Scalar[] =>
  isObject(condition) ? (condition['exists'] === undefined ? scalarsIn(condition) : [ANY]) : [];

function objectFor(pattern: JsonObject): JsonObject | undefined {
  const made: Record<string, unknown> = {};
  for (const [name, wanted] of Object.entries(pattern)) {
    if (name === '$or') {
      const one = firstOf(Array.isArray(wanted) ? wanted : [], it => (isObject(it) ? objectFor(it) : undefined));
      if (!one) return undefined;
      Object.assign(made, one);
    } else if (Array.isArray(wanted)) {
      if (wanted.some(it => isObject(it) && it['exists'] === false)) continue;
      const value = firstOf(wanted, valueFor);
      if (value === undefined) return undefined;
      made[name] = value;
    } else {
      const inner = isObject(wanted) ? objectFor(wanted) : undefined;
      if (!inner) return undefined;
      made[name] = inner;
    }
  }
  return made;
}

function firstOf<Value>(items: readonly unknown[], of: (item: unknown) => Value | undefined): Value | undefined {
  for (const item of items) {
    const value = of(item);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** A value that satisfies one condition: what the condition names, or something near it. */
function valueFor(condition: unknown): unknown {
  if (!isObject(condition)) return condition;
  const named = scalarsIn(condition);
  const numbers = named.filter(it => typeof it === 'number');
  const texts = named.filter(it => typeof it === 'string');
  const candidates = [
    ...texts.flatMap(it => [it, it.replaceAll('*', ''), it.split('/')[0]]),
    ...numbers,
    ANY,
    ...numbers.flatMap(it => [it + 1, it - 1, (it + (numbers[0] ?? 0)) / 2]),
  ];
  return candidates.find(value => value !== undefined && matches({ x: [condition] }, { x: value }));
}

function scalarsIn(value: unknown): readonly (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(scalarsIn);
  return isObject(value) ? Object.values(value).flatMap(scalarsIn) : [];
}
