import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { LoggedDelivery, LogLine, TopicLog } from '../../diagnosis/causes/evidence';
import { feedingTopics, mayLog } from '../../diagnosis/causes/suspects';
import type { Inventory } from '../../diagnosis/inventory/inventory';
import { isNotFound } from '../../mover/aws/aws-calls';
import { parseArn } from '../../policy/arn';
import { readStatusRecord, statusLogGroups } from '../../policy/messages/delivery-status';
import { isKnown } from '../../template/maybe-known';
import { mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';
import type { Question, UnreadCalls } from '../connection/unread-calls';

/** A time range. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface LogQuery {
  readonly group: string;
  readonly pattern: string;
  readonly window: Window;
  /** How many lines, newest first. */
  readonly max: number;
}

/**
 * How many logs are searched at the same time, once for functions and once for topics. AWS allows five searches a second in most
 * Regions.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
 */
export const PARALLEL_LOG_READS = 4;

/** The largest page that AWS returns. */
const PAGE_LINES = 10_000;

/** Reads the newest lines of a log that match a pattern. It needs the permission `logs:FilterLogEvents`. */
export async function logLines(
  logs: CloudWatchLogsClient,
  query: LogQuery,
  gaps: Pick<UnreadCalls, 'note'>,
): Promise<readonly LogLine[]> {
  const { group, pattern, window, max } = query;
  const lines: LogLine[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(
      new FilterLogEventsCommand({
        logGroupName: group,
        filterPattern: pattern,
        startTime: window.fromMs,
        endTime: window.toMs + 1,
        startFromHead: false,
        limit: Math.min(PAGE_LINES, max - lines.length),
        nextToken,
      }),
    );
    for (const { message = '', timestamp = window.toMs } of page.events ?? []) lines.push({ atMs: timestamp, message });
    nextToken = page.nextToken;
  } while (nextToken !== undefined && lines.length < max);
  if (nextToken !== undefined)
    gaps.note(`only the last ${max} matching lines of the log ${group} were read: choose a shorter --since`);
  return lines;
}

/** A value, or why it could not be read, as the end of a sentence that begins with the log group. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'not-there' }
  | { readonly kind: 'unread'; readonly why: string };

/** Reads optional evidence. @param name of what is read; undefined for a call that concerns several resources */
export async function readEvidence<T>(
  { unread }: Connection,
  question: Question,
  name: string | undefined,
  call: () => Promise<T>,
): Promise<Read<T>> {
  try {
    const value = await unread.read(question, name, call);
    return isKnown(value) ? { kind: 'read', value } : { kind: 'unread', why: value.unknownBecause };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'not-there' };
    throw error;
  }
}

export const LOG: Question = { action: 'logs:FilterLogEvents', of: ['log group', 'log groups'], tells: 'the records' };

/** How many records of a topic are read, newest first. */
const MAX_RECORDS = 20_000;

function deliveriesIn(lines: readonly LogLine[]): LoggedDelivery[] {
  return lines.flatMap(({ atMs, message }) => {
    const record = readStatusRecord(message);
    return record ? [{ atMs, record }] : [];
  });
}

const NOT_THERE = 'does not exist: SNS has logged nothing, or may not write logs';

/** Reads the delivery-status logs of the topics that feed a queue. It needs `logs:FilterLogEvents`. */
export async function topicLogs(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  window: Window,
): Promise<readonly TopicLog[]> {
  const logs = aws.client(CloudWatchLogsClient);
  return mapAtMost(PARALLEL_LOG_READS, feedingTopics(queueArn, inventory), async topicArn => {
    const { region = '', account = '', resource: name = '' } = parseArn(topicArn) ?? {};
    const { failure: logGroupName } = statusLogGroups({ region, account, name });
    const query = { group: logGroupName, pattern: `"${queueArn}"`, window, max: MAX_RECORDS };
    const read = await readEvidence(aws, LOG, logGroupName, () => logLines(logs, query, aws.unread));
    if (read.kind === 'read') return { topicArn, logGroupName, deliveries: deliveriesIn(read.value) };
    // Another note says that a topic has no delivery-status logging.
    const isExpected = read.kind === 'not-there' && !mayLog(topicArn, inventory);
    const unread = read.kind === 'unread' ? read.why : NOT_THERE;
    return { topicArn, logGroupName, deliveries: [], ...(!isExpected && { unread }) };
  });
}
