import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { LoggedDelivery, LogLine, TopicLog } from '../../diagnosis/causes/evidence';
import { feedingTopics, mayLog } from '../../diagnosis/causes/suspects';
import type { Inventory } from '../../diagnosis/inventory/inventory';
import { isNotFound } from '../../mover/aws-calls';
import { parseArn } from '../../policy/arn';
import { readStatusRecord, statusLogGroups } from '../../policy/messages/delivery-status';
import { isDenied, mapAtMost } from '../connection/calls';
import type { Connection } from '../connection/connection';
import { messageOf } from '../errors';

/** From when to when. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What is wanted of a log group. */
export interface LogQuestion {
  readonly group: string;
  readonly pattern: string;
  readonly window: Window;
  /** How many lines, the newest first. */
  readonly most: number;
}

/**
 * Our choice: AWS lets logs be searched five times a second in most Regions, and both functions' and topics' are searched at
 * once.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/cloudwatch_limits_cwl.html
 */
export const LOGS_AT_ONCE = 4;

/** Of one request; AWS gives no more. */
const PAGE_LINES = 10_000;

/** The newest lines of a log that a pattern matches. It takes the permission `logs:FilterLogEvents`. */
export async function logLines(
  logs: CloudWatchLogsClient,
  question: LogQuestion,
  gaps: Gaps,
): Promise<readonly LogLine[]> {
  const { group, pattern, window, most } = question;
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
        limit: Math.min(PAGE_LINES, most - lines.length),
        nextToken,
      }),
    );
    for (const { message = '', timestamp = window.toMs } of page.events ?? []) lines.push({ atMs: timestamp, message });
    nextToken = page.nextToken;
  } while (nextToken !== undefined && lines.length < most);
  if (nextToken !== undefined)
    gaps.note(`of the log ${group} only the last ${most} lines that matter are read: narrow --since`);
  return lines;
}

/** What could be read, or why it could not. */
export type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'denied' | 'not-there' };

/** Reads what others can be told without, and remembers what was denied. */
export class Gaps {
  private readonly reported = new Set<string>();

  /** What was denied, and what to grant, and what was left out, in sentences. */
  get texts(): readonly string[] {
    return [...this.reported];
  }

  /** Something was left out. */
  note(text: string): void {
    this.reported.add(text);
  }

  /** @throws whatever is neither a denial nor an answer that there is no such thing */
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

/** Of one topic. Our choice: as many as a minute or so brings. */
const MOST_RECORDS = 20_000;

function deliveriesIn(lines: readonly LogLine[]): LoggedDelivery[] {
  return lines.flatMap(({ atMs, message }) => {
    const record = readStatusRecord(message);
    return record ? [{ atMs, record }] : [];
  });
}

const UNREAD = {
  denied: 'may not be read: it takes logs:FilterLogEvents',
  'not-there': 'does not exist: nothing has been logged, or nobody lets SNS write to it',
} as const;

/** What the topics that feed a queue logged of deliveries that were to end there. It takes `logs:FilterLogEvents`. */
export async function topicLogs(
  aws: Connection,
  queueArn: string,
  inventory: Inventory,
  window: Window,
  gaps: Gaps,
): Promise<readonly TopicLog[]> {
  const logs = aws.client(CloudWatchLogsClient);
  return mapAtMost(LOGS_AT_ONCE, feedingTopics(queueArn, inventory), async topicArn => {
    const { region = '', account = '', resource: name = '' } = parseArn(topicArn) ?? {};
    const { failure: logGroupName } = statusLogGroups({ region, account, name });
    const question = { group: logGroupName, pattern: `"${queueArn}"`, window, most: MOST_RECORDS };
    const read = await gaps.read(() => logLines(logs, question, gaps));
    if (read.kind === 'read') return { topicArn, logGroupName, deliveries: deliveriesIn(read.value) };
    // Of one that logs nothing, it is said elsewhere.
    const isExpected = read.kind === 'not-there' && !mayLog(topicArn, inventory);
    return { topicArn, logGroupName, deliveries: [], ...(!isExpected && { unread: UNREAD[read.kind] }) };
  });
}
