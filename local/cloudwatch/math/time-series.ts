import { type Grid, instantOf } from '../metrics/periods';

/** One value for each period of a grid; undefined for a period without data. */
export interface TimeSeries {
  readonly grid: Grid;
  readonly values: readonly (number | undefined)[];
}

/** The value of an expression, or of a part of one. */
export type MathValue = number | TimeSeries | readonly TimeSeries[] | Word;

/** A literal word or text, such as `REPEAT`. */
interface Word {
  readonly word: string;
}

export const isSeries = (value: MathValue): value is TimeSeries => typeof value === 'object' && 'grid' in value;
export const isList = (value: MathValue): value is readonly TimeSeries[] => Array.isArray(value);
export const isWord = (value: MathValue): value is Word => typeof value === 'object' && 'word' in value;

/** A result that is not a finite number, such as that of a division by zero, is not a data point. */
const pointOf = (value: number | undefined): number | undefined =>
  value !== undefined && Number.isFinite(value) ? value : undefined;

/** @param pointAt returns the value of a period, from its index and its start */
export function seriesOn(grid: Grid, pointAt: (index: number, atMs: number) => number | undefined): TimeSeries {
  const { startMs, periodMs, count } = grid;
  const values: (number | undefined)[] = [];
  // Alarms compute many series each minute, and a loop is several times as fast as `Array.from`.
  for (let index = 0; index < count; index += 1) values.push(pointOf(pointAt(index, startMs + index * periodMs)));
  return { grid, values };
}

export function mapPoints(series: TimeSeries, apply: (value: number, atMs: number) => number | undefined): TimeSeries {
  return seriesOn(series.grid, (index, atMs) => {
    const value = series.values[index];
    return value === undefined ? undefined : apply(value, atMs);
  });
}

/** Returns the value of the period that begins at `atMs`; undefined when there is none. */
export function valueAt({ grid, values }: TimeSeries, atMs: number): number | undefined {
  return values[(atMs - grid.startMs) / grid.periodMs];
}

/** The grid for combining series of different periods: the one with the longest periods. */
function commonGrid(grids: readonly Grid[]): Grid | undefined {
  return grids.reduce<Grid | undefined>((a, b) => (a && a.periodMs >= b.periodMs ? a : b), undefined);
}

/** Combines series period by period. A plain number has the same value in every period. */
export function join(
  operands: readonly (TimeSeries | number)[],
  apply: (values: readonly (number | undefined)[]) => number | undefined,
): TimeSeries | undefined {
  const grid = commonGrid(operands.flatMap(operand => (typeof operand === 'number' ? [] : [operand.grid])));
  if (!grid) return undefined;
  return seriesOn(grid, (index, atMs) => apply(operands.map(operand => pointIn(operand, grid, index, atMs))));
}

/** Combines two values period by period. The result has no data where one side has none. */
export function joinPair(
  left: TimeSeries | number,
  right: TimeSeries | number,
  apply: (a: number, b: number) => number,
): TimeSeries | undefined {
  const grid = commonGrid([left, right].flatMap(operand => (typeof operand === 'number' ? [] : [operand.grid])));
  if (!grid) return undefined;
  return seriesOn(grid, (index, atMs) => {
    const a = pointIn(left, grid, index, atMs);
    const b = a === undefined ? undefined : pointIn(right, grid, index, atMs);
    return a === undefined || b === undefined ? undefined : apply(a, b);
  });
}

function pointIn(operand: TimeSeries | number, grid: Grid, index: number, atMs: number): number | undefined {
  if (typeof operand === 'number') return operand;
  return operand.grid === grid ? operand.values[index] : valueAt(operand, atMs);
}

/** Returns the data points, oldest first. */
export function pointsOf({ grid, values }: TimeSeries): readonly { readonly atMs: number; readonly value: number }[] {
  return values.flatMap((value, index) => (value === undefined ? [] : [{ atMs: instantOf(grid, index), value }]));
}
