import { DEAD_LETTERS, World, worldWith } from './fixture';

describe('a request that AWS refuses', () => {
  test('names everything that is wrong with it at once', () => {
    const put = () =>
      worldWith({
        Period: 45,
        DatapointsToAlarm: 2,
        AlarmActions: ['arn:aws:lambda:us-east-1:123456789012:function:f'],
      });
    expect(put).toThrow(
      'Period must be 10, 20, 30 or a multiple of 60 seconds, got 45; ' +
        'DatapointsToAlarm must be a whole number from 1 to EvaluationPeriods, got 2; ' +
        'AlarmActions must name SNS topics, got arn:aws:lambda:us-east-1:123456789012:function:f',
    );
  });

  test.each([
    [300, 289],
    [3_600, 169],
  ])('looks back further than AWS allows: %i seconds times %i', (Period, EvaluationPeriods) => {
    expect(() => worldWith({ Period, EvaluationPeriods })).toThrow('Period times EvaluationPeriods must be at most');
  });

  test('is not let in without permission', () => {
    const world = new World();
    world.denied.add('cloudwatch:PutMetricAlarm');
    expect(() => world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, DEAD_LETTERS)).toThrow(
      expect.objectContaining({ code: 'AccessDenied', httpStatus: 403 }),
    );
  });

  test('meets the fault a scenario has set', () => {
    const world = new World();
    world.faults.set({ service: 'cloudwatch', action: 'DescribeAlarms' });
    expect(() => world.cloudWatch.call('DescribeAlarms', world.cloudWatch.owner, {})).toThrow(
      expect.objectContaining({ code: 'ServiceUnavailable', httpStatus: 503 }),
    );
  });

  test('asks for what is not implemented', () => {
    expect(() => worldWith({ Metrics: [{ Id: 'm1', Expression: 'm2 + m3' }] })).toThrow(
      "The embedded AWS does not implement an alarm's Metrics.",
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
