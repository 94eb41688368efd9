import { seriesOn, type TimeSeries } from '../math/time-series';
import type { MetricSeries } from './metric-series';
import type { Grid } from './periods';
import type { Statistic } from './statistics';

/** One statistic of a metric over a grid of periods; nobody has reported anything where there is no metric. */
export function readSeries(
  metric: MetricSeries | undefined,
  statistic: Statistic,
  unit: string | undefined,
  grid: Grid,
): TimeSeries {
  const reading = { unit, withValues: statistic.needsValues };
  return seriesOn(grid, (_, atMs) => {
    const set = metric?.between(atMs, atMs + grid.periodMs, reading);
    return set && statistic.of(set);
  });
}
