import {
  COMPARISONS,
  type ComparisonOperator,
  type MissingDataTreatment,
} from '../../../local/cloudwatch/alarms/alarm-configuration';
import {
  type AlarmEvaluation,
  type Datapoint,
  evaluate,
  evaluationRange,
  type RealDatapoint,
  type ReasonInput,
  stateReason,
} from '../../../local/cloudwatch/alarms/evaluation';
import { doubleText } from '../../../local/kernel/double';
import { MINUTE_MS } from '../../../policy/time-units';
import { CloudWatchFixture, DEAD_LETTERS, OPS_TOPIC, REFUSING_TOPIC, START_MS, worldWith } from './fixture';

describe('alarm', () => {
  describe('an alarm on dead-letter messages', () => {
    test('fires when the minute ends in which a message arrived, and not before', async () => {
      const world = worldWith();
      await world.timeline.advanceTo(START_MS + 5.5 * MINUTE_MS);
      world.report(1);
      await world.timeline.advanceTo(START_MS + 6 * MINUTE_MS - 1);
      expect(world.state()).toBe('OK');
      await world.timeline.advanceTo(START_MS + 6 * MINUTE_MS);
      expect(world.state()).toBe('ALARM');
      expect(world.notified.map(({ atMs }) => atMs)).toEqual([START_MS + 6 * MINUTE_MS]);
      expect(world.trace.events.at(-2)).toMatchObject({
        type: 'cloudwatch.alarm-state-changed',
        alarmName: 'Dead-Letters',
        from: 'OK',
        to: 'ALARM',
        reason: 'Threshold Crossed: 1 datapoint [1.0 (02/01/26 00:05:00)] was greater than the threshold (0.0).',
      });
    });

    test('stays in ALARM when the topic refuses it, and says so in the trace and its history', async () => {
      const world = worldWith({ AlarmActions: [REFUSING_TOPIC, OPS_TOPIC] });
      world.report(1);
      await world.advanceMinutes(1);
      expect(world.state()).toBe('ALARM');
      expect(world.trace.events.map(({ type }) => type)).toEqual([
        'cloudwatch.alarm-state-changed',
        'cloudwatch.action-failed',
        'cloudwatch.action-executed',
      ]);
      expect(world.trace.events[1]).toMatchObject({
        actionArn: REFUSING_TOPIC,
        reason: 'AuthorizationError: CloudWatch Alarms is not authorized to perform: SNS:Publish',
      });
      const { AlarmHistoryItems: items } = world.cloudWatch.call('DescribeAlarmHistory', world.cloudWatch.owner, {
        AlarmName: 'Dead-Letters',
        HistoryItemType: 'Action',
        ScanBy: 'TimestampAscending',
      });
      expect(items?.map(({ HistorySummary }) => HistorySummary)).toEqual([
        `Failed to execute action ${REFUSING_TOPIC}. Received error: "CloudWatch Alarms is not authorized to perform: SNS:Publish"`,
        `Successfully executed action ${OPS_TOPIC}`,
      ]);
    });

    test('does nothing but change when its actions are disabled', async () => {
      const world = worldWith({ ActionsEnabled: false });
      world.report(1);
      await world.advanceMinutes(1);
      expect(world.state()).toBe('ALARM');
      expect(world.notified).toEqual([]);
    });
  });

  test('a gauge that is sampled every minute in the background makes its alarm fire while time advances, in the minute after the sample', async () => {
    const world = worldWith({ MetricName: 'ApproximateNumberOfMessagesVisible', Statistic: 'Maximum' });
    let visible = 0;
    const sample = (): void => {
      world.report(visible, 'ApproximateNumberOfMessagesVisible');
      world.timeline.inBackground(world.timeline.nowMs + MINUTE_MS, sample);
    };
    world.timeline.inBackground(START_MS, sample);
    await world.advanceMinutes(10.5);
    expect(world.state()).toBe('OK');
    visible = 3;
    await world.advanceMinutes(1.4);
    expect(world.state()).toBe('OK');
    await world.advanceMinutes(0.1);
    expect(world.state()).toBe('ALARM');
    expect(world.notified.map(({ atMs }) => atMs)).toEqual([START_MS + 12 * MINUTE_MS]);
    await world.advanceMinutes(60);
    expect(world.state()).toBe('ALARM');
    visible = 0;
    await world.advanceMinutes(2);
    expect(world.state()).toBe('OK');
  });

  describe('periods and windows', () => {
    test('an alarm of five minutes looks every minute, over a window that slides', async () => {
      const world = worldWith({ Period: 300, Threshold: 9 });
      for (let minute = 0; minute < 5; minute += 1) {
        await world.advanceMinutes(1);
        world.report(2);
      }
      // The window that has just ended has minutes 0 to 4, with a sum of eight. The next one has minutes 1 to 5, with a sum of ten.
      expect(world.state()).toBe('OK');
      await world.advanceMinutes(1);
      expect(world.state()).toBe('ALARM');
      expect(world.timeline.nowMs).toBe(START_MS + 6 * MINUTE_MS);
    });

    test('a unit that no data has is a metric without data', async () => {
      const world = worldWith({ Unit: 'Seconds', TreatMissingData: 'missing' });
      world.report(1);
      await world.advanceMinutes(2);
      expect(world.state()).toBe('INSUFFICIENT_DATA');
    });

    test('an alarm with a period of ten seconds follows data of high resolution', async () => {
      const world = new CloudWatchFixture();
      const own = { Namespace: 'Rental', MetricName: 'Orders', Dimensions: [], Period: 10 };
      world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, { ...DEAD_LETTERS, ...own });
      await world.timeline.advanceTo(START_MS + 12_000);
      world.cloudWatch.call('PutMetricData', world.cloudWatch.owner, {
        Namespace: 'Rental',
        MetricData: [{ MetricName: 'Orders', Value: 1, StorageResolution: 1 }],
      });
      await world.timeline.advanceTo(START_MS + 20_000);
      expect(world.state()).toBe('ALARM');
    });

    test.each([
      [10, 1, 3],
      [10, 2, 49],
      [30, 1, 17],
      [30, 1, 58],
    ])(
      'an alarm with a period of %i seconds, of which it evaluates %i, sees data of standard resolution that comes at second %i (recorded on AWS)',
      async (Period, DatapointsToAlarm, second) => {
        const world = new CloudWatchFixture();
        const own = {
          Namespace: 'Rental',
          MetricName: 'Orders',
          Dimensions: [],
          Statistic: 'Average' as const,
          Period,
        };
        world.ask('PutMetricAlarm', {
          ...DEAD_LETTERS,
          ...own,
          Threshold: 2,
          DatapointsToAlarm: 1,
          EvaluationPeriods: DatapointsToAlarm,
        });
        await world.timeline.advanceTo(START_MS + second * 1_000);
        const values = [21, 22].map(Value => ({ MetricName: 'Orders', Value }));
        world.ask('PutMetricData', { Namespace: 'Rental', MetricData: values });
        await world.timeline.advanceTo(START_MS + (second + 10) * 1_000);
        expect(world.cloudWatch.alarmState('Dead-Letters')).toMatchObject({
          value: 'ALARM',
          reason: expect.stringContaining('datapoints [21.5 ('),
          reasonData: expect.stringContaining('"recentDatapoints":[21.5],"threshold":2.0'),
        });
        await world.advanceMinutes(3);
        expect(world.state()).toBe('OK');
      },
    );
  });

  test('fifty quiet alarms look once each in a month without data', async () => {
    const world = new CloudWatchFixture();
    for (let i = 0; i < 50; i += 1) {
      world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, { ...DEAD_LETTERS, AlarmName: `Alarm-${i}` });
    }
    expect(await world.advanceMinutes(30 * 24 * 60)).toBe(50);
  });

  test('a deleted alarm looks no more, and one that is put again keeps its state', async () => {
    const world = worldWith();
    world.report(1);
    await world.advanceMinutes(1);
    world.cloudWatch.call('PutMetricAlarm', world.cloudWatch.owner, { ...DEAD_LETTERS, Threshold: 5 });
    expect(world.state()).toBe('ALARM');
    await world.advanceMinutes(1);
    expect(world.state()).toBe('OK');
    world.cloudWatch.call('DeleteAlarms', world.cloudWatch.owner, { AlarmNames: ['Dead-Letters'] });
    world.report(100);
    await world.advanceMinutes(5);
    expect(world.state()).toBeUndefined();
    expect(world.notified).toHaveLength(1);
  });

  test('a state set by hand acts, and lasts until the alarm next looks', async () => {
    const world = worldWith();
    await world.advanceMinutes(1);
    world.cloudWatch.call('SetAlarmState', world.cloudWatch.owner, {
      AlarmName: 'Dead-Letters',
      StateValue: 'ALARM',
      StateReason: 'a drill',
    });
    expect(world.state()).toBe('ALARM');
    expect(JSON.parse(world.notified[0]?.message ?? '{}').NewStateReason).toBe('a drill');
    await world.advanceMinutes(1);
    expect(world.state()).toBe('OK');
  });

  test('runUntilIdle does not wait for alarms: they change when time passes', async () => {
    const world = worldWith();
    world.report(1);
    expect(await world.timeline.runUntilIdle()).toBe(0);
    expect(world.state()).toBe('INSUFFICIENT_DATA');
  });
});

