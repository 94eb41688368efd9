import type { DeleteItemInput, PutItemInput, UpdateItemInput } from '@aws-sdk/client-dynamodb';
import Big from 'big.js';
import { ownMember } from '../../policy/json-members';
import { AwsError } from '../kernel/aws-error';
import { meets, setOf } from './conditions';
import type { DynamoDbState } from './dynamodb-state';
import { invalid, refuse } from './errors';
import { type Change, givenValue, isCall, isPath, type Operand, type Path, valueAt } from './expressions';
import { answeredItem, type Item, itemBytes, typeOf, type Value } from './item';
import { type Checked, checkedRequest, LARGEST_ITEM_BYTES } from './requests';
import { loadRules } from './rules';
import type { Table } from './table';

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

const wrongType = () => invalid('An operand in the update expression has an incorrect data type');

/** A value whose members can be changed. */
interface Draft {
  L?: (Draft | undefined)[];
  M?: Record<string, Draft>;
  [type: string]: unknown;
}

/**
 * Applies an update expression. All values are those of the item before the update, and positions in lists too.
 *
 * @param values the values of the request
 * @throws AwsError for a change that the item does not allow
 */
function updated(item: Item, changes: readonly Change[], values: Item): Item {
  const resolved = changes.map(change => ({ change, value: resultOf(change, item, values) }));
  const root: Draft = { M: structuredClone(item) as Record<string, Draft> };
  const lists = new Set<Draft>();
  for (const { change, value } of resolved) {
    const parent = parentOf(root, change.path);
    const last = change.path.at(-1) ?? '';
    if (parent.L) {
      lists.add(parent);
      // An element after the end of the list is appended.
      if (value) parent.L[Number(last)] = structuredClone(value) as Draft;
      else delete parent.L[Number(last)];
    } else if (value && parent.M) setMember(parent.M, String(last), structuredClone(value) as Draft);
    else delete parent.M?.[last];
  }
  for (const list of lists) list.L = list.L?.filter(() => true);
  return root.M as Item;
}

/** An assignment would not keep a member named `__proto__`. */
function setMember(members: Record<string, Draft>, name: string, value: Draft): void {
  Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true });
}

function parentOf(root: Draft, path: Path): Draft {
  let parent: Draft | undefined = root;
  for (const step of path.slice(0, -1))
    parent = typeof step === 'number' ? parent?.L?.[step] : parent?.M && ownMember(parent.M, step);
  if (parent && (typeof path.at(-1) === 'number' ? parent.L : parent.M)) return parent;
  throw invalid('The document path provided in the update expression is invalid for update');
}

/** The value that the change gives its attribute; undefined if it removes it. */
function resultOf({ type, path, val }: Change, item: Item, values: Item): Value | undefined {
  if (type === 'remove') return undefined;
  const value = valueIn(val, item, values);
  if (type === 'set') return value;
  const before = valueAt(item, path);
  if (before && typeOf(before) !== typeOf(value)) throw wrongType();
  if (value.N !== undefined) return sum(before ?? { N: '0' }, value, 'plus');
  const [held, given] = [(before && setOf(before)) ?? [], setOf(value) ?? []];
  const after = type === 'add' ? [...new Set([...held, ...given])] : held.filter(member => !given.includes(member));
  return after.length === 0 ? undefined : { [typeOf(value)]: after };
}

function valueIn(operand: Operand, item: Item, values: Item): Value {
  if (isPath(operand)) {
    const value = valueAt(item, operand);
    if (value) return value;
    throw invalid('The provided expression refers to an attribute that does not exist in the item');
  }
  if (!isCall(operand)) return givenValue(operand, values);
  const { type, name, args } = operand;
  const [first, second] = args;
  if (!first || !second) throw wrongType();
  if (name === 'if_not_exists') return (isPath(first) && valueAt(item, first)) || valueIn(second, item, values);
  const [a, b] = [valueIn(first, item, values), valueIn(second, item, values)];
  if (type !== 'function') return sum(a, b, type === 'add' ? 'plus' : 'minus');
  if (a.L && b.L) return { L: [...a.L, ...b.L] };
  throw wrongType();
}

function sum(a: Value, b: Value, operation: 'plus' | 'minus'): Value {
  if (a.N === undefined || b.N === undefined) throw wrongType();
  const result = { N: new Big(a.N)[operation](b.N).toFixed() };
  const problem = loadRules().validations.validateAttributeValue(result);
  if (problem !== undefined) throw invalid(problem);
  return result;
}
