import type { NormalizedSchema } from '@smithy/core/schema';
import { DOUBLE_MEMBERS, doublesAsJson } from './scalars';

type Writer = (value: unknown) => string;

/** Formats of instants that are not written as seconds since the Unix epoch. */
const INSTANTS: ReadonlyMap<unknown, (instant: Date) => string> = new Map([
  [5, instant => JSON.stringify(instant.toISOString())],
  [6, instant => JSON.stringify(instant.toUTCString())],
]);

/**
 * Creates writers of JSON, once for each shape, so that writing does not consult the schema. Members that are
 * undefined, null or unknown to the schema are omitted.
 */
export class JsonWriters {
  private readonly made = new WeakMap<object, Writer>();

  of(schema: NormalizedSchema): Writer {
    const key = schema.getSchema();
    if (typeof key !== 'object') return this.make(schema);
    const known = this.made.get(key);
    if (known) return known;
    // A shape may contain itself. While its writer is being made, its members get this stand-in, which calls the writer later.
    const later: { write?: Writer } = {};
    this.made.set(key, value => later.write?.(value) ?? 'null');
    later.write = this.make(schema);
    this.made.set(key, later.write);
    return later.write;
  }

  private make(schema: NormalizedSchema): Writer {
    if (schema.isStructSchema()) return structureWriter(this.members(schema));
    if (schema.isListSchema()) return listWriter(this.of(schema.getValueSchema()));
    if (schema.isMapSchema()) return mapWriter(this.of(schema.getValueSchema()));
    if (schema.isBlobSchema()) return value => `"${base64(value)}"`;
    if (schema.isTimestampSchema()) return instantWriter(schema.getSchema());
    return value => JSON.stringify(value) ?? 'null';
  }

  private members(schema: NormalizedSchema): readonly MemberWriter[] {
    return [...schema.structIterator()].map(([name, member]) => {
      return {
        name,
        key: `${JSON.stringify(name)}:`,
        write: holdsDoubles(name, member) ? doublesAsJson : this.of(member),
      };
    });
  }
}

function holdsDoubles(name: string, member: NormalizedSchema): boolean {
  if (!DOUBLE_MEMBERS.has(name)) return false;
  const isCollection = member.isListSchema() || member.isMapSchema();
  return (isCollection ? member.getValueSchema() : member).isNumericSchema();
}

interface MemberWriter {
  readonly name: string;
  /** The quoted name and a colon. */
  readonly key: string;
  readonly write: Writer;
}

type Members = Readonly<Record<string, unknown>>;

function structureWriter(members: readonly MemberWriter[]): Writer {
  return value => {
    const structure = (value ?? {}) as Members;
    let text = '';
    for (const { name, key, write } of members) {
      const given = structure[name];
      if (given === undefined || given === null) continue;
      text += text === '' ? key : `,${key}`;
      text += write(given);
    }
    return `{${text}}`;
  };
}

function listWriter(write: Writer): Writer {
  return value => `[${(value as readonly unknown[]).map(item => (item === null ? 'null' : write(item))).join(',')}]`;
}

function mapWriter(write: Writer): Writer {
  return value => {
    const entries = Object.entries(value as Members).filter(([, entry]) => entry !== undefined && entry !== null);
    return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${write(entry)}`).join(',')}}`;
  };
}

function base64(value: unknown): string {
  return Buffer.from(value as Uint8Array | string).toString('base64');
}

function instantWriter(schema: unknown): Writer {
  const write = INSTANTS.get(schema) ?? (instant => String(instant.getTime() / 1000));
  return value => write(value as Date);
}
