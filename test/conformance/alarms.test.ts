import type { PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
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

describe('section 10: the reason of a state', () => {
  const aws = new Target();

  embeddedRow('tells the datapoint, its minute with the day first, and the threshold', async () => {
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
  ])('tells of two missing datapoints that are %s', async (TreatMissingData, word) => {
    const alarm = await new Metric(aws).alarm({ EvaluationPeriods: 2, TreatMissingData });
    await aws.pass(60);
    expect((await alarm.described()).StateReason).toBe(
      'Threshold Crossed: no datapoints were received for 2 periods ' +
        `and 2 missing datapoints were treated as [${word}].`,
    );
  });
});

describe('section 10: what a topic is told', () => {
  const aws = new Target();

  /** An alarm that tells a topic, which tells a queue. */
  async function telling(options: Partial<PutMetricAlarmCommandInput> = {}) {
    const topic = await Topic.of(aws);
    const queue = await topic.queue({ RawMessageDelivery: 'true' });
    const metric = new Metric(aws);
    const alarm = await metric.alarm({ AlarmActions: [topic.arn], TreatMissingData: 'notBreaching', ...options });
    /** Since it was asked last. */
    const reported = async (): Promise<readonly Record<string, unknown>[]> => {
      const messages = await queue.receive();
      for (const message of messages) await queue.remove(message);
      return messages.map(({ Body = '' }) => JSON.parse(Body));
    };
    return { topic, metric, alarm, reported };
  }

  embeddedRow('has these keys, and is about the alarm', async () => {
    const { topic, metric, alarm, reported } = await telling({ DatapointsToAlarm: 1, AlarmDescription: 'late orders' });
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

  embeddedRow('it is told of changes only: of an alarm held in ALARM, once', async () => {
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
