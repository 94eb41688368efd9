import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type Metric,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { nameInArn } from '../../policy/arn';
import type { QueueName } from '../../policy/redrive/redrive-settings';
import { MINUTE_MS } from '../../policy/time-units';

/** Returns the start of the minute: CloudWatch's data points cover whole minutes. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** A metric with a statistic per minute. */
export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum';
}

/** The value of one minute. */
export interface MetricPoint {
  readonly atMs: number;
  readonly value: number;
}

/** Reads metrics of a period. Resolves with a list per metric, the oldest point first; a list is empty without data. */
export type ReadMetrics = (
  metrics: readonly MetricQuery[],
  fromMs: number,
  toMs: number,
) => Promise<readonly (readonly MetricPoint[])[]>;

function query({ namespace, name, dimensions, statistic }: MetricQuery, index: number): MetricDataQuery {
  const metric: Metric = {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  };
  return { Id: `metric${index}`, MetricStat: { Metric: metric, Period: MINUTE_MS / 1_000, Stat: statistic } };
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
export function metricReader(client: CloudWatchClient): ReadMetrics {
  return async (metrics, fromMs, toMs) => {
    const points = new Map<string, MetricPoint[]>();
    let NextToken: string | undefined;
    do {
      const answer = await client.send(
        new GetMetricDataCommand({
          MetricDataQueries: metrics.map(query),
          StartTime: new Date(fromMs),
          EndTime: new Date(toMs),
          ScanBy: 'TimestampAscending',
          NextToken,
        }),
      );
      for (const { Id = '', Timestamps = [], Values = [] } of answer.MetricDataResults ?? []) {
        const more = Timestamps.map((at, index) => ({ atMs: at.getTime(), value: Values[index] ?? 0 }));
        points.set(Id, [...(points.get(Id) ?? []), ...more]);
      }
      NextToken = answer.NextToken;
    } while (NextToken);
    return metrics.map((_, index) => points.get(`metric${index}`) ?? []);
  };
}

/** How old the newest data point of a queue may be: SQS writes one per minute, some minutes late. */
const RECENT_MS = 10 * MINUTE_MS;

type QueueMetricName =
  | 'ApproximateAgeOfOldestMessage'
  | 'ApproximateNumberOfMessagesVisible'
  | 'ApproximateNumberOfMessagesNotVisible'
  | 'NumberOfMessagesSent'
  | 'NumberOfMessagesDeleted';

function queueMetric({ arn }: QueueName, name: QueueMetricName, statistic: MetricQuery['statistic']): MetricQuery {
  return { namespace: 'AWS/SQS', name, statistic, dimensions: { QueueName: nameInArn(arn) } };
}

export const newestValue = (points: readonly MetricPoint[]): number | undefined => points.at(-1)?.value;

/** @returns undefined if CloudWatch has no recent data point */
export async function oldestAgeSeconds(read: ReadMetrics, queue: QueueName, nowMs: number) {
  const [ages = []] = await read(
    [queueMetric(queue, 'ApproximateAgeOfOldestMessage', 'Maximum')],
    nowMs - RECENT_MS,
    nowMs,
  );
  return newestValue(ages);
}

/** Sums a metric from a minute on. Undefined if CloudWatch has no data point, or none yet. */
async function countSince(read: ReadMetrics, counted: MetricQuery, fromMs: number, nowMs: number) {
  // The end of this minute: CloudWatch rejects an empty period.
  const toMs = minuteOf(nowMs) + MINUTE_MS;
  if (fromMs >= toMs) return undefined;
  const [counts = []] = await read([counted], fromMs, toMs);
  return counts.length > 0 ? counts.reduce((sum, { value }) => sum + value, 0) : undefined;
}

/**
 * Returns how many messages were deleted since the minute of `sinceMs` began: CloudWatch counts by whole minutes.
 * @returns undefined if CloudWatch has no data point, or none yet
 */
export function deletedSince(read: ReadMetrics, queue: QueueName, sinceMs: number, nowMs: number) {
  return countSince(read, queueMetric(queue, 'NumberOfMessagesDeleted', 'Sum'), minuteOf(sinceMs), nowMs);
}

/**
 * Returns how many messages were sent to the queue since the minute of `sinceMs` ended. So it counts none that was sent before.
 * @returns undefined if CloudWatch has no data point, or none yet
 */
export function sentSince(read: ReadMetrics, queue: QueueName, sinceMs: number, nowMs: number) {
  return countSince(read, queueMetric(queue, 'NumberOfMessagesSent', 'Sum'), minuteOf(sinceMs) + MINUTE_MS, nowMs);
}

/**
 * Returns how many messages a queue held when the minute of `atMs` began.
 * @returns undefined if CloudWatch has no data point: the queue was idle, or its metrics start again, which takes up to 15 minutes
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
 */
export async function messagesHeldAt(read: ReadMetrics, queue: QueueName, atMs: number): Promise<number | undefined> {
  const toMs = minuteOf(atMs);
  const metrics = [
    queueMetric(queue, 'ApproximateNumberOfMessagesVisible', 'Maximum'),
    queueMetric(queue, 'ApproximateNumberOfMessagesNotVisible', 'Maximum'),
  ];
  const [visible = [], inFlight = []] = await read(metrics, toMs - RECENT_MS, toMs);
  if (visible.length + inFlight.length === 0) return undefined;
  return (newestValue(visible) ?? 0) + (newestValue(inFlight) ?? 0);
}
