import { ownMember } from '../../../policy/json-members';
import { SECOND_MS } from '../../../policy/time-units';
import type { Grid } from '../metrics/periods';
import { MathError } from './parser';
import {
  isList,
  isSeries,
  isWord,
  join,
  type MathValue,
  mapPoints,
  pointsOf,
  seriesOn,
  type TimeSeries,
  valueAt,
} from './time-series';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const average = (values: readonly number[]): number => sum(values) / values.length;

/** Functions that reduce numbers to one number. They are called with at least one number. */
const AGGREGATES: Readonly<Record<string, (values: readonly number[]) => number>> = {
  SUM: sum,
  AVG: average,
  MIN: values => values.reduce((a, b) => Math.min(a, b)),
  MAX: values => values.reduce((a, b) => Math.max(a, b)),
  /**
   * **Assumption CW-10:** AWS does not publish which formula it uses. This is the standard deviation of the population,
   * not of a sample.
   */
  STDDEV: values => {
    const mean = average(values);
    return Math.sqrt(average(values.map(value => (value - mean) ** 2)));
  },
  DATAPOINT_COUNT: values => values.length,
};

const MS_PER_SECOND = 1_000;
const SUNDAY = 7;

/** Functions that read a part of the time, in UTC. They have a value in every period, even without data. */
const CLOCK_FUNCTIONS: Readonly<Record<string, (at: Date) => number>> = {
  MINUTE: at => at.getUTCMinutes(),
  HOUR: at => at.getUTCHours(),
  /** 1 is Monday. */
  DAY: at => at.getUTCDay() || SUNDAY,
  DATE: at => at.getUTCDate(),
  MONTH: at => at.getUTCMonth() + 1,
  YEAR: at => at.getUTCFullYear(),
  EPOCH: at => Math.floor(at.getTime() / MS_PER_SECOND),
};

/**
 * Fills the periods without data: with a number, with another series, with the previous value (`REPEAT`), or by linear
 * interpolation (`LINEAR`). A gap at the edge stays empty if no value can fill it.
 */
