import fc from 'fast-check';
import { MetricSeries } from '../../../local/cloudwatch/metrics/metric-series';
import { valueSet } from '../../../local/cloudwatch/metrics/statistic-set';
import { statisticNamed } from '../../../local/cloudwatch/metrics/statistics';
import { ValueCounts } from '../../../local/cloudwatch/metrics/value-counts';
import { CloudWatchFixture, MINUTE_MS, START_MS } from './fixture';

const DAY_MS = 24 * 60 * MINUTE_MS;
const ALL_STATISTICS = ['Average', 'Maximum', 'Minimum', 'SampleCount', 'Sum'] as const;

function statistics(world: CloudWatchFixture, periodSeconds: number, minutes: number) {
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
  const world = new CloudWatchFixture();
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
  const world = new CloudWatchFixture();
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
  const world = new CloudWatchFixture();
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

describe('what is kept', () => {
  test('a metric reported every minute for a year is kept as coarsely as AWS keeps it, and its sums stay right', () => {
    const series = new MetricSeries({ namespace: 'AWS/SQS', name: 'Sent', dimensions: {} });
    const minutes = 365 * 24 * 60;
    for (let minute = 0; minute < minutes; minute += 1) {
      const nowMs = START_MS + minute * MINUTE_MS;
      series.add(nowMs, nowMs, valueSet(1), 'Count', 60);
    }
    const endMs = START_MS + minutes * MINUTE_MS;
    expect(series.between(START_MS, endMs)).toMatchObject({ sampleCount: minutes, sum: minutes });
    expect(series.between(endMs - DAY_MS, endMs)?.sum).toBe(24 * 60);
    const [byTheMinute, byFiveMinutes, byTheHour] = [15 * 24 * 60, (63 - 15) * 24 * 12, (365 - 63) * 24];
    expect(series.bucketCount).toBeLessThan(byTheMinute + byFiveMinutes + byTheHour + 3 * 60);
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

  test('data of the second is kept so for three hours, then by the minute: a shorter period finds nothing', () => {
    const series = new MetricSeries({ namespace: 'Rental', name: 'Orders', dimensions: {} });
    const add = (atMs: number) => series.add(atMs, atMs, valueSet(1), 'None', 1);
    add(START_MS + 5_000);
    expect(series.between(START_MS + 5_000, START_MS + 6_000)?.sum).toBe(1);
    add(START_MS + 5 * 60 * MINUTE_MS);
    expect(series.between(START_MS + 5_000, START_MS + 6_000)).toBeUndefined();
    expect(series.between(START_MS, START_MS + MINUTE_MS)?.sum).toBe(1);
  });

  test('what a bucket keeps of a hundred thousand different values is bounded', () => {
    const series = new MetricSeries({ namespace: 'Rental', name: 'Latency', dimensions: {} });
    for (let value = 1; value <= 100_000; value += 1) series.add(START_MS, START_MS, valueSet(value), 'None', 60);
    const values = series.between(START_MS, START_MS + MINUTE_MS, { withValues: true })?.values;
    expect(values).toBeInstanceOf(ValueCounts);
    expect(values instanceof ValueCounts && values.size).toBeLessThanOrEqual(512);
    const median = statisticNamed('p50')?.of({
      sampleCount: 100_000,
      sum: 0,
      minimum: 1,
      maximum: 100_000,
      ...(values && { values }),
    });
    expect(Math.abs((median ?? 0) - 50_000)).toBeLessThanOrEqual(2_500);
  });
});
