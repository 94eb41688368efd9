import type { NormalizedSchema } from '@smithy/core/schema';
import { bytesFromBase64, instantFromText } from './scalars';
import { memberPath, ShapeError } from './shape-error';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A value of the schema's shape from parsed JSON. The SDK's own deserializer trusts its server; a server must not trust
 * its clients, so every member is checked. Members the schema does not know are left out, null ones count as absent.
 *
 * @throws ShapeError naming the member, the rule and the value
 */
export function readJson(schema: NormalizedSchema, value: unknown, path = ''): unknown {
  if (schema.isUnitSchema()) return {};
  if (schema.isStructSchema()) return readStructure(schema, value, path);
  if (schema.isListSchema()) return readList(schema.getValueSchema(), value, path);
  if (schema.isMapSchema()) return readMap(schema.getValueSchema(), value, path);
  return readScalar(schema, value, path);
}

function readStructure(schema: NormalizedSchema, value: unknown, path: string): Members {
  if (!isMembers(value)) throw new ShapeError(path, 'must be an object', value);
  const members: [string, unknown][] = [];
  for (const [name, member] of schema.structIterator()) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given !== undefined && given !== null) members.push([name, readJson(member, given, memberPath(path, name))]);
  }
  return Object.fromEntries(members);
}

function readList(item: NormalizedSchema, value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ShapeError(path, 'must be a list', value);
  return value.map((given: unknown, i) => readJson(item, given, memberPath(path, i)));
}

function readMap(item: NormalizedSchema, value: unknown, path: string): Members {
  if (!isMembers(value)) throw new ShapeError(path, 'must be an object', value);
  const given = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(given.map(([key, entry]) => [key, readJson(item, entry, memberPath(path, key))]));
}

function readScalar(schema: NormalizedSchema, value: unknown, path: string): unknown {
  if (schema.isStringSchema()) return ofType('string', value, path);
  if (schema.isBooleanSchema()) return ofType('boolean', value, path);
  if (schema.isBlobSchema()) return bytesFromBase64(String(ofType('string', value, path)), path);
  if (schema.isTimestampSchema()) return instantFromText(String(value), path);
  return ofType('number', value, path);
}

function ofType(type: 'string' | 'boolean' | 'number', value: unknown, path: string): unknown {
  if (typeof value !== type) throw new ShapeError(path, `must be a ${type}`, value);
  return value;
}
