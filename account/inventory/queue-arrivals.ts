import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { type MetricPoint, type MetricQuery, MINUTE_MS, metricReader, minuteOf } from '../../mover/aws/metrics';
import type { Connection } from '../connection/connection';

/** The time that a chart of arrivals covers, in minutes. */
export const ARRIVAL_MINUTES = 180;

/** The time that one value of it covers. */
const INTERVAL_MINUTES = 5;

/** The limit of one request: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
const MAX_FIGURES = 500;

const METRICS = [
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
  const read = metricReader(aws.client(CloudWatchClient));
  const arrivals = new Map<string, readonly number[]>();
  const toMs = minuteOf(nowMs) + MINUTE_MS;
  const most = MAX_FIGURES / METRICS.length;
  for (let from = 0; from < queueNames.length; from += most) {
    const names = queueNames.slice(from, from + most);
    const queries = names.flatMap(QueueName =>
      METRICS.map((metric): MetricQuery => ({ namespace: 'AWS/SQS', dimensions: { QueueName }, ...metric })),
    );
    const points = await read(queries, toMs - ARRIVAL_MINUTES * MINUTE_MS, toMs);
    for (const [at, name] of names.entries()) {
      const [visible = [], sent = []] = points.slice(at * METRICS.length, (at + 1) * METRICS.length);
      arrivals.set(name, arrivalsOf(visible, sent, toMs));
    }
  }
  return arrivals;
}
