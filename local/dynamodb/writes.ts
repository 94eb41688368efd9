import type { DeleteItemInput, PutItemInput, UpdateItemInput } from '@aws-sdk/client-dynamodb';
import { AwsError } from '../kernel/aws-error';
import { meets } from './conditions';
import type { DynamoDbState } from './dynamodb-state';
import { invalid, refuse } from './errors';
import { answeredItem, type Item, itemBytes } from './item';
import { type Checked, checkedRequest, LARGEST_ITEM_BYTES } from './requests';
import { loadRules } from './rules';
import type { Table } from './table';
import { updated } from './updates';

/** A write that was checked, and not carried out yet. */
export interface PlannedWrite {
  readonly table: Table;
  readonly checked: Checked;
  /** The item before the write. */
  readonly before: Item | undefined;
  readonly isMet: boolean;
  /** The item after the write; undefined if it does not exist then. @throws AwsError */
  after(): Item | undefined;
}

type Wanted = Pick<PutItemInput, 'ReturnValuesOnConditionCheckFailure'>;

export function plannedPut(state: DynamoDbState, table: Table, input: PutItemInput): PlannedWrite {
  const checked = checkedRequest(state, 'putItem', input);
  refuse(loadRules().db.validateItem(checked.Item, table));
  if (itemBytes(checked.Item) > LARGEST_ITEM_BYTES) {
    throw invalid('Item size has exceeded the maximum allowed size');
  }
  return planned(table, checked, checked.Item, () => checked.Item);
}

export function plannedUpdate(state: DynamoDbState, table: Table, input: UpdateItemInput): PlannedWrite {
  const checked = checkedRequest(state, 'updateItem', input);
  const { db } = loadRules();
  refuse(db.validateKey(checked.Key, table));
  refuse(db.validateUpdates(undefined, checked._updates, table));
  return planned(table, checked, checked.Key, before => {
    const after = updated(before ?? checked.Key, checked._updates?.sections ?? [], checked.values);
    refuse(db.validateItem(after, table));
    if (itemBytes(after) <= LARGEST_ITEM_BYTES) return after;
    throw invalid('Item size to update has exceeded the maximum allowed size');
  });
}

/** @throws AwsError when DynamoDB refuses the request */
export function plannedDelete(state: DynamoDbState, table: Table, input: DeleteItemInput): PlannedWrite {
  const checked = checkedRequest(state, 'deleteItem', input);
  refuse(loadRules().db.validateKey(checked.Key, table));
  return planned(table, checked, checked.Key, () => undefined);
}

function planned(
  table: Table,
  checked: Checked,
  key: Item,
  after: (before: Item | undefined) => Item | undefined,
): PlannedWrite {
  const before = table.get(key);
  const isMet = !checked._condition || meets(before ?? {}, checked._condition.expression, checked.values);
  return { table, checked, before, isMet, after: () => after(before) };
}

/**
 * Carries out a write.
 */
export function carryOut(state: DynamoDbState, write: PlannedWrite, { ReturnValuesOnConditionCheckFailure }: Wanted) {
  const { table, before } = write;
  if (!write.isMet) {
    // A failed condition is charged as a write.
    state.change(table, undefined, undefined);
    const isWanted = ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before;
    // The members of an error are written as they are: in DynamoDB's JSON.
    const members = isWanted ? { Item: before } : {};
    throw new AwsError('ConditionalCheckFailedException', 'The conditional request failed', 400, members);
  }
  const after = write.after();
  return { before, after, units: state.change(table, before, after) };
}

/** The attributes that a write returns. */
export function returned(item: Item | undefined) {
  return item && Object.keys(item).length > 0 ? { Attributes: answeredItem(item) } : {};
}
