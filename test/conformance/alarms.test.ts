import {
  DeleteAlarmsCommand,
  GetMetricStatisticsCommand,
  ListTagsForResourceCommand,
  PutDashboardCommand,
  type PutMetricAlarmCommandInput,
  SetAlarmStateCommand,
  type StateValue,
} from '@aws-sdk/client-cloudwatch';
import { Alarm, Metric } from './alarm';
import { Queue, redrivePolicy } from './queue';
import { embeddedRow, row, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';

const FORTNIGHT_SECONDS = 14 * 86_400;

describe('section 10: an alarm', () => {
  const aws = new Target();

  row('begins without data, unchecked', async () => {
    const alarm = await new Metric(aws).alarm();
    expect(await alarm.described()).toMatchObject({
      StateValue: 'INSUFFICIENT_DATA',
      StateReason: 'Unchecked: Initial alarm creation',
    });
  });

  embeddedRow.each([
    [0, 'OK'],
    [1, 'ALARM'],
  ])('above a threshold of 0 takes a value of %i for %s', async (value, state) => {
    const metric = new Metric(aws);
    const alarm = await metric.alarm();
    await metric.report(value);
    await aws.pass(60);
    expect(await alarm.state()).toBe(state);
  });

  embeddedRow('treats missing data as missing by default', async () => {
    const metric = new Metric(aws);
    const alarm = await metric.alarm();
    await metric.report(1);
    await aws.pass(60);
    expect(await alarm.state()).toBe('ALARM');
    await aws.pass(600);
    expect(await alarm.state()).toBe('INSUFFICIENT_DATA');
  });

  embeddedRow('asks for as many datapoints as it evaluates periods by default', async () => {
    const metric = new Metric(aws);
    const alarm = await metric.alarm({ EvaluationPeriods: 3 });
    await metric.reportAll('0 X X');
    await aws.pass(60);
    expect(await alarm.state()).toBe('OK');
    await metric.report(1);
    await aws.pass(60);
    expect(await alarm.state()).toBe('ALARM');
  });

  row.each([10, 30, 60, 300])('may have a period of %i seconds', async Period => {
    const alarm = await new Metric(aws).alarm({ Period });
    expect(await alarm.described()).toMatchObject({ Period });
  });

  row.each([15, 90])('may have none of %i seconds', async Period => {
    await expect(new Metric(aws).alarm({ Period })).rejects.toMatchObject({ Code: 'ValidationError' });
  });
});

describe('section 10: what CloudWatch answers', () => {
  const aws = new Target();

  // Recorded on AWS: `"Error": {"Code": "ResourceNotFound", "Type": "Sender"}` with status 404, and no message.
  row('setting the state of an alarm that does not exist is ResourceNotFound', async () => {
    const nobody = { AlarmName: aws.name('nobody'), StateValue: 'OK', StateReason: 'a drill' } as const;
    await expect(aws.cloudWatch.send(new SetAlarmStateCommand(nobody))).rejects.toMatchObject({
      name: expect.stringMatching('^ResourceNotFound'),
      $metadata: { httpStatusCode: 404 },
    });
  });

  // Recorded on AWS.
  row('the tags of a deleted alarm can be listed', async () => {
    const alarm = await new Metric(aws).alarm({ Tags: [{ Key: 'team', Value: 'rental' }] });
    const { AlarmArn: ResourceARN } = await alarm.described();
    await aws.cloudWatch.send(new DeleteAlarmsCommand({ AlarmNames: [alarm.name] }));
    expect(await aws.cloudWatch.send(new ListTagsForResourceCommand({ ResourceARN }))).toHaveProperty('Tags');
  });

  // https://github.com/aws/aws-cdk/issues/2976 quotes the error of a deployment on AWS.
  row('the name of a dashboard with a space is InvalidParameterValue', async () => {
    const input = { DashboardName: 'Doc Website Monitor', DashboardBody: '{"widgets":[]}' };
    await expect(aws.cloudWatch.send(new PutDashboardCommand(input))).rejects.toMatchObject({
      name: expect.stringMatching('^InvalidParameterValue'),
      message: expect.stringContaining(
        'The value Doc Website Monitor for field DashboardName contains invalid characters.',
      ),
    });
  });

  // Recorded on AWS: 1,440 data points are the limit, and the rounding of the start adds none.
  row('statistics of exactly 24 hours by the minute are accepted, from the middle of a minute on', async () => {
    const EndTime = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 34_567);
    const StartTime = new Date(EndTime.getTime() - 86_400_000);
    const asked = { Namespace: 'AWS/SQS', MetricName: 'NumberOfMessagesSent', Period: 60, StartTime, EndTime };
    const answer = aws.cloudWatch.send(new GetMetricStatisticsCommand({ ...asked, Statistics: ['Sum'] }));
    expect(await answer).toMatchObject({ Label: 'NumberOfMessagesSent' });
  });
});

