export { DynamoDb } from './dynamodb';
export { dynamoDbResourceTypes } from './resources';
export { DEFAULT_SHARD, streamRecord } from './stream-record';
export type { DynamoDbTraceEvent } from './trace-events';
