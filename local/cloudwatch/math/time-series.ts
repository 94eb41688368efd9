import { type Grid, instantOf } from '../metrics/periods';

/** One number for each period of a grid, or none where there was no data. */
export interface TimeSeries {
  readonly grid: Grid;
  readonly values: readonly (number | undefined)[];
}

/** What an expression, or a part of one, comes to. */
export type MathValue = number | TimeSeries | readonly TimeSeries[] | Word;

/** A word or text that stands for itself, such as `REPEAT`. */
export interface Word {
  readonly word: string;
}

export const isSeries = (value: MathValue): value is TimeSeries => typeof value === 'object' && 'grid' in value;
export const isList = (value: MathValue): value is readonly TimeSeries[] => Array.isArray(value);
export const isWord = (value: MathValue): value is Word => typeof value === 'object' && 'word' in value;

/** Whatever is no number, such as what a division by zero gives, is no data point. */
const pointOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) ? value : undefined;

/** @param pointAt the value of a period, by its index and its first instant */
export function seriesOn(grid: Grid, pointAt: (index: number, atMs: number) => number | undefined): TimeSeries {
  const values = Array.from({ length: grid.count }, (_, index) => pointOf(pointAt(index, instantOf(grid, index))));
  return { grid, values };
}

/** Applies to every data point there is. */
export function mapPoints(series: TimeSeries, apply: (value: number, atMs: number) => number | undefined): TimeSeries {
  return seriesOn(series.grid, (index, atMs) => {
    const value = series.values[index];
    return value === undefined ? undefined : apply(value, atMs);
  });
}

/** The value of the period that begins at `atMs`, if there is one and it has data. */
export function valueAt({ grid, values }: TimeSeries, atMs: number): number | undefined {
  return values[(atMs - grid.startMs) / grid.periodMs];
}

/** The grid on which series of different periods meet: the coarsest of them. */
export function commonGrid(grids: readonly Grid[]): Grid | undefined {
  return grids.reduce<Grid | undefined>((a, b) => (a && a.periodMs >= b.periodMs ? a : b), undefined);
}

/** Puts series together, period by period; each number given is the same in every period. */
export function join(
  operands: readonly (TimeSeries | number)[],
  apply: (values: readonly (number | undefined)[]) => number | undefined,
): TimeSeries | undefined {
  const grid = commonGrid(operands.flatMap(operand => (typeof operand === 'number' ? [] : [operand.grid])));
  if (!grid) return undefined;
  return seriesOn(grid, (index, atMs) =>
    apply(operands.map(operand => (typeof operand === 'number' ? operand : pointIn(operand, grid, index, atMs)))),
  );
}

const pointIn = (series: TimeSeries, grid: Grid, index: number, atMs: number): number | undefined =>
  series.grid === grid ? series.values[index] : valueAt(series, atMs);

/** The data points there are, oldest first. */
export function pointsOf({ grid, values }: TimeSeries): readonly { readonly atMs: number; readonly value: number }[] {
  return values.flatMap((value, index) => (value === undefined ? [] : [{ atMs: instantOf(grid, index), value }]));
}