describe('evaluation', () => {
  /** `0 - X` as the published tables write it: the newest on the right; breaching is above the threshold 0. */
  function range(row: string): readonly Datapoint[] {
    const values = { '0': 0, X: 1, '-': undefined };
    return row
      .split(' ')
      .reverse()
      .map((sign, age) => ({ startMs: -age * 60_000, value: values[sign as keyof typeof values] }));
  }

  const evaluation = (row: string, datapointsToAlarm: number, treatMissingData: MissingDataTreatment) =>
    evaluate(
      {
        evaluationPeriods: 3,
        datapointsToAlarm,
        threshold: 0,
        comparisonOperator: 'GreaterThanThreshold',
        treatMissingData,
      },
      range(row),
    );

  describe('the comparison with the threshold', () => {
    test.each<[ComparisonOperator, boolean, boolean, boolean]>([
      ['GreaterThanThreshold', false, false, true],
      ['GreaterThanOrEqualToThreshold', false, true, true],
      ['LessThanThreshold', true, false, false],
      ['LessThanOrEqualToThreshold', true, true, false],
    ])('%s: below %s, at %s, above %s', (operator, below, at, above) => {
      const { breaches } = COMPARISONS[operator];
      expect([breaches(-1, 0), breaches(0, 0), breaches(1, 0)]).toEqual([below, at, above]);
    });

    test('a value of 0 does not breach "greater than 0"', () => {
      expect(evaluation('0 0 0 0 0', 1, 'missing').state).toBe('OK');
    });
  });

  test('the evaluation range is five periods for three, as in the published tables, and at least two more', () => {
    expect([1, 2, 3, 6, 9, 30].map(evaluationRange)).toEqual([3, 4, 5, 8, 12, 40]);
  });
});

