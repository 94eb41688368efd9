import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { LogLine } from '../../../diagnosis/causes/evidence';
import type { Gaps } from './gaps';

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
