import { isObject, type JsonObject } from '../../kernel/json';

/** An instant, which results show as a date. */
export class Timestamp {
  constructor(readonly atMs: number) {}
}

/** A value of the query language; undefined for a missing field. Maps and lists come from `jsonParse`. */
export type Value = string | number | boolean | Timestamp | JsonObject | readonly unknown[] | undefined;

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Converts a value to a number; undefined when it is not numeric. */
export function asNumber(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Timestamp) return value.atMs;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

/** Converts a value to text; undefined for maps and lists. */
export function asText(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  // Insights shows the JSON values true and false as 1 and 0.
  if (typeof value === 'boolean') return value ? '1' : '0';
  return value instanceof Timestamp ? dateText(value.atMs) : undefined;
}

export function resultText(value: Value): string | undefined {
  return asText(value) ?? (value === undefined ? undefined : JSON.stringify(value));
}

export function asBoolean(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  return typeof value === 'number' ? value !== 0 : value !== undefined && value !== '' && value !== '0';
}

/** Converts a JSON value. Null counts as missing. */
export function fromJson(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value;
  return isObject(value) ? value : undefined;
}

/** Compares numbers as numbers and everything else as text. Maps, lists and missing values equal nothing. */
export function areEqual(a: Value, b: Value): boolean {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined && right !== undefined) return left === right;
  const text = asText(a);
  return text !== undefined && text === asText(b);
}

/**
 * Sorts as `sort` does: missing values first, then text, then numbers. Text sorts by Unicode, with runs of digits
 * compared as numbers.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax-Sort.html
 */
export function compareValues(a: Value, b: Value): number {
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined) return 1;
  if (right !== undefined) return -1;
  return compareTexts(asText(a) ?? '', asText(b) ?? '');
}

function compareTexts(a: string, b: string): number {
  const [left, right] = [chunks(a), chunks(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const [x = '', y = ''] = [left[i], right[i]];
    if (x === y) continue;
    const isDigits = /^\d/.test(x) && /^\d/.test(y);
    if (isDigits && x.length !== y.length) return x.length - y.length;
    return x < y ? -1 : 1;
  }
  return 0;
}

const chunks = (text: string): readonly string[] => text.match(/\d+|\D+/g) ?? [];

/** `2026-01-02 03:04:05.678` */
function dateText(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').slice(0, -1);
}
