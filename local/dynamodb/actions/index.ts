import type { ServiceActions } from '../../kernel/service-api';
import type { DynamoDbState } from '../dynamodb-state';
import { batchGetItem, batchWriteItem } from './batches';
import type { DynamoDbActions } from './dynamodb-action';
import { deleteItem, getItem, putItem, updateItem } from './items';
import { query, scan } from './queries';
import {
  describeContinuousBackups,
  describeTimeToLive,
  listTagsOfResource,
  tagResource,
  untagResource,
  updateContinuousBackups,
  updateTimeToLive,
} from './settings';
import { createTable, deleteTable, describeTable, listTables, updateTable } from './tables';
import { transactGetItems, transactWriteItems } from './transactions';

/** Every API action by its name. */
export const DYNAMODB_ACTIONS: ServiceActions<DynamoDbState, DynamoDbActions> = {
  BatchGetItem: batchGetItem,
  BatchWriteItem: batchWriteItem,
  CreateTable: createTable,
  DeleteItem: deleteItem,
  DeleteTable: deleteTable,
  DescribeContinuousBackups: describeContinuousBackups,
  DescribeTable: describeTable,
  DescribeTimeToLive: describeTimeToLive,
  GetItem: getItem,
  ListTables: listTables,
  ListTagsOfResource: listTagsOfResource,
  PutItem: putItem,
  Query: query,
  Scan: scan,
  TagResource: tagResource,
  TransactGetItems: transactGetItems,
  TransactWriteItems: transactWriteItems,
  UntagResource: untagResource,
  UpdateContinuousBackups: updateContinuousBackups,
  UpdateItem: updateItem,
  UpdateTable: updateTable,
  UpdateTimeToLive: updateTimeToLive,
};
