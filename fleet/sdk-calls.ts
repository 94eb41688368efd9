import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { DynamoDbCalls, KmsCalls } from './aws-calls';

/** The calls of a `DynamoDBClient`. A bundle with them is smaller than one with `DynamoDB`, which has every call. */
export function dynamoDbCalls(client: DynamoDBClient): DynamoDbCalls {
  return {
    getItem: input => client.send(new GetItemCommand(input)),
    putItem: input => client.send(new PutItemCommand(input)),
    updateItem: input => client.send(new UpdateItemCommand(input)),
    deleteItem: input => client.send(new DeleteItemCommand(input)),
    query: input => client.send(new QueryCommand(input)),
    scan: input => client.send(new ScanCommand(input)),
    batchGetItem: input => client.send(new BatchGetItemCommand(input)),
    batchWriteItem: input => client.send(new BatchWriteItemCommand(input)),
    transactWriteItems: input => client.send(new TransactWriteItemsCommand(input)),
  };
}

/** The calls of a `KMSClient`. */
export function kmsCalls(client: KMSClient): KmsCalls {
  return {
    generateDataKey: input => client.send(new GenerateDataKeyCommand(input)),
    decrypt: input => client.send(new DecryptCommand(input)),
  };
}
