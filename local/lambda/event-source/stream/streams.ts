import { DAY_MS } from '../../../../policy/time-units';
import type { JsonObject } from '../../../kernel/json';
import type { Scheduled, Scheduler } from '../../../kernel/timeline';

export interface StreamRecord {
  readonly sequenceNumber: string;
  readonly shardId: string;
  readonly partitionKey: string;
  /** Milliseconds since the Unix epoch. */
  readonly arrivedAtMs: number;
  /** The record in the function's event, without the members that every record of a stream has. */
  readonly members: JsonObject;
}

interface Stream {
  readonly records: StreamRecord[];
  readonly listeners: Set<(records: readonly StreamRecord[]) => void>;
  readonly mappings: Set<(expired: readonly StreamRecord[]) => void>;
  expiry: Scheduled | undefined;
  trimmedUpTo: string | undefined;
}

/** The records of streams: the changes of tables, and what a scenario has put into streams of Kinesis and DynamoDB. */
export class Streams {
  private readonly byArn = new Map<string, Stream>();
  private count = 0;

  /** @param retentionMs of a Kinesis stream, or undefined for the default */
  constructor(
    private readonly scheduler: Scheduler,
    private readonly kinesisRetentionMs: (streamArn: string) => number | undefined,
  ) {}

  /** How long the stream keeps records. DynamoDB's keep them for a day, and so do those of Kinesis by default. */
  retentionMs(streamArn: string): number {
    return this.kinesisRetentionMs(streamArn) ?? DAY_MS;
  }

  /** A sequence number after all others. */
  nextSequenceNumber(): string {
    this.count += 1;
    return String(this.count).padStart(21, '4959000000000000000000'.slice(0, 21));
  }

  append(streamArn: string, records: readonly StreamRecord[]): void {
    const stream = this.streamOf(streamArn);
    stream.records.push(...records);
    this.planExpiry(streamArn, stream);
    for (const listen of stream.listeners) listen(records);
  }

  /** All records that the stream has, oldest first. */
  recordsOf(streamArn: string): readonly StreamRecord[] {
    const stream = this.streamOf(streamArn);
    this.expire(streamArn, stream);
    return stream.records;
  }

  /** The sequence number of the newest record that has expired. */
  trimmedUpTo(streamArn: string): string | undefined {
    return this.streamOf(streamArn).trimmedUpTo;
  }

  /** @returns a function that stops the calls */
  follow(streamArn: string, listen: (records: readonly StreamRecord[]) => void): () => void {
    const { listeners } = this.streamOf(streamArn);
    listeners.add(listen);
    return () => listeners.delete(listen);
  }

  /**
   * Tells a mapping of the stream, whether it is enabled or not, about the records that expire.
   *
   * @returns a function that stops the calls
   */
  whenExpired(streamArn: string, tell: (expired: readonly StreamRecord[]) => void): () => void {
    const { mappings } = this.streamOf(streamArn);
    mappings.add(tell);
    return () => mappings.delete(tell);
  }

  /** Expiry is background work: `runUntilIdle` does not wait for it. */
  private planExpiry(streamArn: string, stream: Stream): void {
    const [oldest] = stream.records;
    if (!oldest || stream.expiry) return;
    stream.expiry = this.scheduler.inBackground(oldest.arrivedAtMs + this.retentionMs(streamArn), () => {
      stream.expiry = undefined;
      this.expire(streamArn, stream);
      this.planExpiry(streamArn, stream);
    });
  }

  private expire(streamArn: string, stream: Stream): void {
    const { records, mappings } = stream;
    const expiredMs = this.scheduler.nowMs - this.retentionMs(streamArn);
    const kept = records.findIndex(({ arrivedAtMs }) => arrivedAtMs > expiredMs);
    const expired = records.splice(0, kept === -1 ? records.length : kept);
    if (expired.length === 0) return;
    stream.trimmedUpTo = expired.at(-1)?.sequenceNumber;
    for (const tell of mappings) tell(expired);
  }

  private streamOf(streamArn: string): Stream {
    const known = this.byArn.get(streamArn);
    if (known) return known;
    const stream: Stream = {
      records: [],
      listeners: new Set(),
      mappings: new Set(),
      expiry: undefined,
      trimmedUpTo: undefined,
    };
    this.byArn.set(streamArn, stream);
    return stream;
  }
}
