import { AwsError } from '../../../local/kernel/aws-error';
import { MINUTE_MS } from '../../../policy/time-units';
import { type CloudWatchFixture, DEAD_LETTERS, OPS_TOPIC, START_MS, worldWith } from './fixture';

const FUNCTION = 'arn:aws:lambda:us-east-1:123456789012:function:page-somebody:live';
const ALARM_ARN = 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dead-Letters';

async function fire(world: CloudWatchFixture): Promise<CloudWatchFixture> {
  world.report(1);
  await world.advanceMinutes(1);
  return world;
}

const actionHistory = (world: CloudWatchFixture) =>
  world
    .ask('DescribeAlarmHistory', { HistoryItemType: 'Action', ScanBy: 'TimestampAscending' })
    .AlarmHistoryItems?.map(({ HistorySummary }) => HistorySummary);

describe('a function as an action', () => {
  test('is invoked by the alarm, with the recorded payload', async () => {
    const { invoked } = await fire(worldWith({ AlarmActions: [FUNCTION] }));
    expect(invoked).toMatchObject([
      {
        actionArn: FUNCTION,
        caller: {
          principal: { kind: 'service', service: 'lambda.alarms.cloudwatch.amazonaws.com' },
          context: { 'aws:SourceArn': ALARM_ARN, 'aws:SourceAccount': '123456789012' },
        },
      },
    ]);
    const payload = JSON.parse(invoked[0]?.payload ?? '{}');
    expect(Object.keys(payload)).toEqual(['source', 'alarmArn', 'accountId', 'time', 'region', 'alarmData']);
    expect(payload).toEqual({
      source: 'aws.cloudwatch',
      alarmArn: ALARM_ARN,
      accountId: '123456789012',
      time: '2026-01-02T00:01:00.000+0000',
      region: 'us-east-1',
      alarmData: {
        alarmName: 'Dead-Letters',
        state: {
          value: 'ALARM',
          reason: 'Threshold Crossed: 1 datapoint [1.0 (02/01/26 00:00:00)] was greater than the threshold (0.0).',
          reasonData: expect.stringContaining('"evaluatedDatapoints"'),
          timestamp: '2026-01-02T00:01:00.000+0000',
        },
        previousState: {
          value: 'INSUFFICIENT_DATA',
          reason: 'Unchecked: Initial alarm creation',
          timestamp: '2026-01-02T00:00:00.000+0000',
        },
        configuration: {
          description: 'A message could not be delivered',
          metrics: [
            {
              id: expect.stringMatching(/^[0-9a-f-]{36}$/),
              metricStat: {
                metric: {
                  namespace: 'AWS/SQS',
                  name: 'NumberOfMessagesSent',
                  dimensions: { QueueName: 'Rental-Billing-DLQ' },
                },
                period: 60,
                stat: 'Sum',
              },
              returnData: true,
            },
          ],
        },
      },
    });
  });

  test.each([
    ['it is not there', new AwsError('ResourceNotFoundException', 'Function not found', 404)],
    ['it may not be invoked', new AwsError('AccessDeniedException', 'not authorized', 403)],
  ])('is not tried again when %s', async (_, refusal) => {
    const world = worldWith({ AlarmActions: [FUNCTION] });
    world.refusals.push(refusal);
    await fire(world);
    await world.advanceMinutes(10);
    expect(world.invoked).toEqual([]);
    expect(actionHistory(world)).toEqual([
      `Failed to execute action ${FUNCTION}. Received error: "${refusal.message}"`,
    ]);
  });

  test('is tried again until Lambda takes the invocation', async () => {
    const world = worldWith({ AlarmActions: [FUNCTION] });
    const outage = new AwsError('ServiceException', 'out of order', 500);
    world.refusals.push(outage, new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429), outage);
    await fire(world);
    await world.advanceMinutes(10);
    expect(world.invoked.map(({ atMs }) => atMs)).toEqual([START_MS + 4 * MINUTE_MS]);
    expect(actionHistory(world)).toEqual([
      `Failed to execute action ${FUNCTION}. Received error: "out of order"`,
      `Failed to execute action ${FUNCTION}. Received error: "Rate Exceeded."`,
      `Failed to execute action ${FUNCTION}. Received error: "out of order"`,
      `Successfully executed action ${FUNCTION}`,
    ]);
  });
});

