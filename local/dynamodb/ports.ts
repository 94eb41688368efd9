import type { streamRecord } from './stream-record';

type StreamRecord = ReturnType<typeof streamRecord>;

export interface DynamoDbDependencies {
  /** The records of streams, which event source mappings read too. */
  readonly streams: {
    nextSequenceNumber(): string;
    append(streamArn: string, records: readonly StreamRecord[]): void;
    /** The records that a stream still has, oldest first. */
    recordsOf(streamArn: string): readonly StreamRecord[];
    /** The sequence number of the newest record that has expired. */
    trimmedUpTo(streamArn: string): string | undefined;
  };
}
