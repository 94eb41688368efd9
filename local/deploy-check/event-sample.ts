import { compileEventPattern } from '../../policy/event-pattern';
import { isObject, type JsonObject } from '../kernel/json';

/** What an event that matches a pattern must have. */
interface EventSample {
  readonly source: string;
  readonly detailType: string;
  readonly resources: readonly string[];
  readonly detail: JsonObject;
}

/** A value for fields that only have to exist, or to differ from others. */
const ANY = 'deploy-check';

/**
 * Makes up an event that matches a pattern; undefined if none is found, such as for a pattern that wants an event of another
 * account.
 *
 * @param pattern as `JSON.parse` returns it
 * @param about the members that every event of the bus has: account and Region
 */
export function sampleOf(pattern: unknown, about: JsonObject): EventSample | undefined {
  const made = isObject(pattern) ? objectFor(pattern) : undefined;
  if (!made || !isObject(pattern)) return undefined;
  const { source = ANY, 'detail-type': detailType = ANY, resources, detail = {} } = made;
  const listed = resources === undefined ? [] : [resources].flat();
  if (typeof source !== 'string' || typeof detailType !== 'string' || !isObject(detail)) return undefined;
  const event = { ...made, source, 'detail-type': detailType, resources: listed, detail };
  if (!matches(pattern, { ...event, ...about })) return undefined;
  return { source, detailType, detail, resources: listed.map(String) };
}

/** A pattern was accepted when its rule was put, so it can be compiled; a part of one may not. */
const matches = (pattern: JsonObject, event: JsonObject): boolean => compileEventPattern(pattern)(event);

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
