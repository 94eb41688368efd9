import type { NormalizedSchema } from '@smithy/core/schema';
import { DOUBLE_MEMBERS } from './doubles';

/** The major types of CBOR's items. */
const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const LIST = 4;
const MAP = 5;
const TAG = 6;

const EPOCH_TAG = 1;
const FALSE = 0xf4;
const TRUE = 0xf5;
const NULL = 0xf6;
const FLOAT64 = 0xfb;

type Members = Readonly<Record<string, unknown>>;

/**
 * Encodes a value of the schema's shape in CBOR. A double is a float even if it has no fraction, as AWS sends it; the
 * SDK's encoder would write an integer. Members that are undefined, null or unknown to the schema are omitted.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8949#section-3
 */
export function cborOf(schema: NormalizedSchema, value: unknown, isDouble = false): Uint8Array {
  if (value === undefined || value === null) return Uint8Array.of(NULL);
  if (schema.isStructSchema()) return structureOf(schema, value as Members);
  if (schema.isListSchema()) {
    const items = (value as readonly unknown[]).map(item => cborOf(schema.getValueSchema(), item, isDouble));
    return Buffer.concat([head(LIST, items.length), ...items]);
  }
  if (schema.isMapSchema()) {
    const entries = Object.entries(value as Members).filter(([, entry]) => entry !== undefined && entry !== null);
    const items = entries.flatMap(([key, entry]) => [textOf(key), cborOf(schema.getValueSchema(), entry, isDouble)]);
    return Buffer.concat([head(MAP, entries.length), ...items]);
  }
  return scalarOf(value, isDouble);
}

function structureOf(schema: NormalizedSchema, structure: Members): Uint8Array {
  const members = [...schema.structIterator()].filter(([name]) => (structure[name] ?? null) !== null);
  const items = members.flatMap(([name, member]) => {
    return [textOf(name), cborOf(member, structure[name], DOUBLE_MEMBERS.has(name))];
  });
  return Buffer.concat([head(MAP, members.length), ...items]);
}

function scalarOf(value: unknown, isDouble: boolean): Uint8Array {
  if (typeof value === 'boolean') return Uint8Array.of(value ? TRUE : FALSE);
  if (typeof value === 'number') return isDouble ? floatOf(value) : numberOf(value);
  if (value instanceof Date) return Buffer.concat([head(TAG, EPOCH_TAG), numberOf(value.getTime() / 1_000)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(BYTES, value.byteLength), value]);
  return textOf(String(value));
}

function textOf(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([head(TEXT, bytes.length), bytes]);
}

function numberOf(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) return floatOf(value);
  return value >= 0 ? head(UNSIGNED, value) : head(NEGATIVE, -1 - value);
}

function floatOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes[0] = FLOAT64;
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

/** Writes a major type with its argument: a length, a count, a tag or the value itself. */
function head(major: number, argument: number): Uint8Array {
  const type = major << 5;
  if (argument < 24) return Uint8Array.of(type | argument);
  if (argument < 0x100) return Uint8Array.of(type | 24, argument);
  const width = argument < 0x1_0000 ? 2 : argument < 0x1_0000_0000 ? 4 : 8;
  const bytes = Buffer.alloc(1 + width);
  bytes[0] = type | (width === 2 ? 25 : width === 4 ? 26 : 27);
  if (width === 8) bytes.writeBigUInt64BE(BigInt(argument), 1);
  else bytes.writeUIntBE(argument, 1, width);
  return bytes;
}
