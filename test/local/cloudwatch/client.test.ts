import {
  CloudWatchClient,
  type CloudWatchClientConfig,
  DeleteAlarmsCommand,
  DeleteDashboardsCommand,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  DescribeAlarmsForMetricCommand,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
  GetDashboardCommand,
  GetMetricDataCommand,
  GetMetricStatisticsCommand,
  ListDashboardsCommand,
  ListMetricsCommand,
  ListTagsForResourceCommand,
  PutAnomalyDetectorCommand,
  PutCompositeAlarmCommand,
  PutDashboardCommand,
  PutMetricAlarmCommand,
  PutMetricDataCommand,
  SetAlarmStateCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-cloudwatch';
import { SmithyRpcV2CborProtocol } from '@smithy/core/cbor';
import { clientConfig } from '../../../local/facade/client-config';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/world/world';
import { MINUTE_MS, START_MS } from './fixture';

const ORDERS = { Namespace: 'Rental', MetricName: 'Orders' };
const RANGE = { StartTime: new Date(START_MS), EndTime: new Date(START_MS + 10 * MINUTE_MS) };
const MATH = {
  AlarmName: 'Twice',
  Metrics: [
    { Id: 'e1', Expression: 'orders * 2', ReturnData: true },
    { Id: 'orders', MetricStat: { Metric: ORDERS, Period: 60, Stat: 'Sum' }, ReturnData: false },
  ],
  EvaluationPeriods: 1,
  Threshold: 5,
  ComparisonOperator: 'GreaterThanThreshold' as const,
  Tags: [{ Key: 'team', Value: 'rental' }],
};

const PROTOCOLS: readonly (readonly [string, Partial<CloudWatchClientConfig>])[] = [
  ['its own protocol', {}],
  ['CBOR', { protocol: new SmithyRpcV2CborProtocol({ defaultNamespace: 'com.amazonaws.cloudwatch' }) }],
];

describe.each(PROTOCOLS)('the CloudWatch client of the AWS SDK, in %s', (_, protocol) => {
  const connect = () => {
    const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('client'), startAtMs: START_MS });
    return { world, client: new CloudWatchClient({ ...clientConfig(world.network, EXAMPLE_PLACE), ...protocol }) };
  };

  test('puts data and reads it back, as statistics, by expressions and as a list of metrics', async () => {
    const { client } = connect();
    const MetricData = [{ MetricName: 'Orders', Values: [1, 5], Counts: [3, 1], Timestamp: new Date(START_MS) }];
    await client.send(new PutMetricDataCommand({ Namespace: 'Rental', MetricData }));
    const statistics = { ...ORDERS, ...RANGE, Period: 60, Statistics: ['Sum' as const], ExtendedStatistics: ['p90'] };
    expect((await client.send(new GetMetricStatisticsCommand(statistics))).Datapoints).toMatchObject([
      { Timestamp: new Date(START_MS), Sum: 8, Unit: 'None', ExtendedStatistics: { p90: 5 } },
    ]);
    const data = await client.send(new GetMetricDataCommand({ ...RANGE, MetricDataQueries: MATH.Metrics }));
    expect(data.MetricDataResults).toMatchObject([
      { Id: 'e1', Label: 'e1', Timestamps: [new Date(START_MS)], Values: [16], StatusCode: 'Complete' },
    ]);
    expect((await client.send(new ListMetricsCommand({}))).Metrics).toMatchObject([ORDERS]);
  });

  test('puts alarms of both kinds, and reads and drives them', async () => {
    const { world, client } = connect();
    await client.send(new PutMetricAlarmCommand(MATH));
    await client.send(new PutCompositeAlarmCommand({ AlarmName: 'Above', AlarmRule: 'ALARM(Twice)' }));
    await client.send(
      new PutMetricDataCommand({ Namespace: 'Rental', MetricData: [{ MetricName: 'Orders', Value: 3 }] }),
    );
    await world.timeline.advanceTo(START_MS + MINUTE_MS);
    const both = await client.send(new DescribeAlarmsCommand({ AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] }));
    expect(both.MetricAlarms).toMatchObject([{ AlarmName: 'Twice', StateValue: 'ALARM', Metrics: MATH.Metrics }]);
    expect(both.CompositeAlarms).toMatchObject([
      { AlarmName: 'Above', StateValue: 'ALARM', StateTransitionedTimestamp: new Date(START_MS + MINUTE_MS) },
    ]);
    const drill = { AlarmName: 'Twice', StateValue: 'OK' as const, StateReason: 'a drill' };
    await client.send(new SetAlarmStateCommand(drill));
    await client.send(new DisableAlarmActionsCommand({ AlarmNames: ['Twice'] }));
    await client.send(new EnableAlarmActionsCommand({ AlarmNames: ['Twice'] }));
    const history = await client.send(new DescribeAlarmHistoryCommand({ AlarmName: 'Twice' }));
    expect(history.AlarmHistoryItems?.map(({ HistorySummary }) => HistorySummary)).toEqual([
      'Alarm "Twice" updated',
      'Alarm "Twice" updated',
      'Alarm updated from ALARM to OK',
      'Alarm updated from INSUFFICIENT_DATA to ALARM',
      'Alarm "Twice" created',
    ]);
    expect(await client.send(new DescribeAlarmsForMetricCommand(ORDERS))).toMatchObject({ MetricAlarms: [] });
    await client.send(new DeleteAlarmsCommand({ AlarmNames: ['Twice', 'Above'] }));
    expect((await client.send(new DescribeAlarmsCommand({}))).MetricAlarms).toEqual([]);
  });

  test('keeps dashboards and tags', async () => {
    const { client } = connect();
    await client.send(new PutDashboardCommand({ DashboardName: 'Ops', DashboardBody: '{"widgets":[]}' }));
    expect(await client.send(new GetDashboardCommand({ DashboardName: 'Ops' }))).toMatchObject({
      DashboardBody: '{"widgets":[]}',
    });
    const { DashboardEntries = [] } = await client.send(new ListDashboardsCommand({}));
    const ResourceARN = DashboardEntries[0]?.DashboardArn;
    expect(DashboardEntries).toMatchObject([{ DashboardName: 'Ops', LastModified: new Date(START_MS), Size: 14 }]);
    await client.send(new TagResourceCommand({ ResourceARN, Tags: MATH.Tags }));
    expect((await client.send(new ListTagsForResourceCommand({ ResourceARN }))).Tags).toEqual(MATH.Tags);
    await client.send(new UntagResourceCommand({ ResourceARN, TagKeys: ['team'] }));
    expect((await client.send(new ListTagsForResourceCommand({ ResourceARN }))).Tags).toEqual([]);
    await client.send(new DeleteDashboardsCommand({ DashboardNames: ['Ops'] }));
  });

  test('is told what is wrong by the errors it knows', async () => {
    const { client } = connect();
    const noMetric = { ...MATH, Metrics: [] };
    await expect(client.send(new PutMetricAlarmCommand(noMetric))).rejects.toMatchObject({
      message: 'Exactly one element of the metrics list should return data.',
      $metadata: { httpStatusCode: 400 },
    });
    await expect(client.send(new GetDashboardCommand({ DashboardName: 'Nobody' }))).rejects.toMatchObject({
      message: 'Dashboard Nobody does not exist',
      $metadata: { httpStatusCode: 404 },
    });
    await expect(client.send(new PutDashboardCommand({ DashboardName: 'x', DashboardBody: '' }))).rejects.toMatchObject(
      {
        message: 'The field DashboardBody must be a valid JSON object',
      },
    );
    await expect(client.send(new PutAnomalyDetectorCommand({}))).rejects.toMatchObject({
      message: 'The embedded AWS does not implement monitoring:PutAnomalyDetector.',
      $metadata: { httpStatusCode: 501 },
    });
  });
});
