import fc from 'fast-check';
import { MetricSeries } from '../../../local/cloudwatch/metrics/metric-series';
import { valueSet } from '../../../local/cloudwatch/metrics/statistics';
import { MINUTE_MS, START_MS, World } from './fixture';

const DAY_MS = 24 * 60 * MINUTE_MS;
const ALL_STATISTICS = ['Average', 'Maximum', 'Minimum', 'SampleCount', 'Sum'] as const;

function statistics(world: World, periodSeconds: number, minutes: number) {
  const { Datapoints: points } = world.cloudWatch.call('GetMetricStatistics', world.cloudWatch.owner, {
    Namespace: 'AWS/SQS',
    MetricName: 'NumberOfMessagesSent',
    Dimensions: [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }],
    Statistics: [...ALL_STATISTICS],
    StartTime: new Date(START_MS),
    EndTime: new Date(START_MS + minutes * MINUTE_MS),
    Period: periodSeconds,
  });
  return points ?? [];
}

test('the values of a minute become one data point, stamped with the start of the minute', async () => {
  const world = new World();
  await world.timeline.advanceTo(START_MS + 61_000);
  for (const value of [2, 8, 5]) world.report(value);
  expect(statistics(world, 60, 5)).toEqual([
    {
      Timestamp: new Date(START_MS + MINUTE_MS),
      Unit: 'Count',
      Average: 5,
      Maximum: 8,
      Minimum: 2,
      SampleCount: 3,
      Sum: 15,
    },
  ]);
});

test('a longer period merges its minutes, and minutes without data have no data point', async () => {
  const world = new World();
  for (const minute of [0, 4, 5, 14]) {
    await world.timeline.advanceTo(START_MS + minute * MINUTE_MS);
    world.report(minute);
  }
  expect(statistics(world, 300, 15).map(({ Sum, SampleCount }) => [Sum, SampleCount])).toEqual([
    [4, 2],
    [5, 1],
    [14, 1],
  ]);
});

test('metrics differ by every dimension, in whatever order they are named', () => {
  const world = new World();
  const put = (dimensions: Record<string, string>, value: number) =>
    world.cloudWatch.put({ namespace: 'AWS/ApiGateway', name: 'Count', dimensions, value });
  put({ ApiName: 'rental', Stage: 'prod' }, 1);
  put({ Stage: 'prod', ApiName: 'rental' }, 1);
  put({ ApiName: 'rental' }, 1);
  const sum = (dimensions: { Name: string; Value: string }[]) =>
    world.cloudWatch.call('GetMetricStatistics', world.cloudWatch.owner, {
      Namespace: 'AWS/ApiGateway',
      MetricName: 'Count',
      Dimensions: dimensions,
      Statistics: ['Sum'],
      StartTime: new Date(START_MS),
      EndTime: new Date(START_MS + MINUTE_MS),
      Period: 60,
    }).Datapoints?.[0]?.Sum;
  const api = { Name: 'ApiName', Value: 'rental' };
  expect(sum([{ Name: 'Stage', Value: 'prod' }, api])).toBe(2);
  expect(sum([api])).toBe(1);
});

test('GetMetricData answers single metrics, newest first', async () => {
  const world = new World();
  world.report(1);
  await world.advanceMinutes(1);
  world.report(2);
  const MetricStat = {
    Metric: {
      Namespace: 'AWS/SQS',
      MetricName: 'NumberOfMessagesSent',
      Dimensions: [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }],
    },
    Period: 60,
    Stat: 'Sum',
  };
  const get = (query: object) =>
    world.cloudWatch.call('GetMetricData', world.cloudWatch.owner, {
      MetricDataQueries: [{ Id: 'sent', ...query }],
      StartTime: new Date(START_MS),
      EndTime: new Date(START_MS + 5 * MINUTE_MS),
    });
  expect(get({ MetricStat }).MetricDataResults?.[0]).toMatchObject({
    Id: 'sent',
    Values: [2, 1],
    StatusCode: 'Complete',
  });
  expect(() => get({ Expression: 'sent * 2' })).toThrow('The embedded AWS does not implement metric math.');
});

describe('PutMetricData', () => {
  const put = (world: World, datum: object, namespace = 'Rental') =>
    world.cloudWatch.call('PutMetricData', world.cloudWatch.owner, {
      Namespace: namespace,
      MetricData: [{ MetricName: 'Orders', ...datum }],
    });

  test('takes values with counts, and whole statistic sets', () => {
    const world = new World();
    put(world, { Values: [1, 5], Counts: [3, 2] });
    put(world, { StatisticValues: { SampleCount: 2, Sum: 7, Minimum: 3, Maximum: 4 } });
    const { Datapoints } = world.cloudWatch.call('GetMetricStatistics', world.cloudWatch.owner, {
      Namespace: 'Rental',
      MetricName: 'Orders',
      Statistics: [...ALL_STATISTICS],
      StartTime: new Date(START_MS),
      EndTime: new Date(START_MS + MINUTE_MS),
      Period: 60,
    });
    expect(Datapoints).toEqual([expect.objectContaining({ SampleCount: 7, Sum: 20, Minimum: 1, Maximum: 5 })]);
  });

  test.each([
    ['a namespace that belongs to AWS', { Value: 1 }, 'AWS/SQS', 'is invalid: it is reserved for AWS services'],
    ['no value', {}, 'Rental', 'exactly one of Value, StatisticValues and Values'],
    ['two values', { Value: 1, Values: [2] }, 'Rental', 'exactly one of'],
    ['a value that is no number', { Value: Number.NaN }, 'Rental', 'The value NaN'],
    ['a time too long ago', { Value: 1, Timestamp: new Date(START_MS - 15 * DAY_MS) }, 'Rental', 'Timestamp'],
    ['a time too far ahead', { Value: 1, Timestamp: new Date(START_MS + DAY_MS) }, 'Rental', 'Timestamp'],
  ])('refuses %s', (_, datum, namespace, text) => {
    expect(() => put(new World(), datum, namespace)).toThrow(text);
  });
});

describe('what is kept', () => {
  test('a metric reported every minute for a year holds few buckets, and its sums stay right', () => {
    const series = new MetricSeries({ namespace: 'AWS/SQS', name: 'Sent', dimensions: {} });
    const minutes = 365 * 24 * 60;
    for (let minute = 0; minute < minutes; minute += 1) {
      const nowMs = START_MS + minute * MINUTE_MS;
      series.add(nowMs, nowMs, valueSet(1), 'Count', 60);
    }
    const endMs = START_MS + minutes * MINUTE_MS;
    expect(series.between(START_MS, endMs)).toMatchObject({ sampleCount: minutes, sum: minutes });
    expect(series.between(endMs - DAY_MS, endMs)?.sum).toBe(24 * 60);
    expect(series.bucketCount).toBeLessThan((3 * 24 + 1) * 60 + 365 * 24 + 2);
  });

  test('data that arrives out of order lands in its own minute', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 60 }), minutes => {
        const series = new MetricSeries({ namespace: 'Rental', name: 'Orders', dimensions: {} });
        for (const minute of minutes) {
          series.add(START_MS, START_MS + minute * MINUTE_MS, valueSet(minute), 'None', 60);
        }
        for (let minute = 0; minute <= 30; minute += 1) {
          const atMs = START_MS + minute * MINUTE_MS;
          const expected = minutes.filter(it => it === minute).length;
          expect(series.between(atMs, atMs + MINUTE_MS)?.sampleCount ?? 0).toBe(expected);
        }
      }),
    );
  });
});
