import type { GetMetricDataInput, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import fc from 'fast-check';
import { MathProgram } from '../../../local/cloudwatch/math/program';
import { isList, isSeries, type MathValue, type TimeSeries } from '../../../local/cloudwatch/math/time-series';
import { MINUTE_MS } from '../../../policy/time-units';
import { CloudWatchFixture, START_MS } from './fixture';

describe('get metric data', () => {
  const metricStat = (MetricName: string, Stat = 'Sum', Period = 60): MetricDataQuery['MetricStat'] => ({
    Metric: {
      Namespace: 'AWS/SQS',
      MetricName,
      Dimensions: [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }],
    },
    Period,
    Stat,
  });

  const SENT: MetricDataQuery = { Id: 'sent', MetricStat: metricStat('NumberOfMessagesSent') };
  const DELETED: MetricDataQuery = { Id: 'deleted', MetricStat: metricStat('NumberOfMessagesDeleted') };

  const get = (world: CloudWatchFixture, queries: MetricDataQuery[], input: Partial<GetMetricDataInput> = {}) =>
    world.ask('GetMetricData', {
      MetricDataQueries: queries,
      StartTime: new Date(START_MS),
      EndTime: new Date(START_MS + 5 * MINUTE_MS),
      ...input,
    });

  /** Five minutes in which 1, 2, … 5 messages are sent, and none is deleted in the third. */
  async function fiveMinutes(): Promise<CloudWatchFixture> {
    const world = new CloudWatchFixture();
    for (let minute = 1; minute <= 5; minute += 1) {
      world.report(minute);
      if (minute !== 3) world.report(1, 'NumberOfMessagesDeleted');
      await world.advanceMinutes(1);
    }
    return world;
  }

  test('answers metrics newest first, or oldest first on request', async () => {
    const world = await fiveMinutes();
    const [sent] = get(world, [SENT]).MetricDataResults ?? [];
    expect(sent).toMatchObject({
      Id: 'sent',
      Label: 'NumberOfMessagesSent',
      Values: [5, 4, 3, 2, 1],
      StatusCode: 'Complete',
    });
    expect(sent?.Timestamps?.[0]).toEqual(new Date(START_MS + 4 * MINUTE_MS));
    const [oldestFirst] = get(world, [SENT], { ScanBy: 'TimestampAscending' }).MetricDataResults ?? [];
    expect(oldestFirst?.Values).toEqual([1, 2, 3, 4, 5]);
  });

  test('a period of 30 seconds has the data of a minute at the start of the minute (recorded on AWS)', async () => {
    const world = await fiveMinutes();
    const short = { Id: 'short', MetricStat: metricStat('NumberOfMessagesSent', 'Sum', 30) };
    const [found] = get(world, [short], { ScanBy: 'TimestampAscending' }).MetricDataResults ?? [];
    expect(found?.Values).toEqual([1, 2, 3, 4, 5]);
    expect(found?.Timestamps?.[1]).toEqual(new Date(START_MS + MINUTE_MS));
    // "If the StartTime is greater than 3 hours ago" (API_GetMetricData), a period below 60 seconds has no data.
    await world.advanceMinutes(3 * 60);
    expect(get(world, [short]).MetricDataResults?.[0]?.Values).toEqual([]);
  });

  test('evaluates expressions on metrics, and answers only what is wanted', async () => {
    const world = await fiveMinutes();
    const left = { Id: 'left', Expression: 'sent - FILL(deleted, 0)', Label: 'Left behind' };
    const results = get(world, [{ ...SENT, ReturnData: false }, { ...DELETED, ReturnData: false }, left]);
    expect(results.MetricDataResults).toMatchObject([{ Id: 'left', Label: 'Left behind', Values: [4, 3, 3, 1, 0] }]);
  });

  test('an expression of several time series has several results', async () => {
    const { MetricDataResults: results } = get(await fiveMinutes(), [
      SENT,
      DELETED,
      { Id: 'all', Expression: 'METRICS() * 10' },
    ]);
    expect(results?.map(({ Id, Values }) => [Id, Values])).toEqual([
      ['sent', [5, 4, 3, 2, 1]],
      ['deleted', [1, 1, 1, 1]],
      ['all', [50, 40, 30, 20, 10]],
      ['all', [10, 10, 10, 10]],
    ]);
  });

  test('pages of data points: what is broken off is partial', async () => {
    const world = await fiveMinutes();
    const pages: unknown[] = [];
    let NextToken: string | undefined;
    do {
      const page = get(world, [SENT, DELETED], { MaxDatapoints: 4, ...(NextToken === undefined ? {} : { NextToken }) });
      pages.push(page.MetricDataResults?.map(({ Id, Values, StatusCode }) => [Id, Values, StatusCode]));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(pages).toEqual([
      [['sent', [5, 4, 3, 2], 'PartialData']],
      [
        ['sent', [1], 'Complete'],
        ['deleted', [1, 1, 1], 'PartialData'],
      ],
      [['deleted', [1], 'Complete']],
    ]);
  });

  test('a metric that was never reported has a result without values', () => {
    expect(get(new CloudWatchFixture(), [SENT]).MetricDataResults).toEqual([
      { Id: 'sent', Label: 'NumberOfMessagesSent', Timestamps: [], Values: [], StatusCode: 'Complete' },
    ]);
  });

  test('of several units AWS takes the first by its own order, and says so (recorded)', () => {
    const world = new CloudWatchFixture();
    for (const [Value, Unit] of [
      [60, 'Seconds'],
      [60_000, 'Milliseconds'],
      [5, 'Count'],
    ] as const) {
      world.ask('PutMetricData', { Namespace: 'Rental', MetricData: [{ MetricName: 'Latency', Value, Unit }] });
    }
    const query = (Unit?: 'Seconds') => ({
      Id: 'm1',
      MetricStat: { Metric: { Namespace: 'Rental', MetricName: 'Latency' }, Period: 60, Stat: 'Sum', Unit },
    });
    expect(get(world, [query()]).MetricDataResults).toMatchObject([
      {
        Values: [5],
        Messages: [{ Code: 'MultipleUnits', Value: "Multiple units returned: '[Count, Milliseconds, Seconds]'" }],
      },
    ]);
    expect(get(world, [query('Seconds')]).MetricDataResults).toMatchObject([{ Values: [60] }]);
  });

  // Recorded: a label shows how the metrics of a request differ.
  test.each<[string[], [string, number][]]>([
    [
      ['metric Sum 60', 'metric Minimum 30'],
      [
        ['Sum', 60],
        ['Minimum', 30],
      ],
    ],
    [
      ['metric Sum', 'metric Minimum'],
      [
        ['Sum', 60],
        ['Minimum', 60],
      ],
    ],
    [
      ['metric 60', 'metric 30'],
      [
        ['Sum', 60],
        ['Sum', 30],
      ],
    ],
    [
      ['metric', 'metric'],
      [
        ['Sum', 60],
        ['Sum', 60],
      ],
    ],
  ])('are called %j', (labels, stats) => {
    const queries = stats.map(([stat, period], index) => ({
      Id: `q${index}`,
      MetricStat: metricStat('metric', stat, period),
    }));
    expect(get(new CloudWatchFixture(), queries).MetricDataResults?.map(({ Label }) => Label)).toEqual(labels);
  });

  test.each<[string, MetricDataQuery[], Partial<GetMetricDataInput>]>([
    ['The parameter EndTime must be greater than StartTime.', [SENT], { EndTime: new Date(START_MS) }],
    [
      'The value 1a for parameter MetricDataQueries.member.1.Id is not matching the expected pattern ^[a-z][a-zA-Z0-9_]*$.',
      [{ ...SENT, Id: '1a' }],
      {},
    ],
    ['The values for parameter Id in MetricDataQueries are not unique.', [SENT, SENT], {}],
    [
      'The parameters MetricDataQuery Expression and MetricStat are mutually exclusive and you have specified both.',
      [{ ...SENT, Expression: '1' }],
      {},
    ],
    ['Period must not be null', [{ Id: 'e1', Expression: 'TIME_SERIES(1)' }], {}],
    ['The value for parameter Stat is not supported.', [{ Id: 'm1', MetricStat: metricStat('x', 'Mean') }], {}],
    ["Error in expression 'e1' [Unknown id 'm7']", [{ Id: 'e1', Expression: 'm7', Period: 60 }], {}],
    [
      "Error in expression 'e1' [It must return a time series, and returns a single value]",
      [SENT, { Id: 'e1', Expression: 'SUM(sent)' }],
      {},
    ],
    [
      "1 validation error detected: Value '0' at 'maxDatapoints' failed to satisfy constraint: Member must have value greater than or equal to 1",
      [SENT],
      { MaxDatapoints: 0 },
    ],
    [
      'You have requested 604800 datapoints of one metric, which exceeds the limit of 100,800.',
      [{ Id: 'm1', MetricStat: metricStat('x', 'Sum', 1) }],
      { EndTime: new Date(START_MS + 7 * 24 * 60 * MINUTE_MS) },
    ],
    [
      `The embedded AWS does not implement dynamic labels, such as \${AVG}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
      [{ ...SENT, Label: `\${AVG}` }],
      {},
    ],
    ['NextToken zzz was not returned by an earlier call', [SENT], { NextToken: 'zzz' }],
  ])('refuses: %s', (message, queries, input) => {
    expect(() => get(new CloudWatchFixture(), queries, input)).toThrow(expect.objectContaining({ message }));
  });
});

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
    // A division by zero gives no data point.
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
    // 2 January 2026 is a Friday.
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
      expect.objectContaining({
        httpStatus: 501,
        message: `The embedded AWS does not implement ${what}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
      }),
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

  test('any text is parsed or rejected, and never breaks the parser', () => {
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
