import { createHash } from 'node:crypto';
import type { KeySchemaElement, StreamViewType } from '@aws-sdk/client-dynamodb';
import { isoInstantMs } from '../../policy/instants';
import { DAY_MS } from '../../policy/time-units';
import { AwsError } from '../kernel/aws-error';
import { isoInstant } from '../kernel/clock';
import type { Resource } from '../kernel/service-api';

/** The stream of a table. It has one shard while it is enabled: AWS replaces shards every few hours. */
export interface TableStream extends Resource {
  readonly label: string;
  readonly tableName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly view: StreamViewType;
  readonly shardId: string;
  readonly createdAtMs: number;
}

/** What a table tells its stream. */
type OfTable = Pick<TableStream, 'arn' | 'tableName' | 'keySchema' | 'view'>;

/** How long a stream can be read after it was disabled, or its table deleted. */
const KEPT_MS = DAY_MS;

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html */
export class TableStreams {
  private readonly byArn = new Map<string, TableStream>();
  private readonly closedAtMs = new Map<string, number>();

  /** @param of with the ARN of the table */
  open({ arn: tableArn, ...of }: OfTable, nowMs: number): TableStream {
    const label = isoInstant(nowMs).replace('Z', '');
    const arn = `${tableArn}/stream/${label}`;
    const stream = { arn, label, ...of, shardId: shardIn(arn), createdAtMs: nowMs };
    this.byArn.set(arn, stream);
    this.closedAtMs.delete(arn);
    return stream;
  }

  close({ arn }: TableStream, nowMs: number): void {
    this.closedAtMs.set(arn, nowMs);
  }

  isClosed({ arn }: TableStream): boolean {
    return this.closedAtMs.has(arn);
  }

  /** Streams by ARN. **Assumption DYNAMODB-5:** A disabled stream exists for as long as it has records: 24 hours. */
  at(nowMs: number): ReadonlyMap<string, TableStream> {
    for (const [arn, closedAtMs] of this.closedAtMs) {
      if (closedAtMs + KEPT_MS > nowMs) continue;
      this.closedAtMs.delete(arn);
      this.byArn.delete(arn);
    }
    return this.byArn;
  }
}

/** The id of a stream's shard, in the form of AWS's: the time when it began, and eight digits. */
export function shardIn(streamArn: string): string {
  const beganAtMs = isoInstantMs(`${streamArn.slice(streamArn.lastIndexOf('/') + 1)}Z`) ?? 0;
  const digits = createHash('sha256').update(streamArn).digest('hex').slice(0, 8);
  return `shardId-${String(beganAtMs).padStart(20, '0')}-${digits}`;
}

/** Where a reader is in a shard: at a record, or after one. */
export interface ShardPosition {
  readonly shardId: string;
  readonly from: 'at' | 'after';
  readonly sequenceNumber: string;
}

interface ShardIterator extends ShardPosition {
  readonly streamArn: string;
  readonly issuedAtMs: number;
}

export function iteratorText({ streamArn, shardId, from, sequenceNumber, issuedAtMs }: ShardIterator): string {
  const position = JSON.stringify([shardId, from, sequenceNumber, issuedAtMs]);
  return `${streamArn}|1|${Buffer.from(position).toString('base64')}`;
}

/** @throws AwsError for a text that no call has returned. (assumption DYNAMODB-6) */
export function iteratorIn(text: string): ShardIterator {
  const [, streamArn = '', position = ''] = /^(.*)\|1\|(.*)$/s.exec(text) ?? [];
  const [, shardId = '', from, sequenceNumber = '', issuedAtMs = ''] =
    /^\["([^"]+)","(at|after)","(\d*)",(\d+)\]$/.exec(Buffer.from(position, 'base64').toString()) ?? [];
  if (from !== 'at' && from !== 'after') throw new AwsError('ValidationException', 'Invalid ShardIterator');
  return { streamArn, shardId, from, sequenceNumber, issuedAtMs: Number(issuedAtMs) };
}
