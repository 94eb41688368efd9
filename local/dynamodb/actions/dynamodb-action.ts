import type { AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
import { ownMember } from '../../../policy/json-members';
import type { Caller } from '../../kernel/caller';
import { type ActionFamily, MissingResource, type Resource } from '../../kernel/service-api';
import type { DynamoDbState } from '../dynamodb-state';
import { namedTableNotFound, tableNotFound } from '../errors';
import { keyNames, type Table } from '../table';

export type DynamoDbFamily<Target extends Resource = Resource> = ActionFamily<DynamoDbState, DynamoDB, Target>;

interface Naming {
  readonly TableName?: string | undefined;
  readonly IndexName?: string | undefined;
}

/** A table, or one of its indexes, as policies see it. */
export interface TableTarget extends Resource {
  readonly table: Table;
}

export function tableOf(state: DynamoDbState, { TableName = '', IndexName }: Naming): TableTarget | MissingResource {
  const table = state.find(TableName);
  const path = IndexName === undefined ? '' : `/index/${IndexName}`;
  if (!table) return new MissingResource(`${state.arnOf(state.nameIn(TableName))}${path}`, tableNotFound());
  return { arn: `${table.arn}${path}`, policy: table.policy, table };
}

/** The table of a call about the table itself. */
export function tableNamed(state: DynamoDbState, { TableName = '' }: Naming): Table | MissingResource {
  const name = state.nameIn(TableName);
  return state.find(TableName) ?? new MissingResource(state.arnOf(name), namedTableNotFound(name));
}

interface OfItem {
  readonly Item?: Record<string, AttributeValue> | undefined;
  readonly Key?: Record<string, AttributeValue> | undefined;
}

/** The condition key of the partition keys that a call names. */
export function leadingKeys(items: readonly OfItem[], table: Table): Caller['context'] {
  const [name = ''] = keyNames(table);
  const values = items.flatMap(({ Item, Key }) => {
    const value = ownMember(Item ?? Key ?? {}, name);
    return value?.S ?? value?.N ?? (value?.B ? Buffer.from(value.B).toString('base64') : []);
  });
  return { 'dynamodb:LeadingKeys': values };
}
