import type { MetricDatum } from '@aws-sdk/client-cloudwatch';
import { CloudWatchFixture, MINUTE_MS, START_MS } from './fixture';

const DAY_MS = 24 * 60 * MINUTE_MS;

const put = (world: CloudWatchFixture, datum: Partial<MetricDatum>, namespace = 'Rental') =>
  world.ask('PutMetricData', { Namespace: namespace, MetricData: [{ MetricName: 'Orders', ...datum }] });

const firstMinute = (world: CloudWatchFixture, extended: string[] = []) =>
  world.ask('GetMetricStatistics', {
    Namespace: 'Rental',
    MetricName: 'Orders',
    Statistics: ['SampleCount', 'Sum', 'Minimum', 'Maximum'],
    ExtendedStatistics: extended,
    StartTime: new Date(START_MS),
    EndTime: new Date(START_MS + MINUTE_MS),
    Period: 60,
  }).Datapoints;

test('takes values with counts, and whole statistic sets', () => {
  const world = new CloudWatchFixture();
  put(world, { Values: [1, 5], Counts: [3, 2] });
  put(world, { StatisticValues: { SampleCount: 2, Sum: 7, Minimum: 3, Maximum: 4 } });
  expect(firstMinute(world)).toEqual([expect.objectContaining({ SampleCount: 7, Sum: 20, Minimum: 1, Maximum: 5 })]);
});

test('percentiles are read off single values, and off a set only when all its values are equal', () => {
  const single = new CloudWatchFixture();
  put(single, { Values: [1, 5], Counts: [3, 1] });
  put(single, { StatisticValues: { SampleCount: 4, Sum: 36, Minimum: 9, Maximum: 9 } });
  expect(firstMinute(single, ['p50', 'p100'])?.[0]?.ExtendedStatistics).toEqual({ p50: 5, p100: 9 });
  put(single, { StatisticValues: { SampleCount: 2, Sum: 3, Minimum: 1, Maximum: 2 } });
  expect(firstMinute(single, ['p50'])?.[0]?.ExtendedStatistics).toEqual({});
});

// Recorded of AWS, but for the limits of time and number, whose texts are AWS's own as far as we know them.
test.each<[string, string, Partial<MetricDatum>]>([
  [
    'InvalidParameterCombination',
    'The parameters MetricData.member.1.Value and MetricData.member.1.Values are mutually exclusive and you have specified both.',
    { Value: 1.5, Values: [1, 10] },
  ],
  [
    'InvalidParameterCombination',
    'The parameters MetricData.member.1.Value and MetricData.member.1.StatisticValues are mutually exclusive and you have specified both.',
    { Value: 1.5, StatisticValues: { SampleCount: 10, Sum: 55, Minimum: 1, Maximum: 10 } },
  ],
  [
    'InvalidParameterValue',
    'The parameters MetricData.member.1.Values and MetricData.member.1.Counts must be of the same size.',
    { Values: [1, 10], Counts: [2, 4, 5] },
  ],
  [
    'InvalidParameterValue',
    'The parameter MetricData.member.1.StatisticValues.Maximum must be greater than MetricData.member.1.StatisticValues.Minimum.',
    { StatisticValues: { SampleCount: 1, Sum: 1, Minimum: 2, Maximum: 1 } },
  ],
  ['InvalidParameterValue', 'The value NaN for parameter MetricData.member.1.Value is invalid.', { Value: Number.NaN }],
  ['MissingParameter', 'The parameter MetricData.member.1.Value is required.', {}],
  ['MissingParameter', 'The parameter MetricData.member.1.MetricName is required.', { MetricName: '', Value: 1 }],
  [
    'InvalidParameterValue',
    'The value Miles for parameter MetricData.member.1.Unit is invalid.',
    { Value: 1, Unit: 'Miles' as MetricDatum['Unit'] },
  ],
  [
    'InvalidParameterValue',
    'The collection MetricData.member.1.Dimensions must not have a size greater than 30.',
    { Value: 1, Dimensions: Array.from({ length: 31 }, (_, i) => ({ Name: `n${i}`, Value: 'v' })) },
  ],
  [
    'InvalidParameterValue',
    'The parameter MetricData.member.1.Timestamp must specify a time no more than two weeks in the past.',
    { Value: 1, Timestamp: new Date(START_MS - 14 * DAY_MS - 1) },
  ],
  [
    'InvalidParameterValue',
    'The parameter MetricData.member.1.Timestamp must specify a time no more than two hours in the future.',
    { Value: 1, Timestamp: new Date(START_MS + 120 * MINUTE_MS + 1) },
  ],
])('refuses with %s: %s', (code, message, datum) => {
  expect(() => put(new CloudWatchFixture(), datum)).toThrow(
    expect.objectContaining({ code, message, httpStatus: 400 }),
  );
});

test('refuses more than a thousand data, and a namespace that belongs to AWS', () => {
  const world = new CloudWatchFixture();
  const MetricData = Array.from({ length: 1_001 }, () => ({ MetricName: 'Orders', Value: 1 }));
  expect(() => world.ask('PutMetricData', { Namespace: 'Rental', MetricData })).toThrow(
    'The collection MetricData must not have a size greater than 1000.',
  );
  expect(() => put(world, { Value: 1 }, 'AWS/SQS')).toThrow('it is reserved for AWS services');
  expect(firstMinute(world)).toEqual([]);
});

