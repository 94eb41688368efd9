import {
  type CloudWatchClient,
  GetMetricDataCommand,
  type Metric,
  type MetricDataQuery,
} from '@aws-sdk/client-cloudwatch';
import { MOVE_PASS_ENDS, REDRIVE_METRICS, type RedriveMetricName } from '../../policy/metric-names';
import type { MoveFacts, MoveStatus } from '../../policy/redrive/redrive-facts';
import type { QueueName } from '../../policy/redrive/redrive-settings';

export const MINUTE_MS = 60_000;

/** Beginning of the minute an instant is in: CloudWatch's figures are of whole minutes. */
export function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}

/** A figure, minute by minute. */
export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: 'Sum' | 'Maximum';
}

/** One minute's value. */
export interface MetricPoint {
  readonly atMs: number;
  readonly value: number;
}

/** Reads figures of a stretch of time, the oldest point first: a list for each figure, which is empty where there is none. */
export type ReadMetrics = (
  figures: readonly MetricQuery[],
  fromMs: number,
  toMs: number,
) => Promise<readonly (readonly MetricPoint[])[]>;

function query({ namespace, name, dimensions, statistic }: MetricQuery, index: number): MetricDataQuery {
  const metric: Metric = {
    Namespace: namespace,
    MetricName: name,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
  };
  return { Id: `figure${index}`, MetricStat: { Metric: metric, Period: MINUTE_MS / 1_000, Stat: statistic } };
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html */
export function metricReader(client: CloudWatchClient): ReadMetrics {
  return async (figures, fromMs, toMs) => {
    const points = new Map<string, MetricPoint[]>();
    let NextToken: string | undefined;
    do {
      const answer = await client.send(
        new GetMetricDataCommand({
          MetricDataQueries: figures.map(query),
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
    return figures.map((_, index) => points.get(`figure${index}`) ?? []);
  };
}

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

/** How late metrics may be, at most: our choice, and more than the two minutes they take as a rule. */
export const METRICS_LATE_MS = 180_000;

/** The function whose stints are looked for. */
export interface PassesOf {
  readonly functionName: string;
  readonly functionTimeoutMs: number;
  readonly carrier: 'copy' | 'replay';
  readonly destinationArn: string;
}

/** What is counted of a stint beside its rate, and how a minute's counts become one figure. */
const COUNTED = {
  StintToMove: 'Maximum',
  StintMoved: 'Sum',
  StintSetAside: 'Sum',
  StintReturned: 'Sum',
  StintEnd: 'Maximum',
  StintSeconds: 'Maximum',
} as const satisfies Partial<Record<RedriveMetricName, MetricQuery['statistic']>>;

type Counted = keyof typeof COUNTED;

/** A count of the stint that began in a minute; undefined where nobody counted. */
type CountOf = (name: Counted, atMs: number) => number | undefined;

/** A figure this function itself has told. */
export function ownMetric(
  functionName: string,
  name: RedriveMetricName,
  statistic: MetricQuery['statistic'],
): MetricQuery {
  const { namespace, dimension } = REDRIVE_METRICS;
  return { namespace, name, statistic, dimensions: { [dimension]: functionName } };
}

async function counts(read: ReadMetrics, functionName: string, fromMs: number, nowMs: number): Promise<CountOf> {
  const names = Object.keys(COUNTED) as Counted[];
  const figures = names.map(name => ownMetric(functionName, name, COUNTED[name]));
  const series = await read(figures, fromMs, nowMs);
  return (name, minuteMs) => series[names.indexOf(name)]?.find(({ atMs }) => atMs === minuteMs)?.value;
}

/** A stint that never told its end runs for as long as Lambda may let it, and then has broken off. */
function statusOf(end: number | undefined, longestEndMs: number, nowMs: number): MoveStatus {
  const names = Object.keys(MOVE_PASS_ENDS) as (keyof typeof MOVE_PASS_ENDS)[];
  return names.find(name => MOVE_PASS_ENDS[name] === end) ?? (nowMs < longestEndMs ? 'RUNNING' : 'PAUSED');
}

/**
 * What the function copied or replayed itself, the newest first, as its metrics tell of it: all of a stint's are of the
 * minute it began in.
 */
export async function passFacts(
  read: ReadMetrics,
  { functionName, functionTimeoutMs, carrier, destinationArn }: PassesOf,
  fromMs: number,
  nowMs: number,
): Promise<readonly MoveFacts[]> {
  const [rates = []] = await read([ownMetric(functionName, 'StintRate', 'Maximum')], fromMs, nowMs);
  // Where nothing was copied, no more is asked: each figure has its price.
  if (rates.length === 0) return [];
  const countOf = await counts(read, functionName, minuteOf(fromMs), nowMs);
  return rates.toReversed().map(({ atMs, value }) => {
    const toMove = countOf('StintToMove', atMs);
    const seconds = countOf('StintSeconds', atMs);
    return {
      carrier,
      status: statusOf(countOf('StintEnd', atMs), atMs + functionTimeoutMs + METRICS_LATE_MS, nowMs),
      startedAtMs: atMs,
      messagesPerSecond: value,
      destinationArn,
      moved: countOf('StintMoved', atMs) ?? 0,
      setAside: countOf('StintSetAside', atMs) ?? 0,
      returned: countOf('StintReturned', atMs) ?? 0,
      ...(toMove !== undefined && { toMove }),
      ...(seconds !== undefined && { activeAtMs: atMs + seconds * 1_000 }),
    };
  });
}
