import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { type MetricPoint, type MetricQuery, metricReader } from '../../mover/aws/metrics';
import type { Connection } from '../connection/connection';

/** The limit of one request: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
const MAX_FIGURES = 500;

type QueueMetric = Pick<MetricQuery, 'name' | 'statistic'>;

/** Reads two metrics of queues. @returns what `of` makes of them, by queue name */
export async function readQueueMetrics<Result>(
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