describe('a topic as an action', () => {
  const outage = new AwsError('ServiceUnavailable', 'out of order', 503);

  test('is retried until SNS accepts it', async () => {
    const world = worldWith();
    world.refusals.push(outage, new AwsError('Throttling', 'Rate exceeded', 400));
    await fire(world);
    await world.advanceMinutes(10);
    expect(world.notified.map(({ atMs }) => atMs)).toEqual([START_MS + 3 * MINUTE_MS]);
    expect(actionHistory(world)).toEqual([
      `Failed to execute action ${OPS_TOPIC}. Received error: "out of order"`,
      `Failed to execute action ${OPS_TOPIC}. Received error: "Rate exceeded"`,
      `Successfully executed action ${OPS_TOPIC}`,
    ]);
  });

  test('is not retried when the call is not implemented', async () => {
    const world = worldWith();
    world.refusals.push(new AwsError('NotImplemented', 'no such thing here', 501));
    await fire(world);
    await world.advanceMinutes(10);
    expect(world.notified).toEqual([]);
  });

  test.each([OPS_TOPIC, FUNCTION])('is recorded when a late response has arrived: %s', async actionArn => {
    const world = worldWith({ AlarmActions: [actionArn] });
    world.latencyMs = 20_000;
    world.refusals.push(outage);
    await fire(world);
    await world.advanceMinutes(10);
    const acted = world.trace.events.filter(({ type }) => type.startsWith('cloudwatch.action-'));
    expect(acted.map(({ type, atMs }) => [type, (atMs - START_MS) / 1000])).toEqual([
      ['cloudwatch.action-failed', 80],
      ['cloudwatch.action-executed', 160],
    ]);
  });
});

test('a FIFO topic gets a group and a deduplication id', async () => {
  const world = await fire(worldWith({ AlarmActions: [`${OPS_TOPIC}.fifo`] }));
  expect(world.notified).toMatchObject([{ actionArn: `${OPS_TOPIC}.fifo`, groupId: 'CloudWatch' }]);
});

describe('EventBridge', () => {
  const reported = (world: CloudWatchFixture) =>
    world.events.map(({ event }) => [event.detailType, event.detail['operation']]);

  test('learns of alarms that are made, change and go', async () => {
    const world = await fire(worldWith({ AlarmActions: [] }));
    world.ask('PutMetricAlarm', { ...DEAD_LETTERS, Threshold: 5 });
    world.ask('DeleteAlarms', { AlarmNames: ['Dead-Letters'] });
    expect(reported(world)).toEqual([
      ['CloudWatch Alarm Configuration Change', 'create'],
      ['CloudWatch Alarm State Change', undefined],
      ['CloudWatch Alarm Configuration Change', 'update'],
      ['CloudWatch Alarm Configuration Change', 'delete'],
    ]);
    const [, change] = world.events;
    expect(change).toMatchObject({
      atMs: START_MS + MINUTE_MS,
      event: {
        source: 'aws.cloudwatch',
        resources: [ALARM_ARN],
        detail: {
          alarmName: 'Dead-Letters',
          state: { value: 'ALARM', timestamp: '2026-01-02T00:01:00.000+0000' },
          previousState: { value: 'INSUFFICIENT_DATA' },
          configuration: { metrics: [{ returnData: true }] },
        },
      },
    });
  });

  test('learns of changes even when the actions are disabled', async () => {
    const world = await fire(worldWith({ ActionsEnabled: false }));
    expect(world.events.at(-1)?.event.detailType).toBe('CloudWatch Alarm State Change');
    expect(world.notified).toEqual([]);
  });
});

