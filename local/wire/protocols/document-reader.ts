import type { NormalizedSchema } from '@smithy/core/schema';
import { isMembers } from '../../kernel/json';
import { bytesFromBase64, finite, instantFromText, numberFor } from './scalars';
import { inMember, ShapeError } from './wire-protocol';

/** Makes a value of one shape from a parsed document. */
export type Reader = (value: unknown) => unknown;

/** What one document format writes in a way of its own. */
export interface DocumentFormat {
  readonly blob: Reader;
  readonly timestamp: Reader;
  /** Finite, perhaps with a fraction. */
  readonly number: (value: unknown) => number;
}

/** JSON: bytes are base64, instants are seconds since the Unix epoch or ISO 8601. */
export const JSON_FORMAT: DocumentFormat = {
  blob: value => bytesFromBase64(String(ofType('string', value))),
  timestamp: value => instantFromText(String(value)),
  number: finiteNumber,
};

/**
 * Makes readers of documents. The SDK's own deserializers trust their server; a server must not trust its clients, so
 * every member is checked. Members the schema does not know are left out, null ones count as absent. A reader is made
 * once for each shape, so that reading asks the schema nothing any more.
 *
 * The readers throw a `ShapeError` naming the member, the rule and the value.
 */
export class DocumentReaders {
  private readonly made = new WeakMap<object, Reader>();

  constructor(private readonly format: DocumentFormat) {}

  /** @param member the name of the member that holds the value, or the list or map it is in */
  of(schema: NormalizedSchema, member = ''): Reader {
    const key = schema.getSchema();
    if (typeof key !== 'object') return this.make(schema, member);
    const known = this.made.get(key);
    if (known) return known;
    // A shape may contain itself: whoever asks for its reader meanwhile gets this one.
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
    if (!isMembers(value)) throw new ShapeError('must be an object', value);
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
    if (!isMembers(value)) throw new ShapeError('must be an object', value);
    const given = Object.entries(value).filter(([, entry]) => entry !== null);
    // Not by assignment: a key such as `__proto__` is a key like any other.
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
