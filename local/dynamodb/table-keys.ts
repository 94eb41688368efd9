import type { AttributeDefinition, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import { ownMember } from '../../policy/json-members';
import { type Item, typeOf, type Value } from './item';
import type { RowKey } from './rows';
import { loadRules } from './rules';

/** What decides where an item is: of a table, or of one of its indexes. */
export interface Keyed {
  readonly AttributeDefinitions: readonly AttributeDefinition[];
  readonly KeySchema: readonly KeySchemaElement[];
}

/** The names of the key attributes: of the partition key, then of the sort key. */
export const keyNames = ({ KeySchema }: Pick<Keyed, 'KeySchema'>): readonly string[] =>
  KeySchema.map(({ AttributeName = '' }) => AttributeName);

/** A text that sorts as the value does: a number by its size, a string by its bytes in UTF-8. */
export function sortText(value: Value): string {
  return loadRules().db.toRangeStr(value.S ?? value.N ?? value.B ?? '', typeOf(value));
}

/** The partition of a value of the partition key. The texts of two values never begin with each other. */
export function partitionOf(value: Value): string {
  const { hashPrefix } = loadRules().db;
  return `${hashPrefix(value.S ?? value.N ?? value.B ?? '', typeOf(value))}/${sortText(value)}/`;
}

/** Where an item is that has all key attributes; undefined if it has not. */
export function rowKey(item: Item, schema: Pick<Keyed, 'KeySchema'>): RowKey | undefined {
  const [partition, sort] = keyNames(schema);
  const hash = ownMember(item, partition ?? '');
  const range = sort === undefined ? undefined : ownMember(item, sort);
  if (!hash || (sort !== undefined && !range)) return undefined;
  return { partition: partitionOf(hash), sort: range ? `${sortText(range)}/` : '' };
}

/** Where an item is in an index: several items may have the same key there. */
export function indexRowKey(item: Item, index: Pick<Keyed, 'KeySchema'>, table: Keyed): RowKey | undefined {
  const own = rowKey(item, index);
  const inTable = own && rowKey(item, table);
  return own && inTable && { partition: own.partition, sort: `${own.sort}${inTable.partition}${inTable.sort}` };
}
