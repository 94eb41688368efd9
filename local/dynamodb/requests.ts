import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { notImplemented } from '../kernel/aws-error';
import type { DynamoDbState } from './dynamodb-state';
import { awsErrorOf, isFailure } from './errors';
import { EXPRESSIONS, type ExpressionInput, type Expressions, givenValue } from './expressions';
import { type Item, storedItem, type Value } from './item';
import { loadRules, type RuledAction } from './rules';

/** The largest item. @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
export const LARGEST_ITEM_BYTES = 409_600;

/** Parameters from before expressions, which AWS still accepts. */
const LEGACY = ['AttributesToGet', 'AttributeUpdates', 'ConditionalOperator', 'Expected', 'QueryFilter', 'ScanFilter'];

/** What requests about items have in common, as the SDK has it. */
interface ItemRequest {
  readonly TableName?: string | undefined;
  readonly Item?: Record<string, AttributeValue> | undefined;
  readonly Key?: Record<string, AttributeValue> | undefined;
  readonly ExclusiveStartKey?: Record<string, AttributeValue> | undefined;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined;
}

/** A checked request: its values in the form in which they are stored, and its expressions parsed. */
export interface Checked extends Expressions {
  readonly Item: Item;
  readonly Key: Item;
  readonly ExclusiveStartKey?: Item;
  readonly KeyConditions?: Readonly<Record<string, KeyCondition>>;
  /** The values that the expressions name. */
  readonly values: Item;
}

export interface KeyCondition {
  readonly ComparisonOperator: string;
  readonly AttributeValueList: readonly Value[];
}

/**
 * Checks a request by the rules of dynalite.
 */
export function checkedRequest(state: DynamoDbState, action: RuledAction, input: ItemRequest): Checked {
  const legacy = LEGACY.find(name => name in input);
  if (legacy !== undefined) throw notImplemented(`the legacy parameter ${legacy} of DynamoDB`);
  const { Item, Key, ExclusiveStartKey, ExpressionAttributeValues, TableName } = input;
  const values = storedItem(ExpressionAttributeValues ?? {});
  const given = ExpressionAttributeValues && { ExpressionAttributeValues: values };
  const expressions = state.expressions.parse({ ...(input as ExpressionInput), ...given });
  // The expressions are checked already. A condition on the key counts as a parameter from before expressions.
  const others = Object.entries(input).filter(([name]) => !isExpression(name));
  const data = checkedByRules(action, {
    ...Object.fromEntries(others),
    ...(TableName !== undefined && { TableName: state.nameIn(TableName) }),
    ...(Item && { Item: storedItem(Item) }),
    ...(Key && { Key: storedItem(Key) }),
    ...(ExclusiveStartKey && { ExclusiveStartKey: storedItem(ExclusiveStartKey) }),
    ...(expressions._keyConditions && { KeyConditions: keyConditions(expressions._keyConditions, values) }),
  });
  return { Item: {}, Key: {}, ...data, ...expressions, values };
}

const isExpression = (name: string): boolean =>
  name.startsWith('Expression') || EXPRESSIONS.some(expression => expression === name);

function keyConditions(conditions: NonNullable<Expressions['_keyConditions']>, values: Item) {
  const entries = Object.entries(conditions).map(([name, { ComparisonOperator, AttributeValueList }]) => [
    name,
    { ComparisonOperator, AttributeValueList: AttributeValueList.map(operand => givenValue(operand, values)) },
  ]);
  return Object.fromEntries(entries) as Readonly<Record<string, KeyCondition>>;
}

/** @returns a copy of the request, with its numbers in their usual form */
export function checkedByRules(action: RuledAction, request: object): Partial<Checked> {
  const { validations, actions } = loadRules();
  const { types, custom } = actions[action];
  const store = { options: { maxItemSize: LARGEST_ITEM_BYTES } };
  try {
    const data = validations.checkTypes(request, types);
    validations.checkValidations(data, types, custom, store);
    return data;
  } catch (error) {
    if (isFailure(error)) throw awsErrorOf(error);
    throw error;
  }
}
