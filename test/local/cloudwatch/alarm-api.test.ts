import type { MetricDataQuery, PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import { evaluate, fewestSamplesFor } from '../../../local/cloudwatch/alarms/evaluation';
import { MINUTE_MS } from '../../../policy/time-units';
import { CloudWatchFixture, DEAD_LETTERS, OPS_TOPIC, START_MS, worldWith } from './fixture';

describe('alarm api', () => {
  describe('a request that AWS refuses', () => {
    test('names everything that is wrong with it at once', () => {
      const put = () => worldWith({ Period: 45, DatapointsToAlarm: 2, TreatMissingData: 'never' });
      expect(put).toThrow(
        'Period must be 10, 20, 30 or a multiple of 60; ' +
          'DatapointsToAlarm must be less than or equal to EvaluationPeriods; ' +
          'The value never for parameter TreatMissingData is not supported.',
      );
    });

    // AWS's own texts, recorded from real deployments and calls.
    test.each<[string, Partial<PutMetricAlarmInput>]>([
      [
        'Metrics cannot be checked across more than a day (EvaluationPeriods * Period must be <= 86400)',
        { Period: 300, EvaluationPeriods: 289 },
      ],
      [
        'Metrics cannot be checked across more than a week (EvaluationPeriods * Period must be <= 604800) for alarms using period >= 3600',
        { Period: 3_600, EvaluationPeriods: 169 },
      ],
      ['PutMetricAlarm request should have valid Threshold parameter', { Threshold: undefined }],
      ['MetricName must not be null', { MetricName: undefined }],
      ['Period must not be null', { Period: undefined }],
      ['Namespace must not contain Non-ASCII characters.', { Namespace: 'Öre' }],
      ['Unsupported AWS vendor s3', { AlarmActions: ['arn:aws:s3:::bucket'] }],
      [
        'Invalid region eu-west-1 specified. Only us-east-1 is supported.',
        { AlarmActions: ['arn:aws:sns:eu-west-1:123456789012:Ops'] },
      ],
      [
        'Option evaluateLowSampleCountPercentile can not be applied with statistic Sum.',
        { EvaluateLowSampleCountPercentile: 'ignore' },
      ],
      [
        'The value p101 for parameter ExtendedStatistic is not supported.',
        { Statistic: undefined, ExtendedStatistic: 'p101' },
      ],
      [
        "1 validation error detected: Value null at 'evaluationPeriods' failed to satisfy constraint: Member must not be null",
        { EvaluationPeriods: undefined },
      ],
    ])('%s', (text, input) => {
      expect(() => worldWith(input)).toThrow(expect.objectContaining({ code: 'ValidationError', message: text }));
    });

    test('may look back on exactly a day, and on exactly a week by the hour', () => {
      expect(worldWith({ Period: 60, EvaluationPeriods: 1_440 }).state()).toBe('INSUFFICIENT_DATA');
      expect(worldWith({ Period: 3_600, EvaluationPeriods: 168 }).state()).toBe('INSUFFICIENT_DATA');
    });

    test('takes at most five actions a state', () => {
      const AlarmActions = [1, 2, 3, 4, 5, 6].map(n => `${OPS_TOPIC}${n}`);
      expect(() => worldWith({ AlarmActions })).toThrow(
        "at 'alarmActions' failed to satisfy constraint: Member must have length less than or equal to 5",
      );
    });

    test('is not let in without permission', () => {
      const world = new CloudWatchFixture();
      world.denied.add('cloudwatch:PutMetricAlarm');
      expect(() => world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, DEAD_LETTERS)).toThrow(
        expect.objectContaining({ code: 'AccessDenied', httpStatus: 403 }),
      );
    });

    test('meets the fault a scenario has set', () => {
      const world = new CloudWatchFixture();
      world.faults.set({ service: 'cloudwatch', action: 'DescribeAlarms' });
      expect(() => world.cloudWatch.call('DescribeAlarms', world.cloudWatch.owner, {})).toThrow(
        expect.objectContaining({ code: 'ServiceUnavailable', httpStatus: 503 }),
      );
    });

    test.each<[string, Partial<PutMetricAlarmInput>]>([
      ["an alarm's ThresholdMetricId", { ThresholdMetricId: 'ad1' }],
      ["an alarm's EvaluationInterval", { EvaluationInterval: 60 }],
      [
        'EC2 actions as actions of alarms (arn:aws:automate:us-east-1:ec2:reboot)',
        { AlarmActions: ['arn:aws:automate:us-east-1:ec2:reboot'] },
      ],
      ['alarms on anomaly detection (GreaterThanUpperThreshold)', { ComparisonOperator: 'GreaterThanUpperThreshold' }],
    ])('asks for what is not implemented: %s', (what, input) => {
      expect(() => worldWith(input)).toThrow(
        expect.objectContaining({
          httpStatus: 501,
          message: `The embedded AWS does not implement ${what}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
        }),
      );
    });
  });

  test('DescribeAlarms returns the state, filters and pages', async () => {
    const world = worldWith();
    for (const AlarmName of ['Age', 'Billing-Errors', 'Billing-Age']) {
      world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, { ...DEAD_LETTERS, AlarmName, Threshold: 99 });
    }
    world.report(1);
    await world.advanceMinutes(1);
    const describe = (input: object) => world.cloudWatch.call('DescribeAlarms', world.cloudWatch.owner, input);
    const names = (input: object) => describe(input).MetricAlarms?.map(({ AlarmName }) => AlarmName);
    expect(names({})).toEqual(['Age', 'Billing-Age', 'Billing-Errors', 'Dead-Letters']);
    expect(names({ StateValue: 'ALARM' })).toEqual(['Dead-Letters']);
    expect(names({ AlarmNamePrefix: 'Billing' })).toEqual(['Billing-Age', 'Billing-Errors']);
    expect(names({ AlarmTypes: ['CompositeAlarm'] })).toEqual([]);
    const first = describe({ MaxRecords: 3 });
    expect(first.MetricAlarms).toHaveLength(3);
    expect(names({ MaxRecords: 3, NextToken: first.NextToken })).toEqual(['Dead-Letters']);
    const [dead] = describe({ AlarmNames: ['Dead-Letters'] }).MetricAlarms ?? [];
    expect(JSON.parse(dead?.StateReasonData ?? '{}')).toMatchObject({
      version: '1.0',
      queryDate: '2026-01-02T00:01:00.000+0000',
      startDate: '2026-01-02T00:00:00.000+0000',
      statistic: 'Sum',
      period: 60,
      recentDatapoints: [1],
      threshold: 0,
    });
  });

  test('DescribeAlarmsForMetric finds alarms on exactly this metric, and none on expressions', () => {
    const world = worldWith();
    world.ask('PutMetricAlarm', { ...DEAD_LETTERS, AlarmName: 'Five', Period: 300 });
    world.ask('PutMetricAlarm', { ...DEAD_LETTERS, AlarmName: 'Other', Dimensions: [] });
    const find = (input: object) =>
      world
        .ask('DescribeAlarmsForMetric', {
          Namespace: 'AWS/SQS',
          MetricName: 'NumberOfMessagesSent',
          Dimensions: DEAD_LETTERS.Dimensions,
          ...input,
        })
        .MetricAlarms?.map(({ AlarmName }) => AlarmName);
    expect(find({})).toEqual(['Dead-Letters', 'Five']);
    expect(find({ Period: 300 })).toEqual(['Five']);
    expect(find({ Statistic: 'Average' })).toEqual([]);
    expect(find({ Dimensions: [] })).toEqual(['Other']);
  });

  describe('SetAlarmState', () => {
    const set = (input: object) =>
      worldWith().ask('SetAlarmState', {
        AlarmName: 'Dead-Letters',
        StateValue: 'OK',
        StateReason: 'a drill',
        ...input,
      });

    test.each<[string, string, object]>([
      [
        'ValidationError',
        "1 validation error detected: Value 'INVALID' at 'stateValue' failed to satisfy constraint: Member must satisfy enum value set: [INSUFFICIENT_DATA, ALARM, OK]",
        { StateValue: 'INVALID' },
      ],
      // Recorded on AWS: the error has no message.
      ['ResourceNotFound', '', { AlarmName: 'Nobody' }],
      [
        'InvalidFormat',
        "StateReasonData was not syntactically valid JSON: Unrecognized token 'no': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
        { StateReasonData: 'no JSON' },
      ],
    ])('answers %s: %s', (code, message, input) => {
      expect(() => set(input)).toThrow(expect.objectContaining({ code, message }));
    });
  });

  test('states tell when they were set, and when they last changed', async () => {
    const world = worldWith();
    const set = (StateValue: 'OK' | 'ALARM') =>
      world.ask('SetAlarmState', { AlarmName: 'Dead-Letters', StateValue, StateReason: 'a drill' });
    set('ALARM');
    await world.timeline.advanceTo(START_MS + 1_000);
    set('ALARM');
    expect(world.ask('DescribeAlarms', {}).MetricAlarms).toMatchObject([
      { StateUpdatedTimestamp: new Date(START_MS + 1_000), StateTransitionedTimestamp: new Date(START_MS) },
    ]);
  });
});

describe('watched alarms', () => {
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
      // Recorded: the reason of an alarm on an expression has no statistic and no sample counts.
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
      [
        'Exactly one element of the metrics list should return data.',
        METRICS.map(it => ({ ...it, ReturnData: false })),
      ],
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

    test('accepts no member in addition to its list that names what to watch', () => {
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
});
