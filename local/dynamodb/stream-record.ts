import type { JsonObject } from '../kernel/json';

export interface ItemChange {
  readonly event: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** In DynamoDB's JSON: `{ id: { S: '1' } }`. */
  readonly keys: Readonly<Record<string, object>>;
  readonly newImage?: Readonly<Record<string, object>> | undefined;
  readonly oldImage?: Readonly<Record<string, object>> | undefined;
  /** Whether DynamoDB itself deleted the item, after its time to live. @default false */
  readonly isExpiry?: boolean;
}

interface RecordFacts {
  readonly sequenceNumber: string;
  readonly shardId: string;
  readonly arrivedAtMs: number;
  readonly eventId: string;
  readonly view: string;
}

/** The record of a change. @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html */
export function streamRecord(change: ItemChange, facts: RecordFacts) {
  const { event, keys, newImage, oldImage, isExpiry } = change;
  const { sequenceNumber, shardId, arrivedAtMs, eventId, view } = facts;
  const dynamodb = {
    ApproximateCreationDateTime: Math.floor(arrivedAtMs / 1000),
    Keys: keys,
    ...(newImage && { NewImage: newImage }),
    ...(oldImage && { OldImage: oldImage }),
    SequenceNumber: sequenceNumber,
    SizeBytes: Buffer.byteLength(JSON.stringify({ keys, newImage, oldImage })),
    StreamViewType: view,
  };
  const members: JsonObject = {
    eventID: eventId,
    eventName: event,
    ...(isExpiry && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
    dynamodb,
  };
  return { sequenceNumber, shardId, partitionKey: JSON.stringify(keys), arrivedAtMs, members };
}
