import { createHash } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { MINUTE_MS } from '../../../policy/time-units';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { Constraints } from '../../kernel/constraints';
import { type DynamoDbState, reported } from '../dynamodb-state';
import { invalid } from '../errors';
import { type Item, itemBytes } from '../item';
import { type PlannedWrite, plannedDelete, plannedPut, plannedUpdate } from '../writes';
import { permittedTable, placeOf } from './batches';
import type { DynamoDbFamily } from './dynamodb-action';
import { readItem } from './items';

const MOST_ITEMS = 100;
const LARGEST_BYTES = 4 * 1024 * 1024;

/** "A client token is valid for 10 minutes". */
const TOKEN_MS = 10 * MINUTE_MS;

/** Why a write was not carried out, in DynamoDB's JSON. */
interface CancellationReason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: Item;
}

interface TransactedWrite {
  readonly plan: PlannedWrite;
  readonly isCheck: boolean;
  /** Whether a failed condition returns the item. */
  readonly returnsOld: boolean;
}

export const transactionActions = {
  TransactWriteItems: {
    permission: null,
    run: (state, { caller, input }) => {
      const { TransactItems = [], ClientRequestToken, ReturnConsumedCapacity } = input;
      checkCount(TransactItems);
      if (ClientRequestToken !== undefined && isKnown(state, ClientRequestToken, TransactItems)) return {};
      const writes = TransactItems.map(item => planned(state, caller, item));
      checkDistinct(writes);
      const outcomes = writes.map(({ plan, isCheck, returnsOld }) => outcomeOf(plan, isCheck, returnsOld));
      const reasons = outcomes.map(({ reason }) => reason);
      if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
      const bytes = outcomes.reduce((sum, { after }) => sum + (after ? itemBytes(after) : 0), 0);
      if (bytes > LARGEST_BYTES) throw invalid('Collection size limit exceeded: the transaction is larger than 4 MB');
      const ConsumedCapacity = outcomes.flatMap(({ plan: { table, before }, after, isCheck }) => {
        // "DynamoDB performs two underlying … writes of every item in the transaction".
        const units = 2 * (isCheck ? 1 : state.change(table, before, after));
        return reported(ReturnConsumedCapacity, table, units).ConsumedCapacity ?? [];
      });
      return ConsumedCapacity.length > 0 ? { ConsumedCapacity } : {};
    },
  },

  TransactGetItems: {
    permission: null,
    run: (state, { caller, input: { TransactItems = [], ReturnConsumedCapacity } }) => {
      checkCount(TransactItems);
      const reads = TransactItems.map(({ Get = { TableName: '', Key: {} } }) => {
        const table = permittedTable(state, caller, 'GetItem', Get.TableName ?? '', [Get]);
        const { item, units } = readItem(state, table, { ...Get, ConsistentRead: true });
        const { ConsumedCapacity } = reported(ReturnConsumedCapacity, table, 2 * units);
        return { Response: item ? { Item: item } : {}, ConsumedCapacity };
      });
      const ConsumedCapacity = reads.flatMap(read => read.ConsumedCapacity ?? []);
      const Responses = reads.map(({ Response }) => Response);
      return { Responses, ...(ConsumedCapacity.length > 0 && { ConsumedCapacity }) };
    },
  },
} satisfies DynamoDbFamily;

function planned(state: DynamoDbState, caller: Caller, item: TransactWriteItem): TransactedWrite {
  const { Put, Update, Delete, ConditionCheck } = item;
  const asked = Put ?? Update ?? Delete ?? ConditionCheck;
  if (!asked || Object.keys(item).length !== 1) {
    throw invalid('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  const permission = Put ? 'PutItem' : Update ? 'UpdateItem' : Delete ? 'DeleteItem' : 'ConditionCheckItem';
  const table = permittedTable(state, caller, permission, asked.TableName ?? '', [asked]);
  const { ReturnValuesOnConditionCheckFailure: wanted, ...request } = asked;
  const plan = Put
    ? plannedPut(state, table, { ...request, Item: Put.Item })
    : Update
      ? plannedUpdate(state, table, { ...request, Key: Update.Key })
      : plannedDelete(state, table, { ...request, Key: (Delete ?? ConditionCheck)?.Key });
  return { plan, isCheck: ConditionCheck !== undefined, returnsOld: wanted === 'ALL_OLD' };
}

function checkCount(items: readonly object[]): void {
  new Constraints(invalid).length('transactItems', items, 1, MOST_ITEMS).check();
}

function checkDistinct(writes: readonly TransactedWrite[]): void {
  if (new Set(writes.map(({ plan }) => placeOf(plan))).size === writes.length) return;
  throw invalid('Transaction request cannot include multiple operations on one item');
}

function isKnown(state: DynamoDbState, token: string, items: readonly TransactWriteItem[]): boolean {
  const text = createHash('sha256').update(JSON.stringify(items)).digest('hex');
  const known = state.transactions.get(token);
  if (known && known.untilMs > state.nowMs) {
    if (known.text === text) return true;
    throw new AwsError(
      'IdempotentParameterMismatchException',
      'Request parameters do not match those of the same token',
    );
  }
  state.transactions.set(token, { text, untilMs: state.nowMs + TOKEN_MS });
  return false;
}

function outcomeOf(plan: PlannedWrite, isCheck: boolean, returnsOld: boolean) {
  const outcome = (reason: CancellationReason, after?: Item) => ({ plan, isCheck, reason, after });
  if (!plan.isMet) {
    const item = returnsOld && plan.before ? { Item: plan.before } : {};
    return outcome({ Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...item });
  }
  try {
    return outcome({ Code: 'None' }, isCheck ? undefined : plan.after());
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return outcome({ Code: 'ValidationError', Message: error.message });
  }
}

function cancelled(reasons: readonly CancellationReason[]): AwsError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  return new AwsError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    400,
    { CancellationReasons: reasons },
  );
}
