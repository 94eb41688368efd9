import { REDRIVE_METRICS } from '../../policy/redrive/redrive-metrics';
import type { NowMs } from '../shared/clock';
import { type MetricPoint, type MetricQuery, minuteOf, type ReadMetrics } from './metric-reader';
import type { WriteMetrics } from './ports';
import { METRICS_LATE_MS } from './stints';

/** What was told under one name of one minute. */
interface WrittenMetric {
  readonly name: string;
  readonly atMs: number;
  readonly Sum: number;
  readonly Maximum: number;
  readonly lastReportedAtMs: number;
}

/** The function's own figures: those it tells CloudWatch, and reads there again. */
export interface OwnMetrics {
  readonly tell: WriteMetrics;
  readonly read: ReadMetrics;
}

/** What CloudWatch has not counted yet is missing there, and what another environment told is missing here. */
function merged(points: readonly MetricPoint[], own: readonly MetricPoint[]): readonly MetricPoint[] {
  const all = new Map<number, number>();
  for (const { atMs, value } of [...points, ...own]) all.set(atMs, Math.max(value, all.get(atMs) ?? value));
  return [...all].map(([atMs, value]) => ({ atMs, value })).toSorted((one, other) => one.atMs - other.atMs);
}

/**
 * CloudWatch tells of metrics some minutes late, and until then a stint that has ended would be unknown, and begun once more.
 * So an environment knows what it has told itself of late. It may be gone at any time, and that with it: then a canary may
 * be begun again before its outcome is known, at its own rate and by its own quota.
 */
export function ownMetrics(tell: WriteMetrics, read: ReadMetrics, nowMs: NowMs): OwnMetrics {
  let reported: readonly WrittenMetric[] = [];
  const note = (name: string, atMs: number, value: number): void => {
    const isOf = (it: WrittenMetric) => it.name === name && it.atMs === atMs;
    const { Sum, Maximum } = reported.find(isOf) ?? { Sum: 0, Maximum: value };
    const more = { name, atMs, Sum: Sum + value, Maximum: Math.max(Maximum, value), lastReportedAtMs: nowMs() };
    reported = [...reported.filter(it => !isOf(it)), more];
  };
  const ownOf = ({ namespace, name, statistic }: MetricQuery, fromMs: number, toMs: number): readonly MetricPoint[] => {
    if (namespace !== REDRIVE_METRICS.namespace) return [];
    const ofIt = reported.filter(it => it.name === name && it.atMs >= fromMs && it.atMs < toMs);
    return ofIt.map(it => ({ atMs: it.atMs, value: it[statistic] }));
  };
  return {
    tell: (atMs, metrics) => {
      tell(atMs, metrics);
      reported = reported.filter(({ lastReportedAtMs }) => nowMs() - lastReportedAtMs <= METRICS_LATE_MS);
      for (const [name, value] of Object.entries(metrics)) note(name, minuteOf(atMs), value);
    },
    read: async (figures, fromMs, toMs) => {
      const lists = await read(figures, fromMs, toMs);
      return figures.map((figure, index) => merged(lists[index] ?? [], ownOf(figure, fromMs, toMs)));
    },
  };
}