describe('section 10: the reason of a state', () => {
  const aws = new Target();

  embeddedRow('names the datapoint, its minute with the day first, and the threshold', async () => {
    await aws.pass(FORTNIGHT_SECONDS);
    const metric = new Metric(aws);
    const alarm = await metric.alarm({ Threshold: 21 });
    await metric.report(21.5);
    await aws.pass(60);
    expect((await alarm.described()).StateReason).toBe(
      'Threshold Crossed: 1 datapoint [21.5 (15/01/26 00:00:00)] was greater than the threshold (21.0).',
    );
  });

  embeddedRow.each([
    ['breaching', 'Breaching'],
    ['notBreaching', 'NonBreaching'],
  ])('names two missing datapoints that are %s', async (TreatMissingData, word) => {
    const alarm = await new Metric(aws).alarm({ EvaluationPeriods: 2, TreatMissingData });
    await aws.pass(60);
    expect((await alarm.described()).StateReason).toBe(
      'Threshold Crossed: no datapoints were received for 2 periods ' +
        `and 2 missing datapoints were treated as [${word}].`,
    );
  });
});

describe('section 10: what a topic receives', () => {
  const aws = new Target();

  /** An alarm that notifies a topic, which sends to a queue. */
  async function telling(options: Partial<PutMetricAlarmCommandInput> = {}) {
    const topic = await Topic.of(aws);
    const queue = await topic.queue({ RawMessageDelivery: 'true' });
    const metric = new Metric(aws);
    const alarm = await metric.alarm({ AlarmActions: [topic.arn], TreatMissingData: 'notBreaching', ...options });
    /** Returns the notifications since the last call. */
    const reported = async (): Promise<readonly Record<string, unknown>[]> => {
      const messages = await queue.receive();
      for (const message of messages) await queue.remove(message);
      return messages.map(({ Body = '' }) => JSON.parse(Body));
    };
    return { topic, metric, alarm, reported };
  }

  embeddedRow('has these keys, and is about the alarm', async () => {
    const { topic, metric, alarm, reported } = await telling({
      DatapointsToAlarm: 1,
      AlarmDescription: 'late orders',
    });
    await metric.report(1);
    await aws.pass(60);
    const { AlarmArn, StateReason } = await alarm.described();
    expect(await reported()).toEqual([
      {
        AWSAccountId: aws.embedded.place.account,
        AlarmName: alarm.name,
        AlarmDescription: 'late orders',
        AlarmArn,
        AlarmConfigurationUpdatedTimestamp: expect.stringMatching(/^2026-01-01T00:00:00/),
        NewStateValue: 'ALARM',
        NewStateReason: StateReason,
        OldStateValue: 'INSUFFICIENT_DATA',
        StateChangeTime: expect.stringMatching(/^2026-01-01T00:01:00/),
        Region: 'US East (N. Virginia)',
        AlarmActions: [topic.arn],
        OKActions: [],
        InsufficientDataActions: [],
        ActionExecutedAfterMuteWindow: false,
        Trigger: {
          MetricName: metric.name,
          Namespace: 'dlo-conformance',
          StatisticType: 'Statistic',
          Statistic: 'SUM',
          Unit: null,
          Dimensions: [],
          Period: 60,
          EvaluationPeriods: 1,
          DatapointsToAlarm: 1,
          ComparisonOperator: 'GreaterThanThreshold',
          Threshold: 0,
          TreatMissingData: 'notBreaching',
          EvaluateLowSampleCountPercentile: '',
        },
      },
    ]);
  });

  embeddedRow('leaves DatapointsToAlarm out when the alarm names none, and names its dimensions', async () => {
    const topic = await Topic.of(aws);
    const messages = await topic.queue({ RawMessageDelivery: 'true' });
    await Alarm.of(aws, {
      Namespace: 'AWS/SQS',
      MetricName: 'NumberOfMessagesSent',
      Dimensions: [{ Name: 'QueueName', Value: messages.name }],
      Statistic: 'Sum',
      TreatMissingData: 'breaching',
      AlarmActions: [topic.arn],
    });
    await aws.pass(60);
    const [body = '{}'] = await messages.bodies();
    const { Trigger } = JSON.parse(body);
    expect(Trigger).not.toHaveProperty('DatapointsToAlarm');
    expect(Trigger).toMatchObject({ Dimensions: [{ name: 'QueueName', value: messages.name }] });
  });

  embeddedRow('receives changes only: one notification of an alarm that stays in ALARM', async () => {
    const { metric, alarm, reported } = await telling();
    for (let minute = 0; minute < 10; minute += 1) {
      await metric.report(1);
      await aws.pass(60);
    }
    expect(await alarm.state()).toBe('ALARM');
    expect(await reported()).toMatchObject([{ NewStateValue: 'ALARM' }]);
    await aws.pass(600);
    await metric.report(1);
    await aws.pass(60);
    expect(await reported()).toMatchObject([{ OldStateValue: 'OK', NewStateValue: 'ALARM' }]);
  });
});

