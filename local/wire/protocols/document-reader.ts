import type { NormalizedSchema } from '@smithy/core/schema';
import { isObject } from '../../kernel/json';
import { bytesFromBase64, finite, instantFromText, numberFor } from './scalars';
import { inMember, ShapeError } from './wire-protocol';

/** Converts a parsed document to a value of one shape. */
type Reader = (value: unknown) => unknown;

/** The types that each document format writes in its own way. */
export interface DocumentFormat {
  readonly blob: Reader;
  readonly timestamp: Reader;
  /** Returns a finite number, which may have a fraction. */
  readonly number: (value: unknown) => number;
}

/** JSON: bytes are base64, instants are seconds since the Unix epoch or ISO 8601. */
export const JSON_FORMAT: DocumentFormat = {
  blob: value => bytesFromBase64(String(ofType('string', value))),
  timestamp: value => instantFromText(String(value)),
  number: finiteNumber,
};

/**
 * Creates readers of documents, which check every member: a server must not trust its clients as the SDK's
 * deserializers trust their server. Members that the schema does not know are omitted, and null members count as
 * absent. A reader is created once for each shape, so that reading does not consult the schema.
 *
 * The readers throw a `ShapeError` naming the member, the rule and the value.
 */
export class DocumentReaders {
  private readonly made = new WeakMap<object, Reader>();

  constructor(private readonly format: DocumentFormat) {}

  /** @param member the name of the member that holds the value, or of its list or map */
  of(schema: NormalizedSchema, member = ''): Reader {
    const key = schema.getSchema();
    if (typeof key !== 'object') return this.make(schema, member);
    const known = this.made.get(key);
    if (known) return known;
    // A shape may contain itself. Until its reader is complete, its members use this one.
    const later: { read?: Reader } = {};
    this.made.set(key, value => later.read?.(value));
    later.read = this.make(schema, member);
    this.made.set(key, later.read);
    return later.read;
  }

  private make(schema: NormalizedSchema, member: string): Reader {
    if (schema.isUnitSchema()) return () => ({});
    if (schema.isStructSchema()) return structureReader(this.members(schema));
    if (schema.isListSchema()) return listReader(this.of(schema.getValueSchema(), member));
    if (schema.isMapSchema()) return mapReader(this.of(schema.getValueSchema(), member));
    if (schema.isStringSchema()) return value => ofType('string', value);
    if (schema.isBooleanSchema()) return value => ofType('boolean', value);
    if (schema.isBlobSchema()) return this.format.blob;
    if (schema.isTimestampSchema()) return this.format.timestamp;
    if (schema.isDocumentSchema()) return value => value;
    return value => numberFor(member, this.format.number(value));
  }

  private members(schema: NormalizedSchema): readonly MemberReader[] {
    return [...schema.structIterator()].map(([name, member]) => ({ name, read: this.of(member, name) }));
  }
}

interface MemberReader {
  readonly name: string;
  readonly read: Reader;
}

function structureReader(members: readonly MemberReader[]): Reader {
  return value => {
    if (!isObject(value)) throw new ShapeError('must be an object', value);
    const structure: Record<string, unknown> = {};
    for (const { name, read } of members) {
      const given = value[name];
      if (given === undefined || given === null || !Object.hasOwn(value, name)) continue;
      try {
        structure[name] = read(given);
      } catch (error) {
        throw inMember(name, error);
      }
    }
    return structure;
  };
}

function listReader(read: Reader): Reader {
  return value => {
    if (!Array.isArray(value)) throw new ShapeError('must be a list', value);
    return value.map((given: unknown, i) => {
      try {
        return read(given);
      } catch (error) {
        throw inMember(i, error);
      }
    });
  };
}

function mapReader(read: Reader): Reader {
  return value => {
    if (!isObject(value)) throw new ShapeError('must be an object', value);
    const given = Object.entries(value).filter(([, entry]) => entry !== null);
    // Assignment would treat the key `__proto__` specially.
    return Object.fromEntries(
      given.map(([key, entry]) => {
        try {
          return [key, read(entry)];
        } catch (error) {
          throw inMember(key, error);
        }
      }),
    );
  };
}

function ofType(type: 'string' | 'boolean' | 'number', value: unknown): unknown {
  if (typeof value !== type) throw new ShapeError(`must be a ${type}`, value);
  return value;
}

export function finiteNumber(value: unknown): number {
  return finite(Number(ofType('number', value)), value);
}
