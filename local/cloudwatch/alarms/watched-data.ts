import { ExpressionError } from '../math/program';
import { isSeries, type TimeSeries } from '../math/time-series';
import type { MetricQuery, Query } from '../metrics/metric-queries';
import type { MetricSeries } from '../metrics/metric-series';
import type { MetricStore } from '../metrics/metric-store';
import { type Grid, instantOf } from '../metrics/periods';
import { readSeries } from '../metrics/read-series';
import type { MetricAlarmConfiguration, WatchedMetric, WatchedQuery } from './alarm-configuration';
import type { Datapoint } from './evaluation';

const MS_PER_SECOND = 1_000;

/** The data an alarm looks at. */
export interface WatchedData {
  /** Calls `onNewData` when there is data for a stretch of time that had none. Answers what ends that. */
  watch(onNewData: () => void): () => void;
  /** The data points of the last `periods` periods before `nowMs`, newest first. */
  read(nowMs: number, periods: number): readonly Datapoint[];
  /** Whether what is read may still change as time passes, if nobody reports anything: there is data from `fromMs` on. */
  changesFrom(fromMs: number): boolean;
}

export function watchedData(store: MetricStore, { watched }: MetricAlarmConfiguration): WatchedData {
  return watched.kind === 'metric' ? metricData(store, watched) : queryData(store, watched);
}

const seriesFor = (store: MetricStore, { namespace, name, dimensions }: MetricQuery): MetricSeries =>
  store.series(namespace, name, dimensions);

function metricData(store: MetricStore, { metric, periodSeconds }: WatchedMetric): WatchedData {
  const series = seriesFor(store, metric);
  const periodMs = periodSeconds * MS_PER_SECOND;
  const { statistic, unit } = metric;
  const reading = { unit, withValues: statistic.needsValues };
  return {
    watch: onNewData => series.watch(onNewData),
    changesFrom: fromMs => series.hasFrom(fromMs, unit),
    read: (nowMs, periods) =>
      Array.from({ length: periods }, (_, age): Datapoint => {
        const startMs = nowMs - (age + 1) * periodMs;
        const set = series.between(startMs, startMs + periodMs, reading);
        const value = set && statistic.of(set);
        return value === undefined ? { startMs } : { startMs, value, sampleCount: set?.sampleCount };
      }),
  };
}

function queryData(store: MetricStore, { set, returned, periodSeconds }: WatchedQuery): WatchedData {
  const metrics = set.queries.flatMap(({ id, metric }) =>
    metric ? [{ id, metric, series: seriesFor(store, metric) }] : [],
  );
  const periodMs = periodSeconds * MS_PER_SECOND;
  const readMetric = (id: string, startMs: number, endMs: number): TimeSeries => {
    const found = metrics.find(it => it.id === id);
    if (!found) throw new Error(`${id} is no metric of this alarm`);
    const { metric, series } = found;
    const ownPeriodMs = metric.periodSeconds * MS_PER_SECOND;
    const grid = { startMs, periodMs: ownPeriodMs, count: Math.floor((endMs - startMs) / ownPeriodMs) };
    return readSeries(series, metric.statistic, metric.unit, grid);
  };
  return {
    watch: onNewData => {
      const ends = metrics.map(({ series }) => series.watch(onNewData));
      return () => {
        for (const end of ends) end();
      };
    },
    changesFrom: fromMs =>
      set.program.readsTheClock || metrics.some(({ series, metric }) => series.hasFrom(fromMs, metric.unit)),
    read: (nowMs, periods) => {
      const startMs = nowMs - periods * periodMs;
      const grid = { startMs, periodMs, count: periods };
      const series = evaluated({ set, returned }, grid, id => readMetric(id, startMs, nowMs));
      return Array.from({ length: periods }, (_, age): Datapoint => {
        const atMs = instantOf(grid, periods - 1 - age);
        const value = series?.values[periods - 1 - age];
        return value === undefined ? { startMs: atMs } : { startMs: atMs, value };
      });
    },
  };
}

/** What an expression comes to; nothing when what came in leaves it nothing to work on, such as the first of no series. */
function evaluated(
  { set, returned }: { readonly set: WatchedQuery['set']; readonly returned: Query },
  grid: Grid,
  readMetric: (id: string) => TimeSeries,
): TimeSeries | undefined {
  try {
    const value = set.program.evaluate(returned.id, grid, readMetric);
    return isSeries(value) ? value : undefined;
  } catch (error) {
    if (error instanceof ExpressionError) return undefined;
    throw error;
  }
}
