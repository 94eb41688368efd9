import type { MetricDatum } from '@aws-sdk/client-cloudwatch';
import fc from 'fast-check';
import { MetricSeries } from '../../../local/cloudwatch/metrics/metric-series';
import {
  mergeSets,
  type StatisticSet,
  ValueCounts,
  valueSet,
  valuesSet,
} from '../../../local/cloudwatch/metrics/statistic-set';
import { statisticNamed } from '../../../local/cloudwatch/metrics/statistics';
import { DAY_MS, MINUTE_MS } from '../../../policy/time-units';
import { CloudWatchFixture, START_MS } from './fixture';

describe('metrics', () => {
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
    test('a metric reported every minute for 90 days is stored at the resolutions AWS documents, with correct sums', () => {
      const series = new MetricSeries({ namespace: 'AWS/SQS', name: 'Sent', dimensions: {} });
      const minutes = 90 * 24 * 60;
      for (let minute = 0; minute < minutes; minute += 1) {
        const nowMs = START_MS + minute * MINUTE_MS;
        series.add(nowMs, nowMs, valueSet(1), 'Count', 60);
      }
      const endMs = START_MS + minutes * MINUTE_MS;
      expect(series.between(START_MS, endMs)).toMatchObject({ sampleCount: minutes, sum: minutes });
      expect(series.between(endMs - DAY_MS, endMs)?.sum).toBe(24 * 60);
      const [byTheMinute, byFiveMinutes, byTheHour] = [15 * 24 * 60, (63 - 15) * 24 * 12, (90 - 63) * 24];
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
});

describe('statistics', () => {
  const setOf = (...values: number[]): StatisticSet => {
    const set = valuesSet(values.map(value => [value, 1] as const));
    if (!set) throw new Error('a set needs values');
    return set;
  };

  /** 10, 20, … 100 */
  const TENS = setOf(...Array.from({ length: 10 }, (_, index) => (index + 1) * 10));

  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Statistics-definitions.html
  test.each<[string, number]>([
    ['SampleCount', 10],
    ['Sum', 550],
    ['Average', 55],
    ['Minimum', 10],
    ['Maximum', 100],
    ['p0', 10],
    ['p50', 50],
    ['p90', 90],
    ['p99.9', 100],
    ['p100', 100],
    // "the average after removing the 10 % of data points with the highest values"
    ['tm90', 50],
    ['TM(10%:90%)', 55],
    // "removing all data points that are lower than or equal to 150, or higher than 1000", here 20 and 50
    ['TM(20:50)', 40],
    ['TM(20:)', 65],
    ['TM(:50)', 30],
    // The mean of the interquartile range. Of ten values, only whole values are left out.
    ['IQM', 55],
    // values beyond the boundary count as the boundary
    ['wm90', (450 + 90) / 10],
    ['WM(20:50)', (20 + 20 + 30 + 40 + 50 * 6) / 10],
    ['tc90', 9],
    ['TC(20:50)', 3],
    ['ts90', 450],
    ['TS(80%:)', 190],
    ['PR(:30)', 30],
    ['PR(30:)', 70],
    ['PR(30:60)', 30],
  ])('%s of 10, 20, … 100 is %d', (name, value) => {
    expect(statisticNamed(name)?.of(TENS)).toBeCloseTo(value, 10);
  });

  test.each(['p101', 'p', 'P90', 'tm101', 'TM(:)', 'TM(90%:10%)', 'PR(10%:20%)', 'Avg', 'TM(1:2%)', 'toString'])(
    'there is no statistic %s',
    name => {
      expect(statisticNamed(name)).toBeUndefined();
    },
  );

  test('where single values are unknown, only what needs none of them has a value', () => {
    const whole: StatisticSet = { sampleCount: 3, sum: 6, minimum: 1, maximum: 3, values: 'unknown' };
    expect(statisticNamed('p50')?.of(whole)).toBeUndefined();
    expect(statisticNamed('Average')?.of(whole)).toBe(2);
  });

  test('sets put together have the percentiles of all their values', () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(values, values, fc.integer({ min: 0, max: 100 }), (a, b, percentile) => {
        const sorted = [...a, ...b].sort((x, y) => x - y);
        const rank = Math.max(1, Math.ceil((percentile / 100) * sorted.length));
        expect(statisticNamed(`p${percentile}`)?.of(mergeSets(setOf(...a), setOf(...b)))).toBe(sorted[rank - 1]);
      }),
    );
  });
});

describe('put metric data', () => {
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

  // Recorded on AWS, except the limits of time and number. **Assumption CW-15:** AWS does not publish their texts.
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
    [
      'InvalidParameterValue',
      'The value NaN for parameter MetricData.member.1.Value is invalid.',
      { Value: Number.NaN },
    ],
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

  test.each([
    [0, undefined],
    [1, 'You have requested up to 1,441 datapoints, which exceeds the limit of 1,440.'],
  ])('statistics of a day and %i seconds by the minute, from the middle of a minute on', (more, error) => {
    const world = new CloudWatchFixture();
    put(world, { Value: 1 });
    const StartTime = new Date(START_MS - 23 * 60 * MINUTE_MS - 34_567);
    const ask = () =>
      world.ask('GetMetricStatistics', {
        Namespace: 'Rental',
        MetricName: 'Orders',
        StartTime,
        EndTime: new Date(StartTime.getTime() + 24 * 60 * MINUTE_MS + more * 1_000),
        Period: 60,
        Statistics: ['Sum'],
      }).Datapoints;
    // Recorded on AWS: exactly 24 hours are accepted.
    if (error === undefined) expect(ask()).toMatchObject([{ Sum: 1 }]);
    else expect(ask).toThrow(error);
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
});
