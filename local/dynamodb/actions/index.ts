import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { SdkActions } from '../../kernel/service-api';
import { batchActions } from './batches';
import { itemActions } from './items';
import { queryActions } from './queries';
import { settingActions } from './settings';
import { type StreamActions, streamActions } from './streams';
import { tableActions } from './tables';
import { transactionActions } from './transactions';

const tableApi = {
  ...batchActions,
  ...tableActions,
  ...itemActions,
  ...settingActions,
  ...queryActions,
  ...transactionActions,
};

/**
 * The API actions of DynamoDB and of its streams that the embedded AWS implements.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations.html
 */
export const DYNAMODB_ACTIONS = { ...tableApi, ...streamActions };

export type DynamoDbActions = SdkActions<DynamoDB, keyof typeof tableApi> & StreamActions;
