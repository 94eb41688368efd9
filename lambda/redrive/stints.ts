import type { MoveFacts, MoveStatus } from '../../policy/redrive/redrive-facts';
import { MOVE_PASS_ENDS, REDRIVE_METRICS, type RedriveMetricName } from '../../policy/redrive/redrive-metrics';
import { type MetricQuery, minuteOf, type ReadMetrics } from './metric-reader';

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
