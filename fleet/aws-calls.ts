import type { Item, ReadItem } from './attribute-values';

/** Names and values of an expression of DynamoDB. */
export interface ExpressionMembers {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

interface Conditional extends ExpressionMembers {
  TableName: string;
  ConditionExpression?: string;
}

export interface PutInput extends Conditional {
  Item: Item;
}

export interface DeleteInput extends Conditional {
  Key: Item;
}

export interface UpdateInput extends Conditional {
  Key: Item;
  UpdateExpression: string;
}

export interface QueryInput extends ExpressionMembers {
  TableName: string;
  IndexName?: string;
  KeyConditionExpression: string;
  FilterExpression?: string;
  Limit?: number;
  ScanIndexForward?: boolean;
  ConsistentRead?: boolean;
  ExclusiveStartKey?: Item;
  Select?: 'COUNT';
  ReturnConsumedCapacity?: 'TOTAL';
}

export interface ScanInput {
  TableName: string;
  IndexName: string;
  Segment?: number;
  TotalSegments?: number;
  ExclusiveStartKey?: Item;
}

/** A page of a query or a scan. */
export interface ItemPage {
  Items?: readonly ReadItem[] | undefined;
  LastEvaluatedKey?: ReadItem | undefined;
}

export interface BatchWrite {
  PutRequest?: { Item: Item };
  DeleteRequest?: { Key: Item };
}

/** A write that was not carried out. */
interface UnprocessedWrite {
  readonly PutRequest?: { readonly Item: ReadItem | undefined } | undefined;
  readonly DeleteRequest?: { readonly Key: ReadItem | undefined } | undefined;
}

export interface TransactWrite {
  Put?: PutInput;
  Delete?: DeleteInput;
  Update?: UpdateInput;
}

/** The part of the SDK's `DynamoDB` client that a fleet needs. */
export interface DynamoDbCalls {
  getItem(input: { TableName: string; Key: Item; ConsistentRead?: boolean }): Promise<{ Item?: ReadItem | undefined }>;
  putItem(input: PutInput): Promise<unknown>;
  updateItem(input: UpdateInput): Promise<unknown>;
  deleteItem(input: DeleteInput): Promise<unknown>;
  query(input: QueryInput): Promise<
    ItemPage & {
      Count?: number | undefined;
      ConsumedCapacity?: { readonly CapacityUnits?: number | undefined } | undefined;
    }
  >;
  scan(input: ScanInput): Promise<ItemPage>;
  batchGetItem(input: { RequestItems: Record<string, { Keys: Item[]; ConsistentRead?: boolean }> }): Promise<{
    Responses?: Readonly<Record<string, readonly ReadItem[]>> | undefined;
    UnprocessedKeys?: Readonly<Record<string, { readonly Keys: readonly ReadItem[] | undefined }>> | undefined;
  }>;
  batchWriteItem(input: {
    RequestItems: Record<string, BatchWrite[]>;
  }): Promise<{ UnprocessedItems?: Readonly<Record<string, readonly UnprocessedWrite[]>> | undefined }>;
  transactWriteItems(input: { TransactItems: TransactWrite[] }): Promise<unknown>;
}

/** The part of the SDK's `KMS` client that the secrets of a fleet need. */
export interface KmsCalls {
  generateDataKey(input: {
    KeyId: string;
    KeySpec: 'AES_256';
    EncryptionContext: Record<string, string>;
  }): Promise<{ Plaintext?: Uint8Array | undefined; CiphertextBlob?: Uint8Array | undefined }>;
  decrypt(input: {
    KeyId: string;
    CiphertextBlob: Uint8Array;
    EncryptionContext: Record<string, string>;
  }): Promise<{ Plaintext?: Uint8Array | undefined }>;
}

/** A message of a queue. */
export interface QueueMessage {
  readonly MessageId?: string | undefined;
  readonly Body?: string | undefined;
  readonly ReceiptHandle?: string | undefined;
}

/** The part of the SDK's `SQS` client that a fleet's client needs. */
export interface SqsCalls {
  sendMessage(input: { QueueUrl: string; MessageBody: string; MessageGroupId?: string }): Promise<unknown>;
  receiveMessage(input: {
    QueueUrl: string;
    MaxNumberOfMessages: number;
    VisibilityTimeout: number;
    WaitTimeSeconds: number;
  }): Promise<{ Messages?: readonly QueueMessage[] | undefined }>;
  deleteMessage(input: { QueueUrl: string; ReceiptHandle: string }): Promise<unknown>;
  changeMessageVisibility(input: {
    QueueUrl: string;
    ReceiptHandle: string;
    VisibilityTimeout: number;
  }): Promise<unknown>;
}
