import { cbor } from '@smithy/core/cbor';
import type { NormalizedSchema } from '@smithy/core/schema';
import { AwsError } from '../../kernel/aws-error';
import type { ServiceModel } from '../service-model';
import { type DocumentFormat, DocumentReaders, finiteNumber } from './document-reader';
import { withQueryError } from './json-protocol';
import { DOUBLE_MEMBERS, instantFromText } from './scalars';
import { MOST_PARTS, type ParsedRequest, ShapeError, type WireAnswer, type WireProtocol } from './wire-protocol';

const PROTOCOL = 'rpc-v2-cbor';
const EPOCH_TAG = 1;
const PATH = /^\/service\/([^/?]+)\/operation\/([^/?]+)$/;

/** CBOR has types for bytes and instants: an instant is tag 1, seconds since the Unix epoch. */
const CBOR_FORMAT: DocumentFormat = {
  blob: value => {
    if (!(value instanceof Uint8Array)) throw new ShapeError('must be a byte string', value);
    return new Uint8Array(value);
  },
  timestamp: value => {
    if (value instanceof Date) return value;
    if (!isTagged(value) || value.tag !== EPOCH_TAG) throw new ShapeError('must be an instant', value);
    return instantFromText(String(finiteNumber(value.value)));
  },
  number: finiteNumber,
};

const readers = new DocumentReaders(CBOR_FORMAT);

/**
 * Smithy RPC v2 CBOR: a POST to `/service/<prefix>/operation/<action>`. CloudWatch's newer clients use it.
 *
 * @see https://smithy.io/2.0/additional-specs/protocols/smithy-rpc-v2.html
 */
export const rpcV2Cbor: WireProtocol = {
  malformed: 'SerializationException',
  ownErrorsEnd: 'Exception',

  speaks: ({ headers }) => headers['smithy-protocol'] === PROTOCOL,

  parse: (model, { path, body }): ParsedRequest => {
    const [, service, action = ''] = PATH.exec(path) ?? [];
    return {
      action: service === undefined ? undefined : model.actionOf(service, action),
      input: ({ input }) => readers.of(input)(parsedCbor(body)),
    };
  },

  answer: (_model, { output }, value, requestId): WireAnswer => {
    if (output.isUnitSchema()) return reply(200, requestId, Buffer.alloc(0));
    return reply(200, requestId, cborOf(output, value ?? {}));
  },

  refusal: (model: ServiceModel, { code, message, httpStatus, fault }, requestId): WireAnswer => {
    const __type = model.errors.get(code)?.fullName ?? `com.amazon.coral.service#${code}`;
    const answer = reply(
      httpStatus,
      requestId,
      Buffer.from(cbor.serialize(message === '' ? { __type } : { __type, message })),
    );
    return model.queryCompatible ? withQueryError(answer, code, fault) : answer;
  },

  unknownAction: () => new AwsError('UnknownOperationException', '', 404),
};

function parsedCbor(body: Uint8Array): unknown {
  if (body.byteLength === 0) return {};
  const problem = cborProblem(body);
  if (problem !== undefined) throw malformed(problem, body);
  try {
    const value: unknown = cbor.deserialize(body);
    return value;
  } catch (error) {
    throw malformed(String(error), body);
  }
}

function malformed(problem: string, body: Uint8Array): ShapeError {
  return new ShapeError(`must be a CBOR document: ${problem}`, Buffer.from(body.subarray(0, 30)).toString('hex'));
}

const isTagged = (value: unknown): value is { readonly tag: unknown; readonly value: unknown } =>
  typeof value === 'object' && value !== null && 'tag' in value && 'value' in value;

function reply(status: number, requestId: string, body: Uint8Array): WireAnswer {
  return {
    status,
    headers: { 'content-type': 'application/cbor', 'smithy-protocol': PROTOCOL, 'x-amzn-requestid': requestId },
    body,
  };
}

/** Deeper than the shapes of all services. */
const MAX_DEPTH = 64;

const INDEFINITE = 31;
const BREAK = 0xff;

/** The major types that an item's first three bits encode. */
const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const LIST = 4;
const MAP = 5;
const TAG = 6;
const SIMPLE = 7;

/** Tags of large numbers. Reading one takes time quadratic in its length, and no service uses them. */
const LARGE_NUMBERS = [2, 3, 4];

/** The number of items left at one level; `Infinity` until a break. */
type Remaining = number;

/**
 * Finds why bytes are not one CBOR document that is safe to decode; undefined when they are. The SDK's decoder trusts
 * the lengths it reads, because a client trusts its server.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8949#section-3
 */
function cborProblem(bytes: Uint8Array): string | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const levels: Remaining[] = [1];
  let at = 0;
  let items = 0;
  while (levels.length > 0) {
    const level = levels.length - 1;
    const remaining = levels[level] ?? 0;
    if (remaining === 0) {
      levels.pop();
      continue;
    }
    if (at >= bytes.length) return 'it ends too early';
    if (bytes[at] === BREAK) {
      if (remaining !== Number.POSITIVE_INFINITY) return 'it has a break inside an item of fixed length';
      levels.pop();
      at += 1;
      continue;
    }
    levels[level] = remaining - 1;
    items += 1;
    if (items > MOST_PARTS) return `it has more than ${MOST_PARTS} items`;
    const head = headAt(view, at);
    if (!head) return 'it has an invalid item';
    at = head.end;
    const { major, argument } = head;
    if (major < BYTES && argument > Number.MAX_SAFE_INTEGER) return 'it holds a number too large for any service';
    if (major === TAG && LARGE_NUMBERS.includes(argument)) return 'it holds a number too large for any service';
    if (argument === Number.POSITIVE_INFINITY && major === SIMPLE) return 'it has an invalid item';
    if (major === BYTES || major === TEXT) {
      if (argument === Number.POSITIVE_INFINITY) levels.push(argument);
      else at += argument;
    } else if (major === LIST || major === TAG) levels.push(major === TAG ? 1 : argument);
    else if (major === MAP) levels.push(argument * 2);
    if (levels.length > MAX_DEPTH) return 'it is nested too deeply';
    if (at > bytes.length) return 'it ends too early';
  }
  return at === bytes.length ? undefined : 'it continues after its end';
}

interface Head {
  readonly major: number;
  /** A length, a count, a tag or the value itself; `Infinity` for an item that ends with a break. */
  readonly argument: number;
  readonly end: number;
}

function headAt(view: DataView, at: number): Head | undefined {
  const first = view.getUint8(at);
  const major = first >> 5;
  const minor = first & 0x1f;
  if (minor < 24) return { major, argument: minor, end: at + 1 };
  if (minor === INDEFINITE) {
    const mayBeOpen = major >= BYTES && major <= MAP;
    return mayBeOpen ? { major, argument: Number.POSITIVE_INFINITY, end: at + 1 } : undefined;
  }
  const width = 2 ** (minor - 24);
  if (width > 8 || at + 1 + width > view.byteLength) return undefined;
  return { major, argument: unsigned(view, at + 1, width), end: at + 1 + width };
}

function unsigned(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at);
  if (width === 2) return view.getUint16(at);
  return width === 4 ? view.getUint32(at) : Number(view.getBigUint64(at));
}

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
function cborOf(schema: NormalizedSchema, value: unknown, isDouble = false): Uint8Array {
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
