import type { AttributeValue, KeysAndAttributes, WriteRequest } from '@aws-sdk/client-dynamodb';
import { ownMember } from '../../../policy/json-members';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { type DynamoDbState, reported } from '../dynamodb-state';
import { invalid, tableNotFound } from '../errors';
import { storedItem } from '../item';
import { checkedByRules } from '../requests';
import type { Table } from '../table';
import { carryOut, type PlannedWrite, plannedDelete, plannedPut } from '../writes';
import { type DynamoDbFamily, leadingKeys } from './dynamodb-action';
import { readItem } from './items';

/** "the response size limit" of a batch. */
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;

/** Checks the permission of a call that names several tables for one of them. */
export function permittedTable(
  state: DynamoDbState,
  caller: Caller,
  permission: string,
  name: string,
  items: Parameters<typeof leadingKeys>[0],
): Table {
  const table = state.find(name);
  const arn = table?.arn ?? state.arnOf(state.nameIn(name));
  const context = table ? { ...caller.context, ...leadingKeys(items, table) } : caller.context;
  state.checks.checkAccess({ ...caller, context }, `dynamodb:${permission}`, { arn, policy: table?.policy });
  if (!table) throw tableNotFound();
  state.checkKey(table, caller);
  return table;
}

/**
 * Whether a fault concerns one item of a batch: DynamoDB then answers with the other items, and returns this one. A scenario sets
 * such a fault on the action for a single item, such as `PutItem`.
 */
function isThrottled({ context }: DynamoDbState, action: string, { arn }: Table): boolean {
  return context.faults.check('dynamodb', action, arn) !== undefined;
}

/** The error if no item of a batch could be processed. */
const throttled = (): AwsError =>
  new AwsError(
    'ProvisionedThroughputExceededException',
    'The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level ' +
      'with the UpdateTable API.',
  );

const MOST_WRITES = 25;

export const batchActions = {
  BatchGetItem: {
    permission: null,
    run: (state, { caller, input: { RequestItems = {}, ReturnConsumedCapacity } }) => {
      const asked = Object.entries(RequestItems);
      const wire = asked.map(([name, { Keys = [] }]) => [state.nameIn(name), { Keys: Keys.map(storedItem) }]);
      checkedByRules('batchGetItem', { RequestItems: Object.fromEntries(wire) });
      const Responses: Record<string, Record<string, AttributeValue>[]> = {};
      const UnprocessedKeys: Record<string, KeysAndAttributes> = {};
      const units = new Map<Table, number>();
      let bytes = 0;
      for (const [name, { Keys = [], ...request }] of asked) {
        const table = permittedTable(
          state,
          caller,
          'BatchGetItem',
          name,
          Keys.map(Key => ({ Key })),
        );
        const items: Record<string, AttributeValue>[] = [];
        const left = Keys.filter(Key => {
          if (bytes >= LARGEST_ANSWER_BYTES || isThrottled(state, 'GetItem', table)) return true;
          const read = readItem(state, table, { ...request, TableName: table.name, Key });
          bytes += read.bytes;
          units.set(table, (units.get(table) ?? 0) + read.units);
          if (read.item) items.push(read.item);
          return false;
        });
        Responses[name] = items;
        if (left.length > 0) UnprocessedKeys[name] = { ...request, Keys: left };
      }
      if (units.size === 0) throw throttled();
      const ConsumedCapacity = [...units].flatMap(
        ([table, used]) => reported(ReturnConsumedCapacity, table, used).ConsumedCapacity ?? [],
      );
      return { Responses, UnprocessedKeys, ...(ConsumedCapacity.length > 0 && { ConsumedCapacity }) };
    },
  },

  BatchWriteItem: {
    permission: null,
    run: (state, { caller, input: { RequestItems = {}, ReturnConsumedCapacity } }) => {
      const asked = Object.entries(RequestItems);
      checkWrites(state, asked);
      const writes = asked.flatMap(([name, requests]) => {
        const table = permittedTable(state, caller, 'BatchWriteItem', name, requests.map(itemOf));
        return requests.map(request => ({ name, request, ...plannedWrite(state, table, request) }));
      });
      checkDistinct(writes);
      const UnprocessedItems: Record<string, WriteRequest[]> = {};
      const units = new Map<Table, number>();
      for (const { name, request, action, plan } of writes) {
        const { table } = plan;
        if (isThrottled(state, action, table))
          UnprocessedItems[name] = [...(ownMember(UnprocessedItems, name) ?? []), request];
        else units.set(table, (units.get(table) ?? 0) + carryOut(state, plan, {}).units);
      }
      if (units.size === 0) throw throttled();
      const ConsumedCapacity = [...units].flatMap(
        ([table, used]) => reported(ReturnConsumedCapacity, table, used).ConsumedCapacity ?? [],
      );
      return { UnprocessedItems, ...(ConsumedCapacity.length > 0 && { ConsumedCapacity }) };
    },
  },
} satisfies DynamoDbFamily;

const itemOf = ({ PutRequest, DeleteRequest }: WriteRequest) => ({ Item: PutRequest?.Item, Key: DeleteRequest?.Key });

function plannedWrite(state: DynamoDbState, table: Table, { PutRequest, DeleteRequest }: WriteRequest) {
  const TableName = table.name;
  return PutRequest
    ? { action: 'PutItem', plan: plannedPut(state, table, { TableName, Item: PutRequest.Item }) }
    : { action: 'DeleteItem', plan: plannedDelete(state, table, { TableName, Key: DeleteRequest?.Key }) };
}

function checkWrites(state: DynamoDbState, asked: readonly (readonly [string, readonly WriteRequest[]])[]): void {
  const wire = asked.map(([name, requests]) => [
    state.nameIn(name),
    requests.map(({ PutRequest, DeleteRequest }) => ({
      ...(PutRequest && { PutRequest: { Item: storedItem(PutRequest.Item ?? {}) } }),
      ...(DeleteRequest && { DeleteRequest: { Key: storedItem(DeleteRequest.Key ?? {}) } }),
    })),
  ]);
  checkedByRules('batchWriteItem', { RequestItems: Object.fromEntries(wire) });
  const count = asked.reduce((sum, [, requests]) => sum + requests.length, 0);
  if (count > MOST_WRITES) throw invalid('Too many items requested for the BatchWriteItem call');
}

function checkDistinct(writes: readonly { readonly plan: PlannedWrite }[]): void {
  const places = writes.map(({ plan }) => placeOf(plan));
  if (new Set(places).size < places.length) throw invalid('Provided list of item keys contains duplicates');
}

/** The item that a write concerns, as a text. */
export function placeOf({ table, checked }: PlannedWrite): string {
  const { partition, sort } = table.keyOf({ ...checked.Item, ...checked.Key });
  return `${table.name} ${partition}${sort}`;
}
