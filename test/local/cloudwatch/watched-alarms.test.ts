import type { MetricDataQuery, PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import { evaluate, fewestSamplesFor } from '../../../local/cloudwatch/alarms/evaluation';
import { CloudWatchFixture, DEAD_LETTERS, MINUTE_MS, worldWith } from './fixture';

const Dimensions = [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }];

const sum = (Id: string, MetricName: string, Period = 60): MetricDataQuery => ({
  Id,
  MetricStat: { Metric: { Namespace: 'AWS/SQS', MetricName, Dimensions }, Period, Stat: 'Sum' },
  ReturnData: false,
});

const FAILED: MetricDataQuery = { Id: 'e1', Expression: 'failed / all', Label: 'Failed' };
const METRICS: MetricDataQuery[] = [FAILED, sum('failed', 'Failed'), sum('all', 'All')];

/** A world with one alarm on a list of metrics and expressions. */
function worldOn(Metrics: MetricDataQuery[], alarm: Partial<PutMetricAlarmInput> = {}): CloudWatchFixture {
  const world = new CloudWatchFixture();
  world.ask('PutMetricAlarm', {
    AlarmName: 'Dead-Letters',
    AlarmActions: DEAD_LETTERS.AlarmActions,
    Metrics,
    EvaluationPeriods: 1,
    Threshold: 0.5,
    ComparisonOperator: 'GreaterThanThreshold',
    ...alarm,
  });
  return world;
}

async function reportMinutes(
  world: CloudWatchFixture,
  ...minutes: (readonly [failed: number, all: number])[]
): Promise<void> {
  for (const [failed, all] of minutes) {
    world.report(failed, 'Failed');
    world.report(all, 'All');
    await world.advanceMinutes(1);
  }
}

describe('an alarm on an expression', () => {
  test('fires by what the expression comes to, and describes itself by the list it was put with', async () => {
    const world = worldOn(METRICS);
    await reportMinutes(world, [1, 4]);
    expect(world.state()).toBe('OK');
    await reportMinutes(world, [3, 4]);
    expect(world.state()).toBe('ALARM');
    const [alarm] = world.ask('DescribeAlarms', {}).MetricAlarms ?? [];
    expect(alarm).toMatchObject({
      Metrics: [{ ...FAILED, ReturnData: true }, ...METRICS.slice(1)],
      StateReason: 'Threshold Crossed: 1 datapoint [0.75 (02/01/26 00:01:00)] was greater than the threshold (0.5).',
    });
    expect(alarm?.MetricName).toBeUndefined();
    expect(alarm?.Period).toBeUndefined();
    // recorded: reasons of expressions tell no statistic and no sample counts
    expect(JSON.parse(alarm?.StateReasonData ?? '')).toEqual({
      version: '1.0',
      queryDate: '2026-01-02T00:02:00.000+0000',
      startDate: '2026-01-02T00:01:00.000+0000',
      period: 60,
      recentDatapoints: [0.75],
      threshold: 0.5,
      evaluatedDatapoints: [
        { timestamp: '2026-01-02T00:01:00.000+0000', value: 0.75 },
        { timestamp: '2026-01-02T00:00:00.000+0000', value: 0.25 },
      ],
    });
  });

  test('publishes its list as recorded of AWS', async () => {
    const world = worldOn(METRICS, { DatapointsToAlarm: 1 });
    await reportMinutes(world, [1, 1]);
    expect(JSON.parse(world.notified[0]?.message ?? '{}').Trigger).toEqual({
      Period: 60,
      EvaluationPeriods: 1,
      DatapointsToAlarm: 1,
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 0.5,
      TreatMissingData: 'missing',
      EvaluateLowSampleCountPercentile: '',
      Metrics: [
        { Expression: 'failed / all', Id: 'e1', Label: 'Failed', ReturnData: true },
        ...['Failed', 'All'].map(MetricName => ({
          Id: MetricName.toLowerCase(),
          MetricStat: {
            Metric: {
              Dimensions: [{ value: 'Rental-Billing-DLQ', name: 'QueueName' }],
              MetricName,
              Namespace: 'AWS/SQS',
            },
            Period: 60,
            Stat: 'Sum',
          },
          ReturnData: false,
        })),
      ],
    });
  });

  test('has no data where the expression has none: a division by zero, or silence', async () => {
    const world = worldOn(METRICS);
    await reportMinutes(world, [1, 0]);
    expect(world.state()).toBe('INSUFFICIENT_DATA');
    await reportMinutes(world, [1, 1]);
    expect(world.state()).toBe('ALARM');
    await world.advanceMinutes(10);
    expect(world.state()).toBe('INSUFFICIENT_DATA');
  });

  test('may be on a single metric of the list', async () => {
    const world = worldOn([{ ...sum('failed', 'Failed'), ReturnData: true }]);
    await reportMinutes(world, [1, 1]);
    expect(world.state()).toBe('ALARM');
  });

  test('that fills what is missing looks no more once nothing is left to look at', async () => {
    const world = worldOn([{ Id: 'e1', Expression: 'FILL(failed, 0)' }, sum('failed', 'Failed')]);
    await reportMinutes(world, [1, 1]);
    expect(world.state()).toBe('ALARM');
    expect(await world.advanceMinutes(30 * 24 * 60)).toBeLessThan(10);
    expect(world.state()).toBe('OK');
  });

  test('that reads the clock goes on looking', async () => {
    const world = worldOn([{ Id: 'e1', Expression: 'IF(HOUR(failed) >= 1, 1, 0)' }, sum('failed', 'Failed')]);
    await world.advanceMinutes(30);
    expect(world.state()).toBe('OK');
    await world.advanceMinutes(60);
    expect(world.state()).toBe('ALARM');
  });

  test.each<[string, MetricDataQuery[]]>([
    ['Exactly one element of the metrics list should return data.', METRICS.map(it => ({ ...it, ReturnData: false }))],
    ['Exactly one element of the metrics list should return data.', METRICS.map(it => ({ ...it, ReturnData: true }))],
    ['SEARCH is not supported on Metric Alarms.', [{ Id: 'e1', Expression: "SEARCH('x', 'Sum', 60)" }]],
    [
      'Too many metrics in alarm, maximum is 10',
      [{ Id: 'e1', Expression: 'SUM(METRICS())' }, ...Array.from({ length: 11 }, (_, i) => sum(`m${i}`, 'Failed'))],
    ],
    [
      'Too many expressions in alarm, maximum is 10',
      [
        sum('m1', 'Failed'),
        ...Array.from({ length: 11 }, (_, i) => ({ Id: `e${i}`, Expression: 'm1', ReturnData: i === 0 })),
      ],
    ],
    [
      'The parameters MetricDataQuery Expression and MetricStat are mutually exclusive and you have specified both.',
      [{ ...sum('m1', 'Failed'), Expression: 'm1', ReturnData: true }],
    ],
    [
      'Invalid metrics list',
      [
        {
          Id: 'm1',
          MetricStat: {
            ...sum('m1', 'x').MetricStat,
            Stat: 'Avg',
            Metric: {
              Namespace: 'AWS/SQS',
              MetricName: 'x',
            },
            Period: 60,
          },
        },
      ],
    ],
    ['Period must be 10, 20, 30 or a multiple of 60', [{ ...sum('m1', 'Failed', 45), ReturnData: true }]],
    ['Period must not be null', [{ Id: 'e1', Expression: 'TIME_SERIES(1)' }]],
    ["Error in expression 'e1' [Unknown id 'm1']", [{ Id: 'e1', Expression: 'm1' }]],
    [
      "Error in expression 'e1' [It must return a single time series]",
      [{ Id: 'e1', Expression: 'METRICS()' }, sum('m1', 'Failed')],
    ],
    [
      "Error in expression 'e1' [It must return a single time series]",
      [{ Id: 'e1', Expression: 'SUM(m1)' }, sum('m1', 'Failed')],
    ],
  ])('is refused: %s', (message, metrics) => {
    expect(() => worldOn(metrics)).toThrow(expect.objectContaining({ message, httpStatus: 400 }));
  });

  test('takes nothing beside its list that says what to watch', () => {
    expect(() => worldOn(METRICS, { Statistic: 'Sum', Period: 60 })).toThrow(
      'Statistic should not be set if list of Metrics is set.; Period should not be set if list of Metrics is set.',
    );
  });
});

