import type { NormalizedSchema } from '@smithy/core/schema';
import { ShapeError } from './shape-error';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** A scalar that came as text, as everything does in the query protocol. */
export function scalarFromText(schema: NormalizedSchema, text: string, path: string): unknown {
  if (schema.isStringSchema()) return text;
  if (schema.isBlobSchema()) return bytesFromBase64(text, path);
  if (schema.isBooleanSchema()) {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new ShapeError(path, 'must be true or false', text);
  }
  if (schema.isTimestampSchema()) return instantFromText(text, path);
  if (!DECIMAL.test(text)) throw new ShapeError(path, 'must be a number', text);
  return Number(text);
}

export function bytesFromBase64(text: string, path: string): Uint8Array {
  if (!BASE64.test(text)) throw new ShapeError(path, 'must be base64', text);
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Seconds since the Unix epoch, or an ISO 8601 instant. */
export function instantFromText(text: string, path: string): Date {
  const instant = new Date(DECIMAL.test(text) ? Number(text) * 1000 : Date.parse(text));
  if (Number.isNaN(instant.getTime())) throw new ShapeError(path, 'must be an instant', text);
  return instant;
}
