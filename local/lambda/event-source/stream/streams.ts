import type { JsonObject } from '../../../kernel/json';

/** A record of a stream. */
export interface StreamRecord {
  readonly sequenceNumber: string;
  readonly shardId: string;
  readonly partitionKey: string;
  /** Milliseconds since the Unix epoch. */
  readonly arrivedAtMs: number;
  /** The record in the function's event, without the members that every record of a stream has. */
  readonly members: JsonObject;
}

/** Streams keep records for a day, unless they are configured otherwise. */
export const RETENTION_MS = 24 * 3_600_000;

interface Stream {
  readonly records: StreamRecord[];
  readonly listeners: Set<(records: readonly StreamRecord[]) => void>;
}

/**
 * The records that a scenario has put into streams of Kinesis and DynamoDB. The streams themselves are not simulated.
 */
export class Streams {
  private readonly byArn = new Map<string, Stream>();
  private count = 0;

  /** A sequence number after all others. */
  nextSequenceNumber(): string {
    this.count += 1;
    return String(this.count).padStart(21, '4959000000000000000000'.slice(0, 21));
  }

  append(streamArn: string, records: readonly StreamRecord[]): void {
    const stream = this.streamOf(streamArn);
    stream.records.push(...records);
    for (const listen of stream.listeners) listen(records);
  }

  /** All records that were put into the stream, oldest first. Those older than its retention cannot be read. */
  recordsOf(streamArn: string): readonly StreamRecord[] {
    return this.streamOf(streamArn).records;
  }

  /** @returns a function that stops the calls */
  follow(streamArn: string, listen: (records: readonly StreamRecord[]) => void): () => void {
    const { listeners } = this.streamOf(streamArn);
    listeners.add(listen);
    return () => listeners.delete(listen);
  }

  private streamOf(streamArn: string): Stream {
    const known = this.byArn.get(streamArn);
    if (known) return known;
    const stream: Stream = { records: [], listeners: new Set() };
    this.byArn.set(streamArn, stream);
    return stream;
  }
}
