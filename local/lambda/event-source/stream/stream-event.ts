import { compileEventPattern, type EventPattern } from '../../../../policy/event-pattern/event-pattern';
import { isoInstant } from '../../../kernel/clock';
import { isObject, type JsonObject, jsonOrUndefined } from '../../../kernel/json';
import type { Outcome } from '../../invocation';
import { type StreamService, streamServiceOf } from './stream-configuration';
import type { StreamRecord } from './streams';

/** The stream of a mapping, and the role that reads it. */
export interface StreamSource {
  readonly streamArn: string;
  readonly region: string;
  readonly roleArn: string;
}

/**
 * One record of the event that a function receives.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
function eventRecord({ members, shardId, sequenceNumber }: StreamRecord, source: StreamSource): JsonObject {
  const { streamArn: eventSourceARN, region: awsRegion, roleArn } = source;
  if (streamServiceOf(eventSourceARN) === 'dynamodb') {
    return { ...members, eventVersion: '1.1', eventSource: 'aws:dynamodb', awsRegion, eventSourceARN };
  }
  return {
    ...members,
    eventSource: 'aws:kinesis',
    eventVersion: '1.0',
    eventID: `${shardId}:${sequenceNumber}`,
    eventName: 'aws:kinesis:record',
    invokeIdentityArn: roleArn,
    awsRegion,
    eventSourceARN,
  };
}

export function streamEvent(records: readonly StreamRecord[], source: StreamSource): string {
  return JSON.stringify({ Records: records.map(record => eventRecord(record, source)) });
}

/**
 * Selects the records for which a mapping invokes its function. A pattern of Kinesis sees the decoded `data`.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis-filtering.html
 */
export class RecordFilter {
  private readonly patterns: readonly EventPattern[];

  /** @param patterns an empty list accepts every record */
  constructor(
    patterns: readonly string[],
    private readonly source: StreamSource,
  ) {
    this.patterns = patterns.map(compileEventPattern);
  }

  passes(record: StreamRecord): boolean {
    if (this.patterns.length === 0) return true;
    const document = filterDocument(eventRecord(record, this.source));
    return this.patterns.some(matches => matches(document));
  }
}

function filterDocument(record: JsonObject): JsonObject {
  const { kinesis } = record;
  if (!isObject(kinesis)) return record;
  const text = Buffer.from(String(kinesis['data']), 'base64').toString('utf8');
  const parsed = jsonOrUndefined(text);
  return { ...record, ...kinesis, data: isObject(parsed) || Array.isArray(parsed) ? parsed : text };
}

export type DiscardCondition = 'RetryAttemptsExhausted' | 'RecordAgeExceeded';

export interface LastRun {
  readonly outcome: Outcome;
  /** The version of the function that ran, for example `$LATEST`. */
  readonly version: string;
}

interface Discarded {
  readonly records: readonly StreamRecord[];
  readonly requestId: string;
  /** With its version or alias. */
  readonly functionArn: string;
  readonly condition: DiscardCondition;
  readonly invocations: number;
  /** @default - the function did not run */
  readonly last: LastRun | undefined;
}

const INFO: Readonly<Record<StreamService, string>> = { dynamodb: 'DDBStreamBatchInfo', kinesis: 'KinesisBatchInfo' };

/**
 * The message about discarded records: it names them, and does not contain them.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html
 */
export function discardedMessage(discarded: Discarded, streamArn: string, nowMs: number): string {
  const { records, requestId, functionArn, condition, invocations, last: run } = discarded;
  const [first, last] = [records[0], records.at(-1)];
  const batch = {
    shardId: first?.shardId,
    startSequenceNumber: first?.sequenceNumber,
    endSequenceNumber: last?.sequenceNumber,
    approximateArrivalOfFirstRecord: isoInstant(first?.arrivedAtMs ?? nowMs),
    approximateArrivalOfLastRecord: isoInstant(last?.arrivedAtMs ?? nowMs),
    batchSize: records.length,
    streamArn,
  };
  return JSON.stringify({
    requestContext: { requestId, functionArn, condition, approximateInvokeCount: invocations },
    ...(run && {
      responseContext: {
        statusCode: 200,
        executedVersion: run.version,
        functionError: run.outcome.kind === 'success' ? null : 'Unhandled',
      },
    }),
    version: '1.0',
    timestamp: isoInstant(nowMs),
    [INFO[streamServiceOf(streamArn) ?? 'kinesis']]: batch,
  });
}
