import type { GetItemInput } from '@aws-sdk/client-dynamodb';
import { type DynamoDbState, reported } from '../dynamodb-state';
import { refuse } from '../errors';
import { answeredItem, type Item, itemBytes } from '../item';
import { type Checked, checkedRequest } from '../requests';
import { loadRules } from '../rules';
import type { Table } from '../table';
import { carryOut, plannedDelete, plannedPut, plannedUpdate, returned } from '../writes';
import { type DynamoDbFamily, leadingKeys, type TableTarget, tableOf } from './dynamodb-action';

export const itemActions = {
  GetItem: {
    resourceOf: tableOf,
    contextOf: (input, { table }) => leadingKeys([input], table),
    run: (state, { caller, input }, { table }) => {
      state.checkKey(table, caller);
      const { item, units } = readItem(state, table, input);
      return { ...(item && { Item: item }), ...reported(input.ReturnConsumedCapacity, table, units) };
    },
  },

  PutItem: {
    resourceOf: tableOf,
    contextOf: (input, { table }) => leadingKeys([input], table),
    run: (state, { caller, input }, { table }) => {
      const planned = plannedPut(state, table, input);
      state.checkKey(table, caller);
      const { before, units } = carryOut(state, planned, input);
      return {
        ...(input.ReturnValues === 'ALL_OLD' && returned(before)),
        ...reported(input.ReturnConsumedCapacity, table, units),
      };
    },
  },

  DeleteItem: {
    resourceOf: tableOf,
    contextOf: (input, { table }) => leadingKeys([input], table),
    run: (state, { caller, input }, { table }) => {
      const planned = plannedDelete(state, table, input);
      state.checkKey(table, caller);
      const { before, units } = carryOut(state, planned, input);
      return {
        ...(input.ReturnValues === 'ALL_OLD' && returned(before)),
        ...reported(input.ReturnConsumedCapacity, table, units),
      };
    },
  },

  UpdateItem: {
    resourceOf: tableOf,
    contextOf: (input, { table }) => leadingKeys([input], table),
    run: (state, { caller, input }, { table }) => {
      const planned = plannedUpdate(state, table, input);
      state.checkKey(table, caller);
      const { before, after, units } = carryOut(state, planned, input);
      const [, what, when] = /^(ALL|UPDATED)_(OLD|NEW)$/.exec(input.ReturnValues ?? '') ?? [];
      const item = when === 'OLD' ? before : when === 'NEW' ? after : undefined;
      const paths = planned.checked._updates?.paths ?? [];
      const attributes = item && what === 'UPDATED' ? loadRules().db.mapPaths(paths, item) : item;
      return { ...returned(attributes), ...reported(input.ReturnConsumedCapacity, table, units) };
    },
  },
} satisfies DynamoDbFamily<TableTarget>;

/** Reads one item. @throws AwsError when DynamoDB refuses the request */
export function readItem(state: DynamoDbState, table: Table, input: GetItemInput) {
  const checked = checkedRequest(state, 'getItem', input);
  refuse(loadRules().db.validateKey(checked.Key, table));
  const item = table.get(checked.Key);
  const bytes = item ? itemBytes(item) : 0;
  const units = state.read(table, bytes, input.ConsistentRead === true);
  return { item: item && answeredItem(projected(item, checked, table)), bytes, units };
}

/** The attributes that a projection wants. */
export function projected(item: Item, { _projection }: Checked, table: Table): Item {
  if (!_projection) return item;
  const { db } = loadRules();
  refuse(db.validateKeyPaths(_projection.nestedPaths, table));
  return db.mapPaths(_projection.paths, item);
}
