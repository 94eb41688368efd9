import type { GetMetricDataInput, MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { CloudWatchFixture, MINUTE_MS, START_MS } from './fixture';

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

test('a metric nobody reported has a result without values', () => {
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

// Recorded: a label tells what the metrics of a request differ in.
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
  [`The embedded AWS does not implement dynamic labels, such as \${AVG}.`, [{ ...SENT, Label: `\${AVG}` }], {}],
  ['NextToken zzz is not one that was answered', [SENT], { NextToken: 'zzz' }],
])('refuses: %s', (message, queries, input) => {
  expect(() => get(new CloudWatchFixture(), queries, input)).toThrow(expect.objectContaining({ message }));
});
