import type { PutMetricAlarmInput } from '@aws-sdk/client-cloudwatch';
import { CloudWatchFixture, DEAD_LETTERS, OPS_TOPIC, START_MS, worldWith } from './fixture';

describe('a request that AWS refuses', () => {
  test('names everything that is wrong with it at once', () => {
    const put = () => worldWith({ Period: 45, DatapointsToAlarm: 2, TreatMissingData: 'never' });
    expect(put).toThrow(
      'Period must be 10, 20, 30 or a multiple of 60; ' +
        'DatapointsToAlarm must be less than or equal to EvaluationPeriods; ' +
        'The value never for parameter TreatMissingData is not supported.',
    );
  });

  // The texts are those AWS is on record with, of real deployments and calls.
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
      expect.objectContaining({ httpStatus: 501, message: `The embedded AWS does not implement ${what}.` }),
    );
  });
});

test('DescribeAlarms tells the state, filters and pages', async () => {
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

describe('DescribeAlarmsForMetric', () => {
  test('finds alarms on exactly this metric, and none on expressions', () => {
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
});

describe('SetAlarmState', () => {
  const set = (input: object) =>
    worldWith().ask('SetAlarmState', { AlarmName: 'Dead-Letters', StateValue: 'OK', StateReason: 'a drill', ...input });

  test.each<[string, string, object]>([
    [
      'ValidationError',
      "1 validation error detected: Value 'INVALID' at 'stateValue' failed to satisfy constraint: Member must satisfy enum value set: [INSUFFICIENT_DATA, ALARM, OK]",
      { StateValue: 'INVALID' },
    ],
    ['ResourceNotFound', 'Alarm does not exist', { AlarmName: 'Nobody' }],
    [
      'InvalidFormat',
      "StateReasonData was not syntactically valid JSON: Unexpected character ('n' (code 110)): was expecting a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')",
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
