import { METRIC_POINTS_LATE_MS } from '../../policy/aws-limits';
import { MOVE_PASS_ENDS, REDRIVE_METRICS, type RedriveMetricName } from '../../policy/metric-names';
import type { MoveFacts, MoveStatus } from '../../policy/redrive/redrive-facts';
import type { QueueName } from '../../policy/redrive/redrive-settings';
import { MINUTE_MS } from '../../policy/time-units';
import { type MetricQuery, messagesHeldAt, minuteOf, newestValue, type ReadMetrics } from '../aws/metrics';

/**
 * Returns how many messages the queue for failures held when a step started. The function writes this metric itself when it
 * starts a step, because CloudWatch has no data of an idle queue. If something else started the step, the queue's metrics count.
 * @returns undefined if neither exists
 */
export async function failuresAtStart(
  read: ReadMetrics,
  functionName: string,
  queue: QueueName,
  startedAtMs: number,
): Promise<number | undefined> {
  const ofMs = minuteOf(startedAtMs);
  // The function writes it before it starts the step, and the next minute may begin in between.
  const reported = await read(
    [ownMetric(functionName, 'FailuresAtStart', 'Maximum')],
    ofMs - MINUTE_MS,
    ofMs + MINUTE_MS,
  );
  return newestValue(reported[0] ?? []) ?? messagesHeldAt(read, queue, startedAtMs);
}

export interface PassesOf {
  readonly functionName: string;
  readonly functionTimeoutMs: number;
  readonly carrier: 'copy' | 'replay';
  readonly destinationArn: string;
}

/** The metrics of a pass besides its rate, and how the data points of a minute become one value. */
const COUNTED = {
  MovePassToMove: 'Maximum',
  MovePassMoved: 'Sum',
  MovePassQuarantined: 'Sum',
  MovePassReturned: 'Sum',
  MovePassEnd: 'Maximum',
  MovePassSeconds: 'Maximum',
} as const satisfies Partial<Record<RedriveMetricName, MetricQuery['statistic']>>;

type Counted = keyof typeof COUNTED;

/** Returns a metric of the pass that started in a minute; undefined without a data point. */
type CountOf = (name: Counted, atMs: number) => number | undefined;

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
  const metrics = names.map(name => ownMetric(functionName, name, COUNTED[name]));
  const series = await read(metrics, fromMs, nowMs);
  return (name, minuteMs) => series[names.indexOf(name)]?.find(({ atMs }) => atMs === minuteMs)?.value;
}

/** A pass that wrote no end may run until Lambda's timeout. After that it has died. */
function statusOf(end: number | undefined, longestEndMs: number, nowMs: number): MoveStatus {
  const names = Object.keys(MOVE_PASS_ENDS) as (keyof typeof MOVE_PASS_ENDS)[];
  return names.find(name => MOVE_PASS_ENDS[name] === end) ?? (nowMs < longestEndMs ? 'RUNNING' : 'PAUSED');
}

/**
 * Reads the passes in which the function itself copied or replayed messages, the newest first. All metrics of a pass have the
 * minute in which it started.
 */
export async function passFacts(
  read: ReadMetrics,
  { functionName, functionTimeoutMs, carrier, destinationArn }: PassesOf,
  fromMs: number,
  nowMs: number,
): Promise<readonly MoveFacts[]> {
  const [rates = []] = await read([ownMetric(functionName, 'MovePassRate', 'Maximum')], fromMs, nowMs);
  // Without passes nothing more is read: each metric costs money.
  if (rates.length === 0) return [];
  const countOf = await counts(read, functionName, minuteOf(fromMs), nowMs);
  return rates.toReversed().map(({ atMs, value }) => {
    const toMove = countOf('MovePassToMove', atMs);
    const seconds = countOf('MovePassSeconds', atMs);
    return {
      carrier,
      status: statusOf(countOf('MovePassEnd', atMs), atMs + functionTimeoutMs + METRIC_POINTS_LATE_MS, nowMs),
      startedAtMs: atMs,
      messagesPerSecond: value,
      destinationArn,
      moved: countOf('MovePassMoved', atMs) ?? 0,
      setAside: countOf('MovePassQuarantined', atMs) ?? 0,
      returned: countOf('MovePassReturned', atMs) ?? 0,
      ...(toMove !== undefined && { toMove }),
      ...(seconds !== undefined && { activeAtMs: atMs + seconds * 1_000 }),
    };
  });
}
