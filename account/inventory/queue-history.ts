import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { type MetricPoint, type MetricQuery, metricReader, minuteOf } from '../../mover/aws/metrics';
import { IDLE_QUEUE_METRICS_LATE_MS } from '../../policy/aws-limits';
import { MINUTE_MS } from '../../policy/time-units';
import type { Connection } from '../connection/connection';

/** How old the newest data point of a queue may be. SQS writes one every minute. */
const RECENT_MS = IDLE_QUEUE_METRICS_LATE_MS + 5 * MINUTE_MS;

export const GROWTH_MINUTES = 30;

/** The beginning of that time whose largest count is compared with the messages now, so that one data point does not decide. */
const BEFORE_MS = 10 * MINUTE_MS;

const HISTORY_METRICS = [
  { name: 'ApproximateAgeOfOldestMessage', statistic: 'Maximum' },
  { name: 'ApproximateNumberOfMessagesVisible', statistic: 'Maximum' },
] as const;

/** What CloudWatch knows about a queue that holds messages. */
export interface QueueHistory {
  /** Since when it has held its oldest message. Undefined if that is unknown. */
  readonly heldSinceMs?: number;
  /** The most messages it held half an hour ago. Undefined if that is unknown. */
  readonly before?: number;
}

/**
 * By how many messages a queue grew in the last 30 minutes. If its oldest message is newer than that, all of them arrived since.
 * Undefined if that is unknown.
 */
export function growthOf({ heldSinceMs, before }: QueueHistory, messages: number, nowMs: number): number | undefined {
  const isNew = heldSinceMs !== undefined && heldSinceMs > nowMs - GROWTH_MINUTES * MINUTE_MS;
  const earlier = isNew ? 0 : before;
  return earlier === undefined ? undefined : messages - earlier;
}

function historyOf(ages: readonly MetricPoint[], counts: readonly MetricPoint[], nowMs: number): QueueHistory {
  const newest = ages.at(-1);
  const isRecent = newest && newest.value > 0 && newest.atMs >= minuteOf(nowMs - RECENT_MS);
  const untilMs = nowMs - GROWTH_MINUTES * MINUTE_MS + BEFORE_MS;
  const earlier = counts.filter(({ atMs }) => atMs <= untilMs).map(({ value }) => value);
  return {
    ...(isRecent && { heldSinceMs: newest.atMs - newest.value * 1_000 }),
    ...(earlier.length > 0 && { before: Math.max(...earlier) }),
  };
}

/**
 * Reads the history of queues that hold messages, by queue name. Queues have no age of which CloudWatch has no data, or only the
 * zero of an empty queue, which is older than the messages. It needs the permission `cloudwatch:GetMetricData`.
 */
export async function readHistories(
  aws: Connection,
  queueNames: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, QueueHistory>> {
  const range = { fromMs: minuteOf(nowMs - GROWTH_MINUTES * MINUTE_MS), toMs: minuteOf(nowMs) + MINUTE_MS };
  return readQueueMetrics(aws, queueNames, HISTORY_METRICS, range, (ages, counts) => historyOf(ages, counts, nowMs));
}

/** The limit of one request: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
const MAX_FIGURES = 500;

type QueueMetric = Pick<MetricQuery, 'name' | 'statistic'>;

/** Reads two metrics of queues. @returns what `of` makes of them, by queue name */
async function readQueueMetrics<Result>(
  aws: Connection,
  queueNames: readonly string[],
  metrics: readonly [QueueMetric, QueueMetric],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  of: (first: readonly MetricPoint[], second: readonly MetricPoint[]) => Result,
): Promise<ReadonlyMap<string, Result>> {
  const read = metricReader(aws.client(CloudWatchClient));
  const results = new Map<string, Result>();
  const most = MAX_FIGURES / metrics.length;
  for (let from = 0; from < queueNames.length; from += most) {
    const names = queueNames.slice(from, from + most);
    const queries = names.flatMap(QueueName =>
      metrics.map((metric): MetricQuery => ({ namespace: 'AWS/SQS', dimensions: { QueueName }, ...metric })),
    );
    const points = await read(queries, fromMs, toMs);
    for (const [at, name] of names.entries()) {
      const [first = [], second = []] = points.slice(at * metrics.length, (at + 1) * metrics.length);
      results.set(name, of(first, second));
    }
  }
  return results;
}

/** The time that a chart of arrivals covers, in minutes. */
export const ARRIVAL_MINUTES = 180;

/** The time that one value of it covers. */
const INTERVAL_MINUTES = 5;

const ARRIVAL_METRICS = [
  { name: 'ApproximateNumberOfMessagesVisible', statistic: 'Maximum' },
  { name: 'NumberOfMessagesSent', statistic: 'Sum' },
] as const;

/**
 * How many messages arrived in a dead-letter queue in each interval, at least. SQS does not count in NumberOfMessagesSent what it
 * moves itself, so it is compared with the growth of the queue from one minute to the next. Messages that are taken out in the same
 * minute hide as many that SQS moves in.
 *
 * @param visible the messages that can be received, by minute
 * @param sent the messages that were sent, by minute
 * @param toMs the end of the last interval
 */
export function arrivalsOf(
  visible: readonly MetricPoint[],
  sent: readonly MetricPoint[],
  toMs: number,
): readonly number[] {
  const fromMs = toMs - ARRIVAL_MINUTES * MINUTE_MS;
  const byMinute = new Map(sent.map(({ atMs, value }) => [atMs, value]));
  for (const [at, { atMs, value }] of visible.entries()) {
    const before = visible[at - 1]?.value ?? value;
    byMinute.set(atMs, Math.max(byMinute.get(atMs) ?? 0, value - before));
  }
  const arrivals = new Array<number>(ARRIVAL_MINUTES / INTERVAL_MINUTES).fill(0);
  for (const [atMs, value] of byMinute) {
    const interval = Math.floor((atMs - fromMs) / (INTERVAL_MINUTES * MINUTE_MS));
    const there = arrivals[interval];
    if (there !== undefined) arrivals[interval] = there + value;
  }
  return arrivals;
}

/** Reads the arrivals in queues, by queue name. It needs the permission `cloudwatch:GetMetricData`. */
export async function readArrivals(
  aws: Connection,
  queueNames: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const toMs = minuteOf(nowMs) + MINUTE_MS;
  const range = { fromMs: toMs - ARRIVAL_MINUTES * MINUTE_MS, toMs };
  return readQueueMetrics(aws, queueNames, ARRIVAL_METRICS, range, (visible, sent) => arrivalsOf(visible, sent, toMs));
}
