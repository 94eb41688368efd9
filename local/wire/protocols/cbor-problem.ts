import { MOST_PARTS } from './body';

/** Deeper than any shape of any service. */
const MAX_DEPTH = 64;

const INDEFINITE = 31;
const BREAK = 0xff;

/** What the first three bits of an item say it is. */
const BYTES = 2;
const TEXT = 3;
const LIST = 4;
const MAP = 5;
const TAG = 6;
const SIMPLE = 7;

/** A tag whose bytes are one large number, which takes the square of its length to read, and which no service asks for. */
const LARGE_NUMBERS = [2, 3, 4];

/** How many items there still are at one level; `Infinity` until a break. */
type Remaining = number;

/**
 * Why bytes are not one CBOR document that is safe to decode, or undefined when they are. The SDK's decoder believes the
 * lengths it reads, as a client may that knows its server.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8949#section-3
 */
export function cborProblem(bytes: Uint8Array): string | undefined {
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
      if (remaining !== Number.POSITIVE_INFINITY) return 'it breaks off what has a length';
      levels.pop();
      at += 1;
      continue;
    }
    levels[level] = remaining - 1;
    items += 1;
    if (items > MOST_PARTS) return `it has more than ${MOST_PARTS} items`;
    const head = headAt(view, at);
    if (!head) return 'it has an item that is none';
    at = head.end;
    const { major, argument } = head;
    if (major < BYTES && argument > Number.MAX_SAFE_INTEGER) return 'it holds a number too large for any service';
    if (major === TAG && LARGE_NUMBERS.includes(argument)) return 'it holds a number too large for any service';
    if (argument === Number.POSITIVE_INFINITY && major === SIMPLE) return 'it has an item that is none';
    if (major === BYTES || major === TEXT) {
      if (argument === Number.POSITIVE_INFINITY) levels.push(argument);
      else at += argument;
    } else if (major === LIST || major === TAG) levels.push(major === TAG ? 1 : argument);
    else if (major === MAP) levels.push(argument * 2);
    if (levels.length > MAX_DEPTH) return 'it is nested too deeply';
    if (at > bytes.length) return 'it ends too early';
  }
  return at === bytes.length ? undefined : 'it goes on after its end';
}

interface Head {
  readonly major: number;
  /** A length, a count, a tag or the value itself; `Infinity` for what goes on until a break. */
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