describe('section 10: the suggested alarm', () => {
  const aws = new Target();

  const on = (queue: Queue, MetricName: string, Statistic: 'Sum' | 'Maximum') =>
    Alarm.of(aws, {
      Namespace: 'AWS/SQS',
      MetricName,
      Statistic,
      Dimensions: [{ Name: 'QueueName', Value: queue.name }],
      TreatMissingData: 'notBreaching',
    });

  embeddedRow(
    "of a subscription's dead-letter queue, on messages sent, is OK again when nothing more comes",
    async () => {
      const topic = await Topic.of(aws);
      const messages = await openQueue(aws);
      const mute = await Queue.of(aws);
      await topic.subscribe('sqs', mute.arn, redriveTo(messages));
      const alarm = await on(messages, 'NumberOfMessagesSent', 'Sum');
      await aws.pass(60);
      expect(await alarm.state()).toBe('OK');
      await topic.publish('order');
      await aws.pass(60);
      expect(await alarm.state()).toBe('ALARM');
      await aws.pass(180);
      expect([await alarm.state(), await messages.depths()]).toEqual(['OK', [1, 0, 0]]);
    },
  );

  embeddedRow("of a queue's dead-letter queue, on messages visible, stays in ALARM until it is drained", async () => {
    const messages = await Queue.of(aws);
    const orders = await Queue.of(aws, { RedrivePolicy: redrivePolicy(messages.arn) });
    const alarm = await on(messages, 'ApproximateNumberOfMessagesVisible', 'Maximum');
    await orders.send('poison');
    await orders.receiveTooOften(1);
    await aws.pass(180);
    expect(await alarm.state()).toBe('ALARM');
    await aws.pass(86_400);
    expect(await alarm.state()).toBe('ALARM');
    for (const message of await messages.receive()) await messages.remove(message);
    await aws.pass(180);
    expect(await alarm.state()).toBe('OK');
  });

  embeddedRow("of a queue's dead-letter queue, put on messages sent by mistake, says nothing", async () => {
    const messages = await Queue.of(aws);
    const orders = await Queue.of(aws, { RedrivePolicy: redrivePolicy(messages.arn) });
    const alarm = await on(messages, 'NumberOfMessagesSent', 'Sum');
    await orders.send('poison');
    await orders.receiveTooOften(1);
    await aws.pass(180);
    expect([await alarm.state(), await messages.depths()]).toEqual(['OK', [1, 0, 0]]);
  });
});

type Cell = StateValue | 'retain';
/** The newest period on the right; `0` within the threshold, `X` beyond it, `-` missing. */
type Row = readonly [signs: string, fill: number, missing: Cell, ignore: Cell, breaching: Cell, notBreaching: Cell];

