import type { streamRecord } from './stream-record';

/** What DynamoDB needs of other services. */
export interface DynamoDbDependencies {
  /** The streams that event source mappings read. */
  readonly streams: {
    nextSequenceNumber(): string;
    append(streamArn: string, records: readonly ReturnType<typeof streamRecord>[]): void;
  };
}
