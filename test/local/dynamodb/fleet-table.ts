import {
  type AttributeValue,
  type CreateTableCommandInput,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { arnOf, SmallAccount } from '../small-account';

export const TABLE_ARN = arnOf('dynamodb', 'table/fleet');

export const TABLE: CreateTableCommandInput = {
  TableName: 'fleet',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'N' },
    { AttributeName: 'due', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byDue',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'due', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

export type Json = Record<string, AttributeValue>;

export const key = (pk: string, sk: number) => ({ pk: { S: pk }, sk: { N: String(sk) } });
export const text = (S: string) => ({ S });
export const number = (N: number | string) => ({ N: String(N) });

/** A table of an account, with what a client does most. */
export function started(table: Partial<CreateTableCommandInput> = {}) {
  const aws = new SmallAccount();
  aws.dynamoDb.call('CreateTable', aws.dynamoDb.owner, { ...TABLE, ...table });
  const { dynamoDb } = aws.clients;
  const put = (Item: Json, input: Partial<PutItemCommandInput> = {}) =>
    dynamoDb.send(new PutItemCommand({ TableName: 'fleet', Item, ...input }));
  const get = async (Key: Json) => (await dynamoDb.send(new GetItemCommand({ TableName: 'fleet', Key }))).Item;
  const query = (input: Partial<QueryCommandInput> = {}) =>
    dynamoDb.send(
      new QueryCommand({
        TableName: 'fleet',
        KeyConditionExpression: 'pk = :a',
        ExpressionAttributeValues: { ':a': text('a') },
        ...input,
      }),
    );
  return { aws, dynamoDb, put, get, query };
}
