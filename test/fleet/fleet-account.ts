import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { KmsCalls } from '../../fleet/aws-calls';
import { DynamoDbTable } from '../../fleet/dynamodb-table';
import { dynamoDbCalls, kmsCalls } from '../../fleet/sdk-calls';
import { Secrets } from '../../fleet/secrets';
import type { EndpointName } from '../../policy/fleet/endpoint';
import { type EndpointItem, itemKeys, type ParkedItem, WAKE_INDEX } from '../../policy/fleet/fleet-items';
import { arnOf, SmallAccount } from '../local/small-account';

export const TABLE_ARN = arnOf('dynamodb', 'table/fleet');

/** The table that `RelayFleet` makes. */
export const TABLE: CreateTableCommandInput = {
  TableName: 'fleet',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'shard', AttributeType: 'N' },
    { AttributeName: 'wakeAtMs', AttributeType: 'N' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: WAKE_INDEX,
      KeySchema: [
        { AttributeName: 'shard', KeyType: 'HASH' },
        { AttributeName: 'wakeAtMs', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
};

/** An account with the table and the key of a fleet. */
export function fleetAccount() {
  const aws = new SmallAccount();
  aws.dynamoDb.call('CreateTable', aws.dynamoDb.owner, TABLE);
  const keyArn = aws.key();
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  const tableAs = ({ dynamoDb }: Pick<typeof aws.clients, 'dynamoDb'>) =>
    new DynamoDbTable(dynamoDbCalls(dynamoDb), 'fleet', wait);
  const decrypted: string[] = [];
  const counted = (calls: KmsCalls): KmsCalls => ({
    ...calls,
    decrypt: input => {
      decrypted.push(input.KeyId);
      return calls.decrypt(input);
    },
  });
  let random = 0;
  const freshBytes = (count: number) => {
    random += 1;
    return new Uint8Array(count).fill(random);
  };
  const secretsOf = (
    fleetName = 'shop',
    { dynamoDb, kms }: Pick<typeof aws.clients, 'dynamoDb' | 'kms'> = aws.clients,
  ) =>
    new Secrets({
      table: tableAs({ dynamoDb }),
      kms: counted(kmsCalls(kms)),
      fleetName,
      keyArn,
      nowMs: () => aws.timeline.nowMs,
      freshBytes,
    });
  return { aws, keyArn, decrypted, waits, wait, table: tableAs(aws.clients), tableAs, secretsOf, freshBytes };
}

export const ORDERS: EndpointName = { tenant: 'acme', endpoint: 'orders' };

export function endpointItem(name: EndpointName, others: Partial<EndpointItem> = {}): EndpointItem {
  const url = 'https://acme.example/hook';
  return { ...itemKeys.endpoint(name), ...name, url, types: ['a'], secrets: [], version: 1, createdAtMs: 0, ...others };
}

export function parkedItem(name: EndpointName, deliveryId: string, dueAtMs: number, data = '{}'): ParkedItem {
  const key = itemKeys.parked(name, dueAtMs, deliveryId);
  const message = { eventId: 'e', type: 'a', data, sentAtMs: 0, attempts: 0, giveUpAtMs: 9e12, reason: 'it is down' };
  return { ...key, deliveryId, dueAtMs, ...message };
}