describe('the history', () => {
  const items = (world: CloudWatchFixture, input = {}) =>
    world.ask('DescribeAlarmHistory', { ScanBy: 'TimestampAscending', ...input }).AlarmHistoryItems ?? [];

  test('gives each change its JSON as AWS does, and stays when the alarm is deleted', async () => {
    const world = await fire(worldWith());
    world.ask('DeleteAlarms', { AlarmNames: ['Dead-Letters'] });
    expect(items(world).map(({ HistoryItemType, HistorySummary }) => [HistoryItemType, HistorySummary])).toEqual([
      ['ConfigurationUpdate', 'Alarm "Dead-Letters" created'],
      ['StateUpdate', 'Alarm updated from INSUFFICIENT_DATA to ALARM'],
      ['Action', `Successfully executed action ${OPS_TOPIC}`],
      ['ConfigurationUpdate', 'Alarm "Dead-Letters" deleted'],
    ]);
    const [created, changed, acted] = items(world).map(({ HistoryData }) => JSON.parse(HistoryData ?? ''));
    // the members of a recorded item, in their order
    expect(created).toMatchObject({ version: '1.0', type: 'Create' });
    expect(Object.keys(created.createdAlarm)).toEqual([
      'alarmName',
      'alarmDescription',
      'alarmArn',
      'alarmConfigurationUpdatedTimestamp',
      'namespace',
      'metricName',
      'statistic',
      'period',
      'dimensions',
      'threshold',
      'comparisonOperator',
      'evaluationPeriods',
      'treatMissingData',
      'stateValue',
      'stateUpdatedTimestamp',
      'actionsEnabled',
      'alarmActions',
      'insufficientDataActions',
      'okactions',
    ]);
    expect(changed).toMatchObject({
      version: '1.0',
      oldState: { stateValue: 'INSUFFICIENT_DATA', stateReason: 'Unchecked: Initial alarm creation' },
      newState: { stateValue: 'ALARM', stateReasonData: { version: '1.0', statistic: 'Sum', recentDatapoints: [1] } },
    });
    expect(acted).toEqual({
      version: '1.0',
      actionState: 'Succeeded',
      notificationResource: OPS_TOPIC,
      stateUpdateTimestamp: START_MS + MINUTE_MS,
    });
  });

  test('is kept for thirty days, and read by type, by time and page by page', async () => {
    const world = await fire(worldWith());
    expect(items(world, { HistoryItemType: 'StateUpdate' })).toHaveLength(1);
    expect(items(world, { StartDate: new Date(START_MS + 1) })).toHaveLength(2);
    expect(items(world, { AlarmTypes: ['CompositeAlarm'] })).toEqual([]);
    const { AlarmHistoryItems: first, NextToken } = world.ask('DescribeAlarmHistory', { MaxRecords: 2 });
    expect(first?.map(({ HistoryItemType }) => HistoryItemType)).toEqual(['Action', 'StateUpdate']);
    expect(world.ask('DescribeAlarmHistory', { MaxRecords: 2, NextToken }).AlarmHistoryItems).toHaveLength(1);
    await world.advanceMinutes(31 * 24 * 60);
    expect(items(world)).toEqual([]);
  });
});

test('actions are disabled and enabled by name, and names of no alarm are passed over', async () => {
  const world = worldWith();
  world.ask('DisableAlarmActions', { AlarmNames: ['Dead-Letters', 'Nobody'] });
  await fire(world);
  expect(world.notified).toEqual([]);
  expect(world.state()).toBe('ALARM');
  world.ask('EnableAlarmActions', { AlarmNames: ['Dead-Letters'] });
  expect(world.ask('DescribeAlarms', {}).MetricAlarms).toMatchObject([{ ActionsEnabled: true, StateValue: 'ALARM' }]);
  world.ask('SetAlarmState', { AlarmName: 'Dead-Letters', StateValue: 'OK', StateReason: 'a drill' });
  await fire(world);
  expect(world.notified).toHaveLength(1);
});
