import type { NormalizedSchema } from '@smithy/core/schema';
import { utcInstantMs } from '../../kernel/clock';
import { ShapeError } from './wire-protocol';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * A scalar that came as text, as everything does in the query protocol, in a path and in a header.
 *
 * @param member the name of the member that holds it, or the list or map it is in
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

/** A number that is one: `1e999` is too large, and CBOR has room for what is no number at all. */
export function finite(number: number, given: unknown): number {
  if (!Number.isFinite(number)) throw new ShapeError('must be a finite number', String(given));
  return number;
}

/** Padding may be left out, as AWS lets it be. */
export function bytesFromBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64');
  const digits = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const isPadded = digits === text.length || text.length % 4 === 0;
  if (digits % 4 === 1 || !isPadded || !BASE64.test(text)) throw new ShapeError('must be base64', text);
  return new Uint8Array(bytes);
}

/** Seconds since the Unix epoch, or an instant as ISO 8601 writes it; one that names no zone is in UTC, wherever this runs. */
export function instantFromText(text: string): Date {
  const ms = DECIMAL.test(text) ? Number(text) * 1000 : utcInstantMs(text);
  const instant = new Date(ms ?? Number.NaN);
  if (Number.isNaN(instant.getTime())) throw new ShapeError('must be an instant', text);
  return instant;
}

/**
 * The numbers among the inputs of all services that may have a fraction. AWS's models tell integers from others, the schemas
 * of the SDK's clients do not.
 */
const WITH_FRACTIONS: ReadonlySet<string> = new Set([
  'AdditionalVersionWeights',
  'Counts',
  'ExecutionEnvironmentMemoryGiBPerVCpu',
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

/** What a long of AWS's holds, and a little more: what is too large for an integer, its own range refuses. */
const MOST = 2 ** 63;

/**
 * A number that its member may hold.
 *
 * @param member the name of the member, or of the list or map the number is in
 * @throws ShapeError for a fraction where an integer belongs
 */
export function numberFor(member: string, number: number): number {
  if (WITH_FRACTIONS.has(member) || (Number.isInteger(number) && Math.abs(number) <= MOST)) return number;
  throw new ShapeError('must be an integer', number);
}
