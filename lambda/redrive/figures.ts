import type { QueueName } from '../../policy/redrive/redrive-settings';
import { type Figure, MINUTE_MS, minuteOf, type Point, type ReadFigures } from './metric-reader';
import { ownFigure } from './stints';

/** How far back the newest figure of a queue may lie: it has one every minute, which comes some minutes late. */
const RECENT_MS = 10 * MINUTE_MS;

type QueueFigure =
  | 'ApproximateAgeOfOldestMessage'
  | 'ApproximateNumberOfMessagesVisible'
  | 'ApproximateNumberOfMessagesNotVisible'
  | 'NumberOfMessagesSent'
  | 'NumberOfMessagesDeleted';

function figure({ arn }: QueueName, name: QueueFigure, statistic: Figure['statistic']): Figure {
  return { namespace: 'AWS/SQS', name, statistic, dimensions: { QueueName: arn.split(':').at(-1) ?? '' } };
}

const newest = (points: readonly Point[]): number | undefined => points.at(-1)?.value;

/** @returns undefined where CloudWatch has no figure of the last minutes */
export async function oldestAgeSeconds(read: ReadFigures, queue: QueueName, nowMs: number) {
  const [ages = []] = await read([figure(queue, 'ApproximateAgeOfOldestMessage', 'Maximum')], nowMs - RECENT_MS, nowMs);
  return newest(ages);
}

/** What CloudWatch counted from that minute on; undefined where it has no figure, or not yet. */
async function countSince(read: ReadFigures, counted: Figure, fromMs: number, nowMs: number) {
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
export function deletedSince(read: ReadFigures, queue: QueueName, sinceMs: number, nowMs: number) {
  return countSince(read, figure(queue, 'NumberOfMessagesDeleted', 'Sum'), minuteOf(sinceMs), nowMs);
}

/**
 * How many messages were sent to the queue from the minute on after the one in which `sinceMs` lies: those for certain.
 * @returns undefined where CloudWatch has no figure, or not yet
 */
export function sentSince(read: ReadFigures, queue: QueueName, sinceMs: number, nowMs: number) {
  return countSince(read, figure(queue, 'NumberOfMessagesSent', 'Sum'), minuteOf(sinceMs) + MINUTE_MS, nowMs);
}

/**
 * What a queue held when the minute of `atMs` began.
 * @returns undefined where CloudWatch has no figure: the queue was idle, or it begins to tell of it, which takes up to 15 minutes
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/monitoring-using-cloudwatch.html
 */
export async function heldBefore(read: ReadFigures, queue: QueueName, atMs: number): Promise<number | undefined> {
  const toMs = minuteOf(atMs);
  const figures = [
    figure(queue, 'ApproximateNumberOfMessagesVisible', 'Maximum'),
    figure(queue, 'ApproximateNumberOfMessagesNotVisible', 'Maximum'),
  ];
  const [visible = [], inFlight = []] = await read(figures, toMs - RECENT_MS, toMs);
  if (visible.length + inFlight.length === 0) return undefined;
  return (newest(visible) ?? 0) + (newest(inFlight) ?? 0);
}

/**
 * What the queue for failures held when a step began: as this function said when it began it, for CloudWatch knows nothing of a
 * queue that was idle; where somebody else began it, what CloudWatch has.
 * @returns undefined where nobody knows
 */
export async function failuresAtStart(
  read: ReadFigures,
  functionName: string,
  queue: QueueName,
  startedAtMs: number,
): Promise<number | undefined> {
  const ofMs = minuteOf(startedAtMs);
  // It says so before it begins the step, and a minute can turn in between.
  const reported = await read(
    [ownFigure(functionName, 'FailuresAtStart', 'Maximum')],
    ofMs - MINUTE_MS,
    ofMs + MINUTE_MS,
  );
  return newest(reported[0] ?? []) ?? heldBefore(read, queue, startedAtMs);
}
