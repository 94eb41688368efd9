import type { QueueName } from '../../policy/redrive/redrive-settings';
import { type MetricPoint, type MetricQuery, MINUTE_MS, minuteOf, type ReadMetrics } from './metric-reader';
import { ownMetric } from './stints';

/** How far back the newest figure of a queue may lie: it has one every minute, which comes some minutes late. */
const RECENT_MS = 10 * MINUTE_MS;

type QueueMetricName =
  | 'ApproximateAgeOfOldestMessage'
  | 'ApproximateNumberOfMessagesVisible'
  | 'ApproximateNumberOfMessagesNotVisible'
  | 'NumberOfMessagesSent'
  | 'NumberOfMessagesDeleted';

function queueMetric({ arn }: QueueName, name: QueueMetricName, statistic: MetricQuery['statistic']): MetricQuery {
  return { namespace: 'AWS/SQS', name, statistic, dimensions: { QueueName: arn.split(':').at(-1) ?? '' } };
}

const newestValue = (points: readonly MetricPoint[]): number | undefined => points.at(-1)?.value;

/** @returns undefined where CloudWatch has no figure of the last minutes */
export async function oldestAgeSeconds(read: ReadMetrics, queue: QueueName, nowMs: number) {
  const [ages = []] = await read(
    [queueMetric(queue, 'ApproximateAgeOfOldestMessage', 'Maximum')],
    nowMs - RECENT_MS,
    nowMs,
  );
  return newestValue(ages);
}

/** What CloudWatch counted from that minute on; undefined where it has no figure, or not yet. */
async function countSince(read: ReadMetrics, counted: MetricQuery, fromMs: number, nowMs: number) {
  // The end of this minute, for CloudWatch refuses a stretch of no time at all.
  const toMs = minuteOf(nowMs) + MINUTE_MS;
  if (fromMs >= toMs) return undefined;
  const [counts = []] = await read([counted], fromMs, toMs);
  return counts.length > 0 ? counts.reduce((sum, { value }) => sum + value, 0) : undefined;
}

/**
 * How many messages were deleted from the minute on in which `sinceMs` lies: CloudWatch counts by whole minutes.
 * @returns undefined where it has no figure, or not yet
 */
export function deletedSince(read: ReadMetrics, queue: QueueName, sinceMs: number, nowMs: number) {
  return countSince(read, queueMetric(queue, 'NumberOfMessagesDeleted', 'Sum'), minuteOf(sinceMs), nowMs);
}

/**
 * How many messages were sent to the queue from the minute on after the one in which `sinceMs` lies: those for certain.
 * @returns undefined where CloudWatch has no figure, or not yet
 */
export function sentSince(read: ReadMetrics, queue: QueueName, sinceMs: number, nowMs: number) {
  return countSince(read, queueMetric(queue, 'NumberOfMessagesSent', 'Sum'), minuteOf(sinceMs) + MINUTE_MS, nowMs);
}

/**
 * What a queue held when the minute of `atMs` began.
 * @returns undefined where CloudWatch has no figure: the queue was idle, or it begins to tell of it, which takes up to 15 minutes
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
 */
export async function messagesHeldAt(read: ReadMetrics, queue: QueueName, atMs: number): Promise<number | undefined> {
  const toMs = minuteOf(atMs);
  const figures = [
    queueMetric(queue, 'ApproximateNumberOfMessagesVisible', 'Maximum'),
    queueMetric(queue, 'ApproximateNumberOfMessagesNotVisible', 'Maximum'),
  ];
  const [visible = [], inFlight = []] = await read(figures, toMs - RECENT_MS, toMs);
  if (visible.length + inFlight.length === 0) return undefined;
  return (newestValue(visible) ?? 0) + (newestValue(inFlight) ?? 0);
}

/**
 * What the queue for failures held when a step began: as this function said when it began it, for CloudWatch knows nothing of a
 * queue that was idle; where somebody else began it, what CloudWatch has.
 * @returns undefined where nobody knows
 */
export async function failuresAtStart(
  read: ReadMetrics,
  functionName: string,
  queue: QueueName,
  startedAtMs: number,
): Promise<number | undefined> {
  const ofMs = minuteOf(startedAtMs);
  // It says so before it begins the step, and a minute can turn in between.
  const reported = await read(
    [ownMetric(functionName, 'FailuresAtStart', 'Maximum')],
    ofMs - MINUTE_MS,
    ofMs + MINUTE_MS,
  );
  return newestValue(reported[0] ?? []) ?? messagesHeldAt(read, queue, startedAtMs);
}
