import fc from 'fast-check';
import { MathProgram } from '../../../local/cloudwatch/math/program';
import { isList, isSeries, type MathValue, type TimeSeries } from '../../../local/cloudwatch/math/time-series';
import { MINUTE_MS, START_MS } from './fixture';

type Points = readonly (number | undefined)[];

const series = (values: Points, periodMs = MINUTE_MS): TimeSeries => ({
  grid: { startMs: START_MS, periodMs, count: values.length },
  values,
});

const METRICS: Readonly<Record<string, Points>> = {
  m1: [1, 2, undefined, 4],
  m2: [10, 0, 30, undefined],
  errors: [-1.5, 1.5, 2.5, 0],
};

/** The metrics above, minute by minute, and the expression; undefined is a minute without data. */
function evaluate(expression: string, metrics = METRICS): MathValue {
  const lines = Object.keys(metrics).map(id => ({ id }));
  const program = new MathProgram([...lines, { id: 'e1', expression }]);
  const grid = { startMs: START_MS, periodMs: MINUTE_MS, count: 4 };
  return program.evaluate('e1', grid, id => series(metrics[id] ?? []));
}

function plain(value: MathValue): unknown {
  if (typeof value === 'number') return value;
  if (isList(value)) return value.map(it => it.values);
  return isSeries(value) ? value.values : value;
}

const no = undefined;

// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html#metric-math-syntax
describe('expressions', () => {
  test.each<[string, unknown]>([
    ['1 + 2 * 3 ^ 2 - 4 / 2', 17],
    ['-2 ^ 2', -4],
    ['2 ^ -1', 0.5],
    ['(1 + 2) * 3', 9],
    ['1 < 2 AND 2 >= 3 OR 5 == 5', 1],
    ['1 != 1 || 0 && 1', 0],
    ['m1 + 1', [2, 3, no, 5]],
    ['10 - m1', [9, 8, no, 6]],
    ['m1 + m2', [11, 2, no, no]],
    // what a division by zero gives is no data point
    ['m1 / m2', [0.1, no, no, no]],
    ['m1 >= 2', [0, 1, no, 1]],
    ['m1 > 1 AND m2 < 1', [0, 1, no, no]],
    ['-m1', [-1, -2, no, -4]],
    ['m1 ^ 2', [1, 4, no, 16]],
    [
      '[m1, m2] * 2',
      [
        [2, 4, no, 8],
        [20, 0, 60, no],
      ],
    ],
    [
      '[m1, m2] - [m2, m1]',
      [
        [-9, 2, no, no],
        [9, -2, no, no],
      ],
    ],
  ])('%s', (expression, expected) => {
    expect(plain(evaluate(expression))).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['SUM(m1)', 7],
    ['AVG(m1)', 7 / 3],
    ['MIN(m2)', 0],
    ['MAX(m2)', 30],
    ['STDDEV([m1, m2])', [4.5, 1, 0, 0]],
    ['DATAPOINT_COUNT(m1)', 3],
    ['SUM([m1, m2])', [11, 2, 30, 4]],
    ['SUM(METRICS())', [9.5, 3.5, 32.5, 4]],
    ['AVG(METRICS("m"))', [5.5, 1, 30, 4]],
    ['MAX([m1, 3])', [3, 3, 3, 4]],
    ['METRIC_COUNT(METRICS())', 3],
    ['ABS(errors)', [1.5, 1.5, 2.5, 0]],
    ['CEIL(errors)', [-1, 2, 3, 0]],
    ['FLOOR(errors)', [-2, 1, 2, 0]],
    ['LOG10(m2)', [1, no, Math.log10(30), no]],
    ['LOG(1)', 0],
    ['DIFF(m1)', [no, 1, no, 2]],
    ['DIFF_TIME(m1)', [no, 60, no, 120]],
    ['RATE(m1)', [no, 1 / 60, no, 2 / 120]],
    ['RUNNING_SUM(m1)', [1, 3, no, 7]],
    ['PERIOD(m1)', 60],
    ['TIME_SERIES(5)', [5, 5, 5, 5]],
    ['FILL(m1, 0)', [1, 2, 0, 4]],
    ['FILL(m1, REPEAT)', [1, 2, 2, 4]],
    ['FILL(m1, LINEAR)', [1, 2, 3, 4]],
    ['FILL(m2, LINEAR)', [10, 0, 30, no]],
    ['FILL(m1, m2)', [1, 2, 30, 4]],
    [
      'FILL([m1, m2], 0)',
      [
        [1, 2, 0, 4],
        [10, 0, 30, 0],
      ],
    ],
    ['IF(m1 > 1, m1, 0)', [0, 2, no, 4]],
    ['IF(m1 > 1, 100)', [no, 100, no, 100]],
    ['IF(1, m1, m2)', [1, 2, no, 4]],
    ['IF(m2 >= 10, m2, m1)', [10, 2, 30, no]],
    ['FIRST(METRICS())', [1, 2, no, 4]],
    ['LAST([m1, m2])', [10, 0, 30, no]],
    ['SLICE(METRICS(), 1)', [10, 0, 30, no]],
    ['SLICE(METRICS(), 0, 1)', [[1, 2, no, 4]]],
    ['SORT([m1, m2], AVG, DESC, 1)', [[10, 0, 30, no]]],
    ['SORT([m1, m2], MIN, ASC)', [METRICS['m2'], METRICS['m1']]],
    ['REMOVE_EMPTY([m1, m1 / 0])', [METRICS['m1']]],
    ['MINUTE(m1)', [0, 1, 2, 3]],
    // the second of January 2026 is a Friday
    ['DAY(m1) * 10000 + MONTH(m1) * 100 + DATE(m1)', [50_102, 50_102, 50_102, 50_102]],
    ['YEAR(m1) - HOUR(m1)', [2026, 2026, 2026, 2026]],
    ['EPOCH(m1) - 1767312000', [0, 60, 120, 180]],
  ])('%s', (expression, expected) => {
    expect(plain(evaluate(expression))).toEqual(expected);
  });

  test('series of different periods meet where both have a data point, by the coarser', () => {
    const program = new MathProgram([{ id: 'fine' }, { id: 'coarse' }, { id: 'e1', expression: 'fine + coarse' }]);
    const byId: Readonly<Record<string, TimeSeries>> = {
      fine: series([1, 2, 3, 4, 5, 6]),
      coarse: series([10, 20, 30], 2 * MINUTE_MS),
    };
    const grid = { startMs: START_MS, periodMs: 2 * MINUTE_MS, count: 3 };
    const sum = program.evaluate('e1', grid, id => byId[id] ?? series([]));
    expect(plain(sum)).toEqual([11, 23, 35]);
  });

  test('expressions refer to each other', () => {
    const lines = [
      { id: 'rate', expression: 'failed / all' },
      { id: 'all', expression: 'good + bad' },
      { id: 'failed', expression: 'bad' },
      { id: 'good' },
      { id: 'bad' },
    ];
    const values: Readonly<Record<string, Points>> = { good: [3], bad: [1] };
    const grid = { startMs: START_MS, periodMs: MINUTE_MS, count: 1 };
    expect(plain(new MathProgram(lines).evaluate('rate', grid, id => series(values[id] ?? [])))).toEqual([0.25]);
  });
});

