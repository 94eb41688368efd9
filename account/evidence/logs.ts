import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { LoggedDelivery, LogLine, TopicLog } from '../../diagnosis/causes/evidence';
import { feedingTopics, mayLog } from '../../diagnosis/causes/suspects';
import type { Inventory } from '../../diagnosis/inventory/inventory';
import { isNotFound } from '../../mover/aws/aws-calls';
import { parseArn } from '../../policy/arn';
import { readStatusRecord, statusLogGroups } from '../../policy/messages/delivery-status';
import { isDenied, mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';
import { messageOf } from '../errors';

/** A time range. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Which lines of a log group to read. */
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
export async function logLines(logs: CloudWatchLogsClient, query: LogQuery, gaps: Gaps): Promise<readonly LogLine[]> {
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

/** A value, or why it could not be read. */
export type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'denied' | 'not-there' };

/** Reads optional evidence, and collects what could not be read. */
export class Gaps {
  private readonly notes = new Set<string>();

  /** What was denied or left out, in sentences. */
  get texts(): readonly string[] {
    return [...this.notes];
  }

  /** Adds a sentence about what was left out. */
  note(text: string): void {
    this.notes.add(text);
  }

  /** @throws errors other than a denial, and than that the resource does not exist */
  async read<T>(call: () => Promise<T>): Promise<Read<T>> {
    try {
      return { kind: 'read', value: await call() };
    } catch (error) {
      if (isNotFound(error)) return { kind: 'not-there' };
      if (!isDenied(error)) throw error;
      this.note(messageOf(error));
      return { kind: 'denied' };
    }
  }
}

/** How many records of a topic are read, newest first. */
const MAX_RECORDS = 20_000;

function deliveriesIn(lines: readonly LogLine[]): LoggedDelivery[] {
  return lines.flatMap(({ atMs, message }) => {
    const record = readStatusRecord(message);
    return record ? [{ atMs, record }] : [];
  });
}

const UNREAD = {
  denied: 'cannot be read without logs:FilterLogEvents',
  'not-there': 'does not exist: SNS has logged nothing, or may not write logs',
} as const;

/** Reads the delivery-status logs of the topics that feed a queue. It needs `logs:FilterLogEvents`. */
export async function topicLogs(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  window: Window,
  gaps: Gaps,
): Promise<readonly TopicLog[]> {
  const logs = aws.client(CloudWatchLogsClient);
  return mapAtMost(PARALLEL_LOG_READS, feedingTopics(queueArn, inventory), async topicArn => {
    const { region = '', account = '', resource: name = '' } = parseArn(topicArn) ?? {};
    const { failure: logGroupName } = statusLogGroups({ region, account, name });
    const query = { group: logGroupName, pattern: `"${queueArn}"`, window, max: MAX_RECORDS };
    const read = await gaps.read(() => logLines(logs, query, gaps));
    if (read.kind === 'read') return { topicArn, logGroupName, deliveries: deliveriesIn(read.value) };
    // Another note says that a topic has no delivery-status logging.
    const isExpected = read.kind === 'not-there' && !mayLog(topicArn, inventory);
    return { topicArn, logGroupName, deliveries: [], ...(!isExpected && { unread: UNREAD[read.kind] }) };
  });
}
