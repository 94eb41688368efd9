import type { JsonObject } from '../policy/json-members';

/** A value of DynamoDB, as it is written. */
export type Value =
  | { S: string }
  | { N: string }
  | { BOOL: boolean }
  | { NULL: true }
  | { B: Uint8Array }
  | { L: Value[] }
  | { M: Item };

/** An item, or its key, as it is written. */
export type Item = Record<string, Value>;

/** A value of DynamoDB, as it is read. It has one of these members. */
interface ReadValue {
  readonly S?: string | undefined;
  readonly N?: string | undefined;
  readonly BOOL?: boolean | undefined;
  readonly NULL?: boolean | undefined;
  readonly B?: Uint8Array | undefined;
  readonly L?: readonly ReadValue[] | undefined;
  readonly M?: ReadItem | undefined;
}

export type ReadItem = Readonly<Record<string, ReadValue>>;

/** Writes a string, a number, a Boolean, bytes, null, or a list or an object of them. */
export function toValue(value: unknown): Value {
  switch (typeof value) {
    case 'string':
      return { S: value };
    case 'number':
      return { N: String(value) };
    case 'boolean':
      return { BOOL: value };
    default:
      if (value instanceof Uint8Array) return { B: value };
      if (Array.isArray(value)) return { L: value.map(toValue) };
      return typeof value === 'object' && value !== null ? { M: toItem(value) } : { NULL: true };
  }
}

/** Writes the members of an object that have a value. */
export function toItem(members: object): Item {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, toValue(value)]));
}

function fromValue({ S, N, BOOL, B, L, M }: ReadValue): unknown {
  if (N !== undefined) return Number(N);
  if (L) return L.map(fromValue);
  if (M) return fromItem(M);
  return S ?? BOOL ?? B ?? null;
}

/** Reads an item that the fleet wrote. */
export function fromItem(item: ReadItem): JsonObject {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromValue(value)]));
}
