import { type MetricPoint, minuteOf } from '../../mover/aws/metrics';
import { MINUTE_MS } from '../../policy/time-units';
import type { Connection } from '../connection/connection';
import { readQueueMetrics } from './queue-metrics';

/** The time that a chart of arrivals covers, in minutes. */
export const ARRIVAL_MINUTES = 180;

/** The time that one value of it covers. */
const INTERVAL_MINUTES = 5;

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
  const toMs = minuteOf(nowMs) + MINUTE_MS;
  const range = { fromMs: toMs - ARRIVAL_MINUTES * MINUTE_MS, toMs };
  return readQueueMetrics(aws, queueNames, METRICS, range, (visible, sent) => arrivalsOf(visible, sent, toMs));
}
