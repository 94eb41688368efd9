import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { SdkActions } from '../../kernel/service-api';
import { batchActions } from './batches';
import { itemActions } from './items';
import { queryActions } from './queries';
import { settingActions } from './settings';
import { tableActions } from './tables';
import { transactionActions } from './transactions';

/**
 * The API actions of DynamoDB that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations.html
 */
export const DYNAMODB_ACTIONS = {
  ...batchActions,
  ...tableActions,
  ...itemActions,
  ...settingActions,
  ...queryActions,
  ...transactionActions,
};

export type DynamoDbActions = SdkActions<DynamoDB, keyof typeof DYNAMODB_ACTIONS>;
