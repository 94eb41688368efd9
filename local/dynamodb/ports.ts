import type { streamRecord } from './stream-record';

export interface DynamoDbDependencies {
  /** The streams that event source mappings read. */
  readonly streams: {
    nextSequenceNumber(): string;
    append(streamArn: string, records: readonly ReturnType<typeof streamRecord>[]): void;
  };
}
