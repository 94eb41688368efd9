import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import type { Connection } from '../../../account/connection/connection';
import {
  type MetricPoint,
  type MetricQuery,
  MINUTE_MS,
  metricReader,
  minuteOf,
} from '../../../lambda/redrive/metric-reader';

/** How far back the newest figure of a queue may lie: it has one every minute, which comes up to 15 minutes late. */
const RECENT_MS = 20 * MINUTE_MS;

/** Of one request: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
const MOST_FIGURES = 500;

function ageOf(queueName: string): MetricQuery {
  return {
    namespace: 'AWS/SQS',
    name: 'ApproximateAgeOfOldestMessage',
    dimensions: { QueueName: queueName },
    statistic: 'Maximum',
  };
}

function heldSince({ atMs, value }: MetricPoint): number {
  return atMs - value * 1_000;
}

/**
 * Since when queues have held their oldest letters, by the queues' names. Those CloudWatch has no figure of are left out, and
 * those of which it has none but the zero of an empty queue: that is older than the letters. It takes the permission
 * `cloudwatch:GetMetricData`.
 */
export async function oldestMessages(
  aws: Connection,
  queueNames: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const read = metricReader(aws.client(CloudWatchClient));
  const oldest = new Map<string, number>();
  for (let from = 0; from < queueNames.length; from += MOST_FIGURES) {
    const names = queueNames.slice(from, from + MOST_FIGURES);
    const ages = await read(names.map(ageOf), minuteOf(nowMs - RECENT_MS), minuteOf(nowMs) + MINUTE_MS);
    for (const [index, name] of names.entries()) {
      const newest = ages[index]?.at(-1);
      if (newest && newest.value > 0) oldest.set(name, heldSince(newest));
    }
  }
  return oldest;
}