describe('reason', () => {
  const ALARM: ReasonInput = {
    evaluationPeriods: 1,
    threshold: 21,
    comparisonOperator: 'GreaterThanThreshold',
    treatMissingData: 'missing',
  };

  /** Values in minutes that end at 2022-06-28T01:55Z, newest first. */
  const points = (...values: number[]): RealDatapoint[] =>
    values.map((value, age) => ({ value, startMs: Date.parse('2022-06-28T01:55:00Z') - age * 60_000 }));

  const evaluation = (state: AlarmEvaluation['state'], real: RealDatapoint[], filled = 0): AlarmEvaluation => ({
    state,
    breaching: state === 'ALARM' ? real : [],
    notBreaching: state === 'ALARM' ? [] : real,
    filled,
  });

  // Recorded sentences (aws-semantics section 10). CloudWatch writes the day before the month.
  test.each<[string, Partial<ReasonInput>, AlarmEvaluation]>([
    [
      'Threshold Crossed: 1 datapoint [21.5 (28/06/22 01:55:00)] was greater than the threshold (21.0).',
      {},
      evaluation('ALARM', points(21.5)),
    ],
    [
      'Threshold Crossed: 1 out of the last 1 datapoints [0.0 (28/06/22 01:55:00)] was less than or equal to the threshold (0.0) (minimum 1 datapoint for OK -> ALARM transition).',
      { datapointsToAlarm: 1, comparisonOperator: 'LessThanOrEqualToThreshold', threshold: 0 },
      evaluation('ALARM', points(0)),
    ],
    [
      'Threshold Crossed: 2 out of the last 2 datapoints [2.0 (28/06/22 01:55:00), 1.0 (28/06/22 01:54:00)] were greater than or equal to the threshold (1.0) (minimum 2 datapoints for OK -> ALARM transition).',
      { datapointsToAlarm: 2, evaluationPeriods: 2, comparisonOperator: 'GreaterThanOrEqualToThreshold', threshold: 1 },
      evaluation('ALARM', points(2, 1)),
    ],
    [
      'Threshold Crossed: 1 out of the last 2 datapoints [0.0 (28/06/22 01:55:00)] was not greater than or equal to the threshold (1.0) (minimum 1 datapoint for ALARM -> OK transition).',
      { datapointsToAlarm: 2, evaluationPeriods: 2, comparisonOperator: 'GreaterThanOrEqualToThreshold', threshold: 1 },
      evaluation('OK', points(0)),
    ],
    [
      'Threshold Crossed: 5 out of the last 5 datapoints were less than the threshold (65.0). The most recent datapoints which crossed the threshold: [0.0 (28/06/22 01:55:00), 0.0 (28/06/22 01:54:00), 0.0 (28/06/22 01:53:00), 0.0 (28/06/22 01:52:00), 0.0 (28/06/22 01:51:00)] (minimum 5 datapoints for OK -> ALARM transition).',
      { datapointsToAlarm: 5, evaluationPeriods: 5, comparisonOperator: 'LessThanThreshold', threshold: 65 },
      evaluation('ALARM', points(0, 0, 0, 0, 0)),
    ],
    [
      'Threshold Crossed: no datapoints were received for 2 periods and 2 missing datapoints were treated as [Breaching].',
      { evaluationPeriods: 2, treatMissingData: 'breaching' },
      evaluation('ALARM', [], 2),
    ],
    [
      'Threshold Crossed: no datapoints were received for 1 period and 1 missing datapoint was treated as [NonBreaching].',
      { treatMissingData: 'notBreaching' },
      evaluation('OK', [], 1),
    ],
    [
      'Threshold Crossed: 1 datapoint [1.0 (28/06/22 01:55:00)] was not less than the threshold (1.0) and 2 missing datapoints were treated as [Breaching].',
      { evaluationPeriods: 3, treatMissingData: 'breaching', comparisonOperator: 'LessThanThreshold', threshold: 1 },
      evaluation('OK', points(1), 2),
    ],
    [
      'Threshold Crossed: 1 datapoint was received for 3 periods and 2 missing datapoints were treated as [Breaching].',
      { evaluationPeriods: 3, treatMissingData: 'breaching' },
      { state: 'ALARM', breaching: [], notBreaching: points(0), filled: 2 },
    ],
    ['Insufficient Data: 1 datapoint was unknown.', {}, evaluation('INSUFFICIENT_DATA', [], 1)],
    ['Insufficient Data: 5 datapoints were unknown.', { evaluationPeriods: 5 }, evaluation('INSUFFICIENT_DATA', [], 5)],
  ])('%s', (sentence, alarm, data) => {
    expect(stateReason({ ...ALARM, ...alarm }, data)).toBe(sentence);
  });

  test('numbers are written as Java writes a double', () => {
    expect([0, 1, -3, 21.5, 0.0666851903306472, 9_999_999, 1e7, 12_345_678, 0.0001].map(doubleText)).toEqual([
      '0.0',
      '1.0',
      '-3.0',
      '21.5',
      '0.0666851903306472',
      '9999999.0',
      '1.0E7',
      '1.2345678E7',
      '1.0E-4',
    ]);
  });
});
