import { type MetricPoint, minuteOf } from '../../mover/aws/metrics';
import { IDLE_QUEUE_METRICS_LATE_MS } from '../../policy/aws-limits';
import { MINUTE_MS } from '../../policy/time-units';
import type { Connection } from '../connection/connection';
import { readQueueMetrics } from './queue-metrics';

/** How old the newest data point of a queue may be. SQS writes one every minute. */
const RECENT_MS = IDLE_QUEUE_METRICS_LATE_MS + 5 * MINUTE_MS;

export const GROWTH_MINUTES = 30;

/** The beginning of that time whose largest count is compared with the messages now, so that one data point does not decide. */
const BEFORE_MS = 10 * MINUTE_MS;

const METRICS = [
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
  return readQueueMetrics(aws, queueNames, METRICS, range, (ages, counts) => historyOf(ages, counts, nowMs));
}
