export { DynamoDb } from './dynamodb';
export { dynamoDbResourceTypes } from './resources';
export { streamRecord } from './stream-record';
export { shardIn } from './table-streams';
export type { DynamoDbTraceEvent } from './trace-events';