describe('an alarm on a percentile', () => {
  const P99: Partial<PutMetricAlarmInput> = { Statistic: undefined, ExtendedStatistic: 'p90', Threshold: 10 };

  test('fires by it, and names it in what it publishes', async () => {
    const world = worldWith(P99);
    for (let value = 1; value <= 20; value += 1) world.report(value);
    await world.advanceMinutes(1);
    expect(world.state()).toBe('ALARM');
    const { NewStateReason, Trigger } = JSON.parse(world.notified[0]?.message ?? '{}');
    expect(NewStateReason).toContain('1 datapoint [18.0 (02/01/26 00:00:00)]');
    expect(Trigger).toMatchObject({ StatisticType: 'ExtendedStatistic', ExtendedStatistic: 'p90' });
  });

  test('that minds low sample counts keeps its state until there are enough values', async () => {
    const world = worldWith({ ...P99, EvaluateLowSampleCountPercentile: 'ignore' });
    for (let i = 0; i < 99; i += 1) world.report(20);
    await world.advanceMinutes(1);
    expect(world.state()).toBe('INSUFFICIENT_DATA');
    for (let i = 0; i < 100; i += 1) world.report(20);
    await world.advanceMinutes(1);
    expect(world.state()).toBe('ALARM');
  });

  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/percentiles-with-low-samples.html
  test.each([
    [99, 1_000],
    [90, 100],
    [50, 20],
    [10, 100],
  ])('p%d takes %d values to mean something', (percentile, samples) => {
    expect(fewestSamplesFor(percentile)).toBe(samples);
  });

  test('one data point of too few values is enough to leave everything as it is', () => {
    const rule = {
      evaluationPeriods: 2,
      datapointsToAlarm: 1,
      threshold: 0,
      comparisonOperator: 'GreaterThanThreshold',
      fewestSamples: 100,
    } as const;
    const point = (sampleCount: number, age: number) => ({ startMs: -age * MINUTE_MS, value: 1, sampleCount });
    expect(evaluate(rule, [point(100, 0), point(99, 1)]).state).toBe('retained');
    expect(evaluate(rule, [point(100, 0), point(100, 1)]).state).toBe('ALARM');
  });
});

test('an alarm of a day looks back on a day', async () => {
  const world = worldWith({ Period: 86_400, Threshold: 9 });
  for (let hour = 0; hour < 20; hour += 1) {
    world.report(1);
    await world.advanceMinutes(60);
  }
  expect(world.state()).toBe('ALARM');
  // Its evaluation range is three days long, and the newest data in it counts.
  await world.advanceMinutes(3 * 24 * 60);
  expect(world.state()).toBe('OK');
});

test('an alarm of seven days is looked at by the hour', async () => {
  const world = worldWith({ Period: 86_400, EvaluationPeriods: 7, DatapointsToAlarm: 2 });
  world.report(1);
  await world.advanceMinutes(24 * 60);
  expect(world.state()).toBe('OK');
  world.report(1);
  await world.advanceMinutes(59);
  expect(world.state()).toBe('OK');
  await world.advanceMinutes(1);
  expect(world.state()).toBe('ALARM');
});
