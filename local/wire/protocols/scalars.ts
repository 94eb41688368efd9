import type { NormalizedSchema } from '@smithy/core/schema';
import { utcInstantMs } from '../../kernel/clock';
import { doubleText } from '../../kernel/double';
import { isObject } from '../../kernel/json';
import { ShapeError } from './wire-protocol';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Parses a scalar from text. In the query protocol, in paths and in headers, every scalar is text.
 *
 * @param member the name of the member that holds it, or of its list or map
 */
export function scalarFromText(schema: NormalizedSchema, text: string, member: string): unknown {
  if (schema.isStringSchema()) return text;
  if (schema.isBlobSchema()) return bytesFromBase64(text);
  if (schema.isBooleanSchema()) {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new ShapeError('must be true or false', text);
  }
  if (schema.isTimestampSchema()) return instantFromText(text);
  return numberFor(member, numberFromText(text));
}

function numberFromText(text: string): number {
  if (!DECIMAL.test(text)) throw new ShapeError('must be a number', text);
  return finite(Number(text), text);
}

/** Checks that a number is finite: `1e999` overflows, and CBOR can hold NaN and infinity. */
export function finite(number: number, given: unknown): number {
  if (!Number.isFinite(number)) throw new ShapeError('must be a finite number', String(given));
  return number;
}

/** Decodes base64. As on AWS, padding is optional. */
export function bytesFromBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  const digits = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const isPadded = digits === text.length || text.length % 4 === 0;
  if (digits % 4 === 1 || !isPadded || !BASE64.test(text)) throw new ShapeError('must be base64', text);
  return new Uint8Array(bytes);
}

/**
 * Parses seconds since the Unix epoch, or an ISO 8601 instant. One without a time zone is in UTC, whatever the
 * machine's zone is.
 */
export function instantFromText(text: string): Date {
  const ms = DECIMAL.test(text) ? Number(text) * 1000 : utcInstantMs(text);
  const instant = new Date(ms ?? Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new ShapeError('must be an instant', text);
  return instant;
}

/** The limit of AWS's long, rounded up. The range of a smaller integer is checked by its service. */
const MOST = 2 ** 63;

/**
 * Checks that its member can hold a number.
 *
 * @param member the name of the member, or of its list or map
 */
export function numberFor(member: string, number: number): number {
  if (DOUBLE_MEMBERS.has(member) || (Number.isInteger(number) && Math.abs(number) <= MOST)) return number;
  throw new ShapeError('must be an integer', number);
}

/**
 * The members of all services that AWS's models type as doubles, as lists or as maps of them. The schemas of the SDK's
 * clients do not distinguish doubles from integers.
 */
export const DOUBLE_MEMBERS: ReadonlySet<string> = new Set([
  'AdditionalVersionWeights',
  'Average',
  'Counts',
  'ExecutionEnvironmentMemoryGiBPerVCpu',
  'ExtendedStatistics',
  'Maximum',
  'Minimum',
  'SampleCount',
  'Sum',
  'TargetValue',
  'Threshold',
  'Value',
  'Values',
  'defaultValue',
]);

/** Writes the numbers of a value as AWS writes doubles (recorded on AWS: `30.0`), and the rest as JSON. */
export function doublesAsJson(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return doubleText(value);
  if (Array.isArray(value)) return `[${value.map(doublesAsJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .map(([key, entry]) => `${JSON.stringify(key)}:${doublesAsJson(entry)}`)
    .join(',')}}`;
}

/** Replaces the numbers in an answer's double members by their text, for a protocol in which every scalar is text. */
export function withDoublesAsText(value: unknown, isDouble = false): unknown {
  if (typeof value === 'number') return isDouble ? doubleText(value) : value;
  if (Array.isArray(value)) return value.map(item => withDoublesAsText(item, isDouble));
  if (!isObject(value) || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      withDoublesAsText(member, isDouble || DOUBLE_MEMBERS.has(name)),
    ]),
  );
}
