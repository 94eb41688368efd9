import { isDeepStrictEqual } from 'node:util';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { Connection } from '../../account/connection/connection';
import { DAY_MS } from '../../policy/redrive/budget';
import type { Redrive } from './redrive';

/** So many tell what led to how it stands, each told once for as often as it was written in a row. */
const MOST_REPORTED = 5;

/** Of one request. Our choice: a redrive that waits for somebody writes one a minute. */
const PAGE_RECORDS = 300;

/** What the function wrote of a look. */
interface RedriveRecord {
  readonly trigger: string;
  readonly did: string;
  readonly cause?: string;
  readonly reason: string;
  readonly outcome: string;
  /** What went wrong. @default - nothing */
  readonly failure?: string;
}

/** A record, and how often it was written in a row. */
export interface RepeatedRecord {
  readonly record: RedriveRecord;
  /** Of the last of them. */
  readonly atMs: number;
  /** Of the first of them, within the day. */
  readonly sinceMs: number;
  readonly times: number;
}

function recordOf(message: string): RedriveRecord {
  const { trigger, did, cause, reason, outcome, failure } = JSON.parse(message) as RedriveRecord;
  return {
    trigger,
    did,
    ...(cause !== undefined && { cause }),
    reason,
    outcome,
    ...(failure !== undefined && { failure }),
  };
}

/** Adds a record that is older than those told. */
function tell(reported: RepeatedRecord[], record: RedriveRecord, atMs: number): void {
  const last = reported.at(-1);
  if (last && isDeepStrictEqual(record, last.record))
    reported[reported.length - 1] = { ...last, sinceMs: atMs, times: last.times + 1 };
  else reported.push({ record, atMs, sinceMs: atMs, times: 1 });
}

/** The last records of a day, the newest first. It takes the permission `logs:FilterLogEvents`. */
export async function lastRecords(
  aws: Connection,
  { logGroupName }: Redrive,
  nowMs: number,
): Promise<readonly RepeatedRecord[]> {
  const logs = aws.client(CloudWatchLogsClient);
  const reported: RepeatedRecord[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(
      new FilterLogEventsCommand({
        logGroupName,
        filterPattern: '{ $.message = "redrive" }',
        startTime: nowMs - DAY_MS,
        startFromHead: false,
        limit: PAGE_RECORDS,
        nextToken,
      }),
    );
    for (const { message = '{}', timestamp = nowMs } of page.events ?? []) tell(reported, recordOf(message), timestamp);
    nextToken = page.nextToken;
    // The last of them may have been written before, too.
  } while (nextToken !== undefined && reported.length <= MOST_REPORTED);
  return reported.slice(0, MOST_REPORTED);
}