test('data may be two weeks old, and two hours ahead', () => {
  const world = new CloudWatchFixture();
  put(world, { Value: 1, Timestamp: new Date(START_MS - 14 * DAY_MS) });
  put(world, { Value: 2, Timestamp: new Date(START_MS + 120 * MINUTE_MS) });
  const sums = world.ask('GetMetricData', {
    StartTime: new Date(START_MS - 15 * DAY_MS),
    EndTime: new Date(START_MS + DAY_MS),
    MetricDataQueries: [
      {
        Id: 'orders',
        MetricStat: { Metric: { Namespace: 'Rental', MetricName: 'Orders' }, Period: 60, Stat: 'Sum' },
      },
    ],
  }).MetricDataResults?.[0];
  expect(sums?.Values).toEqual([2, 1]);
});

describe('ListMetrics', () => {
  const names = (world: CloudWatchFixture, input: object) =>
    world.ask('ListMetrics', input).Metrics?.map(it => it.MetricName);

  test('lists what has data, by namespace, name and dimensions', () => {
    const world = new CloudWatchFixture();
    put(world, { Value: 1, Dimensions: [{ Name: 'City', Value: 'Oslo' }] });
    put(world, { Value: 1, MetricName: 'Cars' });
    world.ask('PutMetricAlarm', {
      AlarmName: 'waits',
      Namespace: 'Rental',
      MetricName: 'Never',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanThreshold',
    });
    expect(names(world, {})).toEqual(['Orders', 'Cars']);
    expect(names(world, { MetricName: 'Cars' })).toEqual(['Cars']);
    expect(names(world, { Namespace: 'Elsewhere' })).toEqual([]);
    expect(names(world, { Dimensions: [{ Name: 'City' }] })).toEqual(['Orders']);
    expect(names(world, { Dimensions: [{ Name: 'City', Value: 'Bergen' }] })).toEqual([]);
    expect(world.ask('ListMetrics', { MetricName: 'Orders' }).Metrics).toEqual([
      { Namespace: 'Rental', MetricName: 'Orders', Dimensions: [{ Name: 'City', Value: 'Oslo' }] },
    ]);
  });

  test('forgets a metric after two weeks without data, and lists what was active for three hours on request', async () => {
    const world = new CloudWatchFixture();
    put(world, { Value: 1 });
    await world.advanceMinutes(3 * 60 + 1);
    expect(names(world, { RecentlyActive: 'PT3H' })).toEqual([]);
    expect(names(world, {})).toEqual(['Orders']);
    await world.advanceMinutes(14 * 24 * 60);
    expect(names(world, {})).toEqual([]);
  });

  test('answers 500 at a time', () => {
    const world = new CloudWatchFixture();
    for (let i = 0; i < 501; i += 1) put(world, { Value: 1, MetricName: `Metric-${i}` });
    const { Metrics, NextToken } = world.ask('ListMetrics', {});
    expect(Metrics).toHaveLength(500);
    expect(names(world, { NextToken })).toEqual(['Metric-500']);
  });
});

describe('GetMetricStatistics', () => {
  const ask = (world: CloudWatchFixture, input: object) =>
    world.ask('GetMetricStatistics', {
      Namespace: 'Rental',
      MetricName: 'Orders',
      Statistics: ['Sum'],
      StartTime: new Date(START_MS),
      EndTime: new Date(START_MS + DAY_MS),
      Period: 60,
      ...input,
    });

  test('answers at most 1,440 data points, in the words AWS has for more', () => {
    const world = new CloudWatchFixture();
    expect(ask(world, {}).Datapoints).toEqual([]);
    expect(() => ask(world, { EndTime: new Date(START_MS + 2 * DAY_MS) })).toThrow(
      expect.objectContaining({
        code: 'InvalidParameterCombination',
        message:
          'You have requested up to 2,880 datapoints, which exceeds the limit of 1,440. You may reduce the datapoints requested by increasing Period, or decreasing the time range.',
      }),
    );
  });

  test.each<[string, object]>([
    ['The parameter StartTime must be less than the parameter EndTime.', { EndTime: new Date(START_MS) }],
    ['The parameter Period must be 1, 5, 10, 20, 30 or a multiple of 60, got 61.', { Period: 61 }],
    ['The parameter Statistics or ExtendedStatistics is required.', { Statistics: [] }],
    ['The value p200 for parameter ExtendedStatistics is not supported.', { ExtendedStatistics: ['p200'] }],
  ])('refuses: %s', (text, input) => {
    expect(() => ask(new CloudWatchFixture(), input)).toThrow(text);
  });

  test('tells units apart, in the order in which they came', () => {
    const world = new CloudWatchFixture();
    put(world, { Value: 60_000, Unit: 'Milliseconds' });
    put(world, { Value: 60, Unit: 'Seconds' });
    expect(ask(world, {}).Datapoints?.map(({ Unit, Sum }) => [Unit, Sum])).toEqual([
      ['Milliseconds', 60_000],
      ['Seconds', 60],
    ]);
    expect(ask(world, { Unit: 'Count' }).Datapoints).toEqual([]);
  });
});
