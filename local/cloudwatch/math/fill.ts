import { MathError } from './math-error';
import { isList, isSeries, type MathValue, seriesOn, type TimeSeries, valueAt } from './time-series';

/**
 * Fills the periods that have no data: with a number, with another series, with the last value before (`REPEAT`), or on the
 * straight line between the values around the gap (`LINEAR`). A gap at an edge stays one where there is nothing to go by.
 *
 * @throws MathError
 */
export function fill(series: TimeSeries, filling: MathValue | undefined): TimeSeries {
  if (typeof filling === 'number') return seriesOn(series.grid, index => series.values[index] ?? filling);
  if (filling !== undefined && !isList(filling) && isSeries(filling)) {
    return seriesOn(series.grid, (index, atMs) => series.values[index] ?? valueAt(filling, atMs));
  }
  const how = filling !== undefined && !isList(filling) ? filling.word : undefined;
  if (how === 'REPEAT') return repeated(series);
  if (how === 'LINEAR') return interpolated(series);
  throw new MathError('FILL takes a time series, and REPEAT, LINEAR, a number or another time series');
}

function repeated({ grid, values }: TimeSeries): TimeSeries {
  let last: number | undefined;
  return seriesOn(grid, index => {
    last = values[index] ?? last;
    return last;
  });
}

function interpolated({ grid, values }: TimeSeries): TimeSeries {
  return seriesOn(grid, index => {
    const value = values[index];
    if (value !== undefined) return value;
    const before = values.slice(0, index).findLastIndex(it => it !== undefined);
    const after = values.findIndex((it, at) => at > index && it !== undefined);
    const [from, to] = [values[before], values[after]];
    if (from === undefined || to === undefined) return undefined;
    return from + ((to - from) * (index - before)) / (after - before);
  });
}
