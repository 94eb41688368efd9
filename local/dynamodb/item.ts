import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ownMember } from '../../policy/json-members';

/** An attribute value as in DynamoDB's JSON: bytes are base64. */
export interface Value {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly Value[];
  readonly M?: Item;
}

/** An item, or a key, as it is stored: attribute values by name. */
export type Item = Readonly<Record<string, Value>>;

type SdkItem = Record<string, AttributeValue>;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const mapped = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

/** Copies a value of a caller in the form in which it is stored. A value of several types keeps all of them: DynamoDB refuses it. */
function storedValue({ B, BS, L, M, $unknown: _, ...others }: AttributeValue): Value {
  return {
    ...others,
    ...(B && { B: base64(B) }),
    ...(BS && { BS: BS.map(base64) }),
    ...(L && { L: L.map(storedValue) }),
    ...(M && { M: storedItem(M) }),
  };
}

export const storedItem = (item: SdkItem): Item => mapped(item, storedValue);

function answeredValue(value: Value): AttributeValue {
  const { B, BS, L, M } = value;
  if (B !== undefined) return { B: Buffer.from(B, 'base64') };
  if (BS) return { BS: BS.map(text => Buffer.from(text, 'base64')) };
  if (L) return { L: L.map(answeredValue) };
  if (M) return { M: answeredItem(M) };
  // A stored value has exactly one type.
  return value as AttributeValue;
}

export const answeredItem = (item: Item): SdkItem => mapped(item, answeredValue);

/** The type of a value, for example `S`. */
export const typeOf = (value: Value): string => Object.keys(value)[0] ?? '';

/** The members of `item` that are named. */
export function partOf(item: Item, names: Iterable<string>): Item {
  const members = [...names].map(name => [name, ownMember(item, name)] as const);
  return Object.fromEntries(members.filter((it): it is readonly [string, Value] => it[1] !== undefined));
}

/** The bytes of an item, as DynamoDB counts them: names and values.
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

const DOCUMENT_OVERHEAD = 3;

function valueBytes({ S, N, B, SS, NS, BS, L, M }: Value): number {
  const sum = <T>(of: readonly T[], bytes: (one: T) => number) => of.reduce((all, one) => all + bytes(one), 0);
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return numberBytes(N);
  if (B !== undefined) return Buffer.byteLength(B, 'base64');
  if (SS) return sum(SS, text => Buffer.byteLength(text));
  if (NS) return sum(NS, numberBytes);
  if (BS) return sum(BS, text => Buffer.byteLength(text, 'base64'));
  if (L) return DOCUMENT_OVERHEAD + sum(L, one => 1 + valueBytes(one));
  if (M) return DOCUMENT_OVERHEAD + Object.keys(M).length + itemBytes(M);
  return 1;
}

/** "approximately … 1 byte per two significant digits + 1 byte", and one more for a negative number. */
function numberBytes(text: string): number {
  const digits = text
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '')
    .replace(/0+$/, '').length;
  return Math.ceil(digits / 2) + (text.startsWith('-') ? 2 : 1);
}