describe('what is no expression', () => {
  test.each<[string, string]>([
    ['m1 +', 'Unexpected end of the expression, must be: a value'],
    ['m1 m2', "Unsupported token 'm2' at char 3, must be: the end of the expression"],
    ['(m1', "Unexpected end of the expression, must be: ')'"],
    ['m1 $ 2', "Unexpected character '$' at char 3"],
    ['m9', "Unknown id 'm9'"],
    ['MOD(m1, 2)', "Unsupported function 'MOD'"],
    ['e1 * 2', 'It refers to itself by way of e1, e1'],
    ['FILL(m1, OFTEN)', 'FILL takes a time series, and REPEAT, LINEAR, a number or another time series'],
    ['SUM(1)', 'Unsupported operand: must be a time series'],
    ['m1 + REPEAT', "Unsupported operand 'REPEAT' for +"],
    ['[m1] + [m1, m2]', 'Unsupported operands for +: the lists have 1 and 2 time series'],
    ['FIRST(REMOVE_EMPTY([m1 / 0]))', 'The list of time series is empty'],
    ['('.repeat(200), 'The expression is nested more than 100 deep'],
    ['', 'Unexpected end of the expression, must be: a value'],
  ])('%s', (expression, problem) => {
    expect(() => evaluate(expression)).toThrow(`Error in expression 'e1' [${problem}]`);
  });

  test.each([
    ['ANOMALY_DETECTION_BAND(m1, 2)', "metric math's ANOMALY_DETECTION_BAND"],
    ["SEARCH('{AWS/SQS,QueueName} x', 'Sum', 60)", "metric math's SEARCH"],
    ['SELECT AVG(x) FROM y', 'Metrics Insights queries'],
  ])('%s is refused by name', (expression, what) => {
    expect(() => evaluate(expression)).toThrow(
      expect.objectContaining({ httpStatus: 501, message: `The embedded AWS does not implement ${what}.` }),
    );
  });

  test('expressions that build on each other are checked and evaluated once each', () => {
    const doubled = Array.from({ length: 200 }, (_, i) => ({ id: `e${i + 1}`, expression: `e${i} + e${i}` }));
    const program = new MathProgram([{ id: 'e0' }, ...doubled]);
    const grid = { startMs: START_MS, periodMs: MINUTE_MS, count: 1 };
    expect(plain(program.evaluate('e200', grid, () => series([1])))).toEqual([2 ** 200]);
  });

  test('the longest chain of the longest expressions is evaluated without running out of stack', () => {
    const sum = (id: string) => Array.from({ length: 600 }, () => id).join('+');
    const chain = Array.from({ length: 499 }, (_, i) => ({
      id: `e${i + 1}`,
      expression: i === 0 ? sum('e0') : `${sum('1')}-e${i}`,
    }));
    const program = new MathProgram([{ id: 'e0' }, ...chain]);
    const grid = { startMs: START_MS, periodMs: MINUTE_MS, count: 1 };
    expect(plain(program.evaluate('e499', grid, () => series([1])))).toEqual([600]);
  });

  test('whatever somebody writes is read or refused, and never breaks the reader', () => {
    const part = fc.constantFrom(
      'm1',
      'm2',
      '1',
      '+',
      '-',
      '*',
      '/',
      '^',
      '(',
      ')',
      '[',
      ']',
      ',',
      'SUM',
      'FILL',
      'IF',
      '"a"',
      'AND',
      '<',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), parts => {
        const outcome = (() => {
          try {
            evaluate(parts.join(' '));
            return 'evaluated';
          } catch (error) {
            return error instanceof Error ? error.name : 'something else';
          }
        })();
        expect(['evaluated', 'ExpressionError']).toContain(outcome);
      }),
    );
  });
});