const THREE_OF_THREE: readonly Row[] = [
  ['0 - X - X', 0, 'OK', 'OK', 'OK', 'OK'],
  ['0 - - - -', 2, 'OK', 'OK', 'OK', 'OK'],
  ['- - - - -', 3, 'INSUFFICIENT_DATA', 'retain', 'ALARM', 'OK'],
  ['0 X X - X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['- - X - -', 2, 'ALARM', 'retain', 'ALARM', 'OK'],
];

const TWO_OF_THREE: readonly Row[] = [
  ['0 - X - X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 0 X 0 X', 0, 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
  ['0 - X - -', 1, 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - - 0', 2, 'OK', 'OK', 'ALARM', 'OK'],
  ['- - - X -', 2, 'ALARM', 'retain', 'ALARM', 'OK'],
];

const TREATMENTS = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
const STATES: readonly StateValue[] = ['OK', 'ALARM', 'INSUFFICIENT_DATA'];

/** Creates an alarm with `DatapointsToAlarm` out of three, in an initial state. */
async function alarmIn(state: StateValue, metric: Metric, DatapointsToAlarm: number, TreatMissingData?: string) {
  const alarm = await metric.alarm({ EvaluationPeriods: 3, DatapointsToAlarm, TreatMissingData });
  if (state !== 'INSUFFICIENT_DATA') await alarm.set(state);
  return alarm;
}

const statesOf = (alarms: readonly Alarm[]) => Promise.all(alarms.map(alarm => alarm.state()));

describe.each([
  [3, THREE_OF_THREE],
  [2, TWO_OF_THREE],
] as const)('section 10: alarms of %i out of 3', (datapointsToAlarm, table) => {
  const aws = new Target();

  describe.each(table)('that see %s, with %i to fill in', (signs, fill, ...cells) => {
    embeddedRow.each(TREATMENTS.map((treatment, i) => [treatment, cells[i]] as const))(
      'and treat missing data as %s: %s',
      async (treatment, cell) => {
        const metric = new Metric(aws);
        const alarms: Alarm[] = [];
        for (const state of STATES) alarms.push(await alarmIn(state, metric, datapointsToAlarm, treatment));
        await metric.reportAll(signs);
        await aws.pass(60);
        expect(await statesOf(alarms)).toEqual(cell === 'retain' ? STATES : STATES.map(() => cell));
      },
    );

    embeddedRow('and say how many they filled in', async () => {
      const metric = new Metric(aws);
      const alarm = await metric.alarm({
        EvaluationPeriods: 3,
        DatapointsToAlarm: datapointsToAlarm,
        TreatMissingData: 'breaching',
      });
      await metric.reportAll(signs);
      await aws.pass(60);
      const { StateReason = '' } = await alarm.described();
      const [, filled = '0'] =
        / and (\d) missing datapoints? (?:was|were) treated as \[Breaching\]/.exec(StateReason) ?? [];
      expect(`${filled}: ${StateReason}`).toMatch(new RegExp(`^${fill}: Threshold Crossed: `));
    });
  });
});

describe('section 10: the rule against premature alarms', () => {
  const aws = new Target();

  embeddedRow.each(['- - - - X', '- - - X -'])('three out of three do not alarm at %s', async signs => {
    const metric = new Metric(aws);
    const alarms: Alarm[] = [];
    for (const state of ['OK', 'INSUFFICIENT_DATA'] as const) {
      alarms.push(await alarmIn(state, metric, 3, 'missing'));
    }
    await metric.reportAll(signs);
    await aws.pass(60);
    expect(await statesOf(alarms)).not.toContain('ALARM');
  });

  embeddedRow('they do a minute later, when that one is old enough', async () => {
    const metric = new Metric(aws);
    const alarm = await alarmIn('OK', metric, 3, 'missing');
    await metric.reportAll('- - - X -');
    await aws.pass(60);
    expect(await alarm.state()).toBe('OK');
    await aws.pass(60);
    expect(await alarm.state()).toBe('ALARM');
  });
});

describe('section 10: an alarm of one out of three looks at', () => {
  const aws = new Target();

  embeddedRow.each([
    ['the newest three when none is missing', 'X X 0 0 0', 'OK'],
    ['the newest three that are there when some are missing', 'X 0 - 0 0', 'OK'],
    ['all that are there, and as many filled in, when there are fewer', 'X - - - 0', 'ALARM'],
    ['five periods, and no sixth', 'X - - - - 0', 'OK'],
  ])('%s: %s', async (_, signs, state) => {
    const metric = new Metric(aws);
    const alarm = await metric.alarm({
      EvaluationPeriods: 3,
      DatapointsToAlarm: 1,
      TreatMissingData: 'notBreaching',
    });
    await metric.reportAll(signs);
    await aws.pass(60);
    expect(await alarm.state()).toBe(state);
  });

  embeddedRow('twelve periods when it asks for nine, and no thirteenth (assumption CW-1)', async () => {
    const metric = new Metric(aws);
    await metric.report(1, 11);
    const alarm = await metric.alarm({
      EvaluationPeriods: 9,
      DatapointsToAlarm: 1,
      TreatMissingData: 'notBreaching',
    });
    await aws.pass(60);
    expect(await alarm.state()).toBe('ALARM');
    await aws.pass(60);
    expect(await alarm.state()).toBe('OK');
  });
});