function fill(series: TimeSeries, filling: MathValue | undefined): TimeSeries {
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

/** The data that functions can read in addition to their arguments. */
export interface MathContext {
  /** The periods of the whole request. */
  readonly grid: Grid;
  /** The metrics of the request in their order, without the expressions. */
  readonly metrics: () => readonly { readonly id: string; readonly series: TimeSeries }[];
}

type MathFunction = (values: readonly MathValue[], context: MathContext) => MathValue;

function seriesOf(value: MathValue | undefined): TimeSeries {
  if (value === undefined || !isSeries(value)) throw new MathError('Unsupported operand: must be a time series');
  return value;
}

function listOf(value: MathValue | undefined): readonly TimeSeries[] {
  if (value === undefined || !isList(value)) throw new MathError('Unsupported operand: must be a list of time series');
  return value;
}

function numberOf(value: MathValue | undefined): number {
  if (typeof value !== 'number') throw new MathError('Unsupported operand: must be a number');
  return value;
}

function each(value: MathValue | undefined, apply: (series: TimeSeries) => TimeSeries): MathValue {
  return value !== undefined && isList(value) ? value.map(apply) : apply(seriesOf(value));
}

const byPoint =
  (apply: (value: number) => number): MathFunction =>
  ([value]) =>
    typeof value === 'number' ? apply(value) : each(value, series => mapPoints(series, apply));

/**
 * Reduces a series to a number. Reduces a list to one series, computed in each period from the series that have data.
 */
const aggregate =
  (of: (values: readonly number[]) => number): MathFunction =>
  ([value], { grid }) => {
    if (value !== undefined && isList(value)) {
      const joined = join(value, values => {
        const there = values.filter(it => it !== undefined);
        return there.length === 0 ? undefined : of(there);
      });
      return joined ?? seriesOn(grid, () => undefined);
    }
    const values = pointsOf(seriesOf(value)).map(point => point.value);
    return values.length === 0 ? Number.NaN : of(values);
  };

/** Computes each data point from itself and the previous one. The first has no result. */
const withPrevious =
  (apply: (change: { readonly by: number; readonly inSeconds: number }) => number): MathFunction =>
  ([value]) =>
    each(value, series => {
      let previous: { readonly value: number; readonly atMs: number } | undefined;
      return mapPoints(series, (it, atMs) => {
        const before = previous;
        previous = { value: it, atMs };
        return before && apply({ by: it - before.value, inSeconds: (atMs - before.atMs) / SECOND_MS });
      });
    });

function runningSum(series: TimeSeries): TimeSeries {
  let total = 0;
  return mapPoints(series, value => {
    total += value;
    return total;
  });
}

const choose: MathFunction = ([condition, then, otherwise]) => {
  if (then === undefined || isList(then) || isWord(then)) throw new MathError('IF takes a condition and a value');
  if (otherwise !== undefined && (isList(otherwise) || isWord(otherwise))) throw new MathError('IF takes no list');
  if (typeof condition === 'number') return condition === 0 ? (otherwise ?? Number.NaN) : then;
  const operands = [seriesOf(condition), then, otherwise ?? Number.NaN];
  const chosen = join(operands, ([is, a, b]) => (is === undefined ? undefined : is === 0 ? b : a));
  return chosen ?? Number.NaN;
};

const sort: MathFunction = ([value, by, order, howMany]) => {
  const of = by !== undefined && isWord(by) ? ownMember(AGGREGATES, by.word) : undefined;
  const isOrder = order !== undefined && isWord(order) && ['ASC', 'DESC'].includes(order.word);
  if (!of || !isOrder) throw new MathError('SORT takes a list, one of AVG, MIN, MAX and SUM, and ASC or DESC');
  const sign = order.word === 'ASC' ? 1 : -1;
  const ranked = listOf(value)
    .map(series => ({ series, points: pointsOf(series).map(point => point.value) }))
    .map(({ series, points }) => ({ series, rank: points.length === 0 ? Number.NEGATIVE_INFINITY : of(points) }))
    .sort((a, b) => (a.rank === b.rank ? 0 : sign * (a.rank - b.rank)));
  return ranked.slice(0, howMany === undefined ? undefined : numberOf(howMany)).map(({ series }) => series);
};

function edge(value: MathValue | undefined, at: 0 | -1): TimeSeries {
  const series = listOf(value).at(at);
  if (!series) throw new MathError('The list of time series is empty');
  return series;
}

/**
 * The implemented functions of metric math.
 *
 * @see
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html#metric-math-syntax-functions-list
 */
export const FUNCTIONS: Readonly<Record<string, MathFunction>> = {
  ...Object.fromEntries(Object.entries(AGGREGATES).map(([name, of]) => [name, aggregate(of)])),
  ...Object.fromEntries(
    Object.entries(CLOCK_FUNCTIONS).map(([name, read]): [string, MathFunction] => [
      name,
      ([value]) => each(value, ({ grid }) => seriesOn(grid, (_, atMs) => read(new Date(atMs)))),
    ]),
  ),
  ABS: byPoint(Math.abs),
  CEIL: byPoint(Math.ceil),
  FLOOR: byPoint(Math.floor),
  LOG: byPoint(Math.log),
  LOG10: byPoint(Math.log10),
  DIFF: withPrevious(({ by }) => by),
  DIFF_TIME: withPrevious(({ inSeconds }) => inSeconds),
  RATE: withPrevious(({ by, inSeconds }) => by / inSeconds),
  RUNNING_SUM: ([value]) => each(value, runningSum),
  FILL: ([value, filling]) => each(value, series => fill(series, filling)),
  IF: choose,
  FIRST: ([value]) => edge(value, 0),
  LAST: ([value]) => edge(value, -1),
  METRICS: ([text], { metrics }) => {
    const part = text !== undefined && isWord(text) ? text.word : '';
    return metrics().flatMap(({ id, series }) => (id.includes(part) ? [series] : []));
  },
  METRIC_COUNT: ([value]) => listOf(value).length,
  PERIOD: ([value]) => seriesOf(value).grid.periodMs / SECOND_MS,
  REMOVE_EMPTY: ([value]) => listOf(value).filter(series => pointsOf(series).length > 0),
  SLICE: ([value, from, to]) => {
    const start = numberOf(from);
    return to === undefined ? edge(listOf(value).slice(start), 0) : listOf(value).slice(start, numberOf(to));
  },
  SORT: sort,
  TIME_SERIES: ([value], { grid }) => {
    const constant = numberOf(value);
    return seriesOn(grid, () => constant);
  },
};

/** Whether the function's value changes as time passes, even without new data. */
export const readsTheClock = (name: string): boolean => Object.hasOwn(CLOCK_FUNCTIONS, name);

/** Functions that AWS has but the embedded AWS does not implement, because it lacks what they read. */
export const REFUSED_FUNCTIONS: readonly string[] = [
  'ANOMALY_DETECTION_BAND',
  'DB_PERF_INSIGHTS',
  'INSIGHT_RULE_METRIC',
  'LAMBDA',
  'SEARCH',
  'SERVICE_QUOTA',
];
