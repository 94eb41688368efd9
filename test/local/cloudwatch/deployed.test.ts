import {
  type AlarmType,
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
import { Duration, type Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  Dashboard,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaAction, SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { cloudWatchResourceTypes } from '../../../local/cloudwatch/resources';
import { clientConfig } from '../../../local/facade/client';
import { administrator, roleCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { MINUTE_MS } from '../../../policy/time-units';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { createResource } from '../create-resource';
import { CloudWatchFixture, DEAD_LETTERS, OPS_TOPIC, START_MS } from './fixture';

describe('deployed', () => {
  /** Counts an order as a metric, the way libraries for structured logs do: by writing a line. */
  const ORDERING = `
  exports.handler = async event => {
    console.log(JSON.stringify({
      _aws: {
        Timestamp: Date.now(),
        CloudWatchMetrics: [{ Namespace: 'Rental', Dimensions: [['service']], Metrics: [{ Name: 'Refused' }, { Name: 'Taken' }] }],
      },
      service: 'orders',
      Refused: event.refused,
      Taken: event.taken,
    }));
  };`;

  const PAGING =
    'exports.handler = async event => { console.log(event.alarmData.alarmName, event.alarmData.state.value); };';

  const counted = (metricName: string) =>
    new Metric({
      namespace: 'Rental',
      metricName,
      dimensionsMap: { service: 'orders' },
      statistic: 'Sum',
      period: Duration.minutes(1),
    });

  /** An alarm on the rate of refused orders; a function, a topic and a bus learn of it. */
  function rental(stack: Stack): void {
    inlineFunction(stack, 'Ordering', ORDERING);
    const expression =
      'IF(FILL(refused, 0) + FILL(taken, 0) > 0, FILL(refused, 0) / (FILL(refused, 0) + FILL(taken, 0)), 0)';
    const refusals = new Alarm(stack, 'Refusals', {
      metric: new MathExpression({
        expression,
        usingMetrics: { refused: counted('Refused'), taken: counted('Taken') },
        period: Duration.minutes(1),
      }),
      threshold: 0.5,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    refusals.addAlarmAction(new LambdaAction(inlineFunction(stack, 'Paging', PAGING)));
    const ops = new Topic(stack, 'Ops');
    const inbox = new Queue(stack, 'Inbox');
    ops.addSubscription(new SqsSubscription(inbox, { rawMessageDelivery: true }));
    const above = new CompositeAlarm(stack, 'Above', {
      alarmRule: AlarmRule.anyOf(refusals, AlarmRule.fromBoolean(false)),
    });
    above.addAlarmAction(new SnsAction(ops));
    new Rule(stack, 'Changes', {
      eventPattern: {
        source: ['aws.cloudwatch'],
        detailType: ['CloudWatch Alarm State Change'],
        detail: { state: { value: ['ALARM'] } },
      },
      targets: [new SqsQueue(new Queue(stack, 'Events'))],
    });
    new Dashboard(stack, 'Board', { widgets: [] });
  }

  const order = (deployed: Deployed, refused: number, taken: number) => {
    const { lambda, cloudWatch } = deployed.aws.services;
    return lambda.call('Invoke', cloudWatch.owner, {
      FunctionName: deployed.ref('Ordering'),
      InvocationType: 'Event',
      Payload: JSON.stringify({ refused, taken }),
    });
  };

  test('a function counts by writing lines; an expression alarms; a function, a topic and a bus learn of it', async () => {
    const deployed = await Deployed.stack(rental);
    await deployed.advance({ minutes: 1 });
    await order(deployed, 1, 3);
    await deployed.advance({ minutes: 1 });
    expect(await deployed.sum('Rental', 'Taken', { service: 'orders' })).toBe(3);
    await order(deployed, 3, 1);
    await deployed.advance({ minutes: 2 });

    expect(deployed.alarmed('Refusals')).toHaveLength(1);
    expect(deployed.alarmed('Above')).toEqual(deployed.alarmed('Refusals'));
    const group = deployed.aws.services.logs.groupNames.find(name => name.includes('Paging')) ?? '';
    const lines = deployed.aws.services.logs.events(group).map(({ message }) => message);
    expect(lines).toContainEqual(expect.stringContaining(`${deployed.ref('Refusals')} ALARM`));
    const [notification] = (await deployed.take('Inbox')).map(body => JSON.parse(body));
    expect(notification).toMatchObject({ AlarmName: deployed.ref('Above'), NewStateValue: 'ALARM' });
    const events = (await deployed.take('Events')).map(body => JSON.parse(body).detail.alarmName);
    expect(events.sort()).toEqual([deployed.ref('Above'), deployed.ref('Refusals')].sort());
    expect(deployed.happened('cloudwatch.action-failed')).toEqual([]);
  });

  test('a function whose policy denies CloudWatch is not invoked, and the alarm history says so', async () => {
    const deployed = await Deployed.stack(stack => {
      const paging = inlineFunction(stack, 'Paging', PAGING);
      const alarm = new Alarm(stack, 'Depth', { metric: counted('Depth'), threshold: 0, evaluationPeriods: 1 });
      alarm.addAlarmAction({ bind: () => ({ alarmActionArn: paging.functionArn }) });
    });
    const { cloudWatch } = deployed.aws.services;
    const StateReason = 'a drill';
    cloudWatch.call('SetAlarmState', cloudWatch.owner, {
      AlarmName: deployed.ref('Depth'),
      StateValue: 'ALARM',
      StateReason,
    });
    expect(deployed.happened('cloudwatch.action-failed')).toMatchObject([
      { actionArn: deployed.arn('Paging'), reason: expect.stringContaining('AccessDeniedException') },
    ]);
  });
});

describe('end to end', () => {
  const OWNER = administrator(EXAMPLE_PLACE.account);

  const publishing = (Service: string) => ({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service }, Action: 'sns:Publish', Resource: OPS_TOPIC }],
  });

  const keyPolicy = (Service: string) => ({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::123456789012:root' }, Action: 'kms:*', Resource: '*' },
      {
        Effect: 'Allow',
        Principal: { Service },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Resource: '*',
      },
    ],
  });

  /** A dead-letter message arrives and the alarm fires. Returns the trace events of notifying the ops topic. */
  async function fire({ topicPolicy = publishing('cloudwatch.amazonaws.com'), keyFor = '' } = {}) {
    const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('alarm'), startAtMs: START_MS }).home;
    const ref = (type: string, properties: Readonly<Record<string, unknown>>): string => {
      const { created, problems } = createResource(world.resourceTypes(), `AWS::${type}`, properties);
      expect(problems).toEqual([]);
      return created.ref;
    };
    const key = keyFor === '' ? undefined : ref('KMS::Key', { KeyPolicy: keyPolicy(keyFor) });
    ref('SNS::Topic', { TopicName: 'Ops', ...(key === undefined ? {} : { KmsMasterKeyId: key }) });
    ref('SNS::TopicPolicy', { Topics: [OPS_TOPIC], PolicyDocument: topicPolicy });
    const QueueUrl = ref('SQS::Queue', { QueueName: 'Rental-Billing-DLQ' });
    ref('CloudWatch::Alarm', { ...DEAD_LETTERS });
    world.sqs.call('SendMessage', OWNER, { QueueUrl, MessageBody: 'dead' });
    await world.timeline.advanceTo(START_MS + MINUTE_MS);
    return world.trace.events.filter(({ type }) => /^cloudwatch\.action|^sns\.published$/.test(type));
  }

  test('the ops topic is notified of a dead-letter message when the minute ends', async () => {
    expect(await fire()).toEqual([
      expect.objectContaining({ type: 'sns.published', topicArn: OPS_TOPIC, atMs: START_MS + MINUTE_MS }),
      expect.objectContaining({ type: 'cloudwatch.action-executed', actionArn: OPS_TOPIC }),
    ]);
  });

  test('and its key lets CloudWatch encrypt, if it is encrypted', async () => {
    const happenings = await fire({ keyFor: 'cloudwatch.amazonaws.com' });
    expect(happenings.map(({ type }) => type)).toEqual(['sns.published', 'cloudwatch.action-executed']);
  });

  test.each([
    ['the topic policy names another principal', { topicPolicy: publishing('events.amazonaws.com') }],
    ["the key's policy names another principal", { keyFor: 'events.amazonaws.com' }],
  ])('no notification is sent when %s', async (_, refusal) => {
    expect(await fire(refusal)).toEqual([
      expect.objectContaining({ type: 'cloudwatch.action-failed', actionArn: OPS_TOPIC, alarmName: 'Dead-Letters' }),
    ]);
  });

  /** A world, and a role in it that may do what `statement` allows. */
  function withRole(statement: object) {
    const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('role'), startAtMs: START_MS }).home;
    const PolicyDocument = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
    const trust = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    };
    const { created, problems } = createResource(world.resourceTypes(), 'AWS::IAM::Role', {
      RoleName: 'worker',
      AssumeRolePolicyDocument: trust,
      Policies: [{ PolicyName: 'metrics', PolicyDocument }],
    });
    expect(problems).toEqual([]);
    return { world, worker: roleCaller(created.attributes['Arn'] ?? '') };
  }

  test('a role may be let into some namespaces only, and into no others', () => {
    const { world, worker } = withRole({
      Action: 'cloudwatch:PutMetricData',
      Resource: '*',
      Condition: { StringEquals: { 'cloudwatch:namespace': 'Rental' } },
    });
    const put = (Namespace: string) =>
      world.cloudWatch.call('PutMetricData', worker, { Namespace, MetricData: [{ MetricName: 'Orders', Value: 1 }] });
    put('Rental');
    expect(() => put('Elsewhere')).toThrow(expect.objectContaining({ code: 'AccessDenied', httpStatus: 403 }));
  });

  // "To use this operation and return information about composite alarms, you must be signed on with the
  // cloudwatch:DescribeAlarms permission that is scoped to *. You can't return information about composite alarms if your
  // cloudwatch:DescribeAlarms permission has a narrower scope."
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
  describe('Of composite alarms, by a permission on', () => {
    const AlarmTypes: AlarmType[] = ['MetricAlarm', 'CompositeAlarm'];

    test.each([
      ['* a role sees them', '*', ['Above', 'Dead-Letters'], ['Above'], ['Dead-Letters']],
      [
        'all alarms of the Region a role sees none of them (API_DescribeAlarms, API_DescribeAlarmHistory)',
        'arn:aws:cloudwatch:us-east-1:123456789012:alarm:*',
        ['Dead-Letters'],
        [],
        'ResourceNotFound',
      ],
    ])('%s', (_, Resource, all, parents, children) => {
      const { world, worker } = withRole({
        Action: ['cloudwatch:DescribeAlarms', 'cloudwatch:DescribeAlarmHistory'],
        Resource,
      });
      world.cloudWatch.call('PutMetricAlarm', OWNER, DEAD_LETTERS);
      world.cloudWatch.call('PutCompositeAlarm', OWNER, { AlarmName: 'Above', AlarmRule: 'ALARM("Dead-Letters")' });
      const described = (input: object) => {
        const { MetricAlarms = [], CompositeAlarms = [] } = world.cloudWatch.call('DescribeAlarms', worker, input);
        return [...CompositeAlarms, ...MetricAlarms].map(({ AlarmName }) => AlarmName);
      };
      const history = (input: object) => {
        const { AlarmHistoryItems = [] } = world.cloudWatch.call('DescribeAlarmHistory', worker, {
          AlarmTypes,
          ...input,
        });
        return [...new Set(AlarmHistoryItems.map(({ AlarmName }) => AlarmName))].sort();
      };
      expect([described({ AlarmTypes }), described({ AlarmTypes, AlarmNames: ['Above'] })]).toEqual([all, parents]);
      expect(described({ ParentsOfAlarmName: 'Dead-Letters' })).toEqual(parents);
      expect([history({}), history({ AlarmName: 'Above' })]).toEqual([all, parents]);
      const below = () => described({ ChildrenOfAlarmName: 'Above' });
      if (typeof children === 'string') expect(below).toThrow(expect.objectContaining({ code: children }));
      else expect(below()).toEqual(children);
    });
  });
});

describe('resources', () => {
  const PROPERTIES = {
    Namespace: 'AWS/SQS',
    MetricName: 'NumberOfMessagesSent',
    Dimensions: [{ Name: 'QueueName', Value: 'Rental-Billing-DLQ' }],
    Statistic: 'Sum',
    Period: 60,
    EvaluationPeriods: 1,
    Threshold: '0',
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  };

  function create(type: string, properties: Record<string, unknown>) {
    const world = new CloudWatchFixture();
    return { world, ...createResource(cloudWatchResourceTypes(world.cloudWatch, EXAMPLE_PLACE), type, properties) };
  }

  test('an alarm from a template is named by CloudFormation and watches its metric', async () => {
    const { world, created, problems } = create('AWS::CloudWatch::Alarm', PROPERTIES);
    expect(problems).toEqual([]);
    expect(created).toEqual({
      ref: 'Rental-Thing-1A2B3C',
      attributes: { Arn: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Rental-Thing-1A2B3C' },
    });
    world.report(1);
    await world.advanceMinutes(1);
    expect(world.state('Rental-Thing-1A2B3C')).toBe('ALARM');
  });

  test('an alarm that asks for more than is implemented fails by property', () => {
    const { world, problems } = create('AWS::CloudWatch::Alarm', {
      ...PROPERTIES,
      ComparisonOperator: 'LessThanLowerOrGreaterThanUpperThreshold',
      ThresholdMetricId: 'ad1',
      AlarmActions: ['arn:aws:swf:us-east-1:123456789012:action/actions/AWS_EC2.InstanceId.Reboot/1.0'],
    });
    expect(problems).toEqual([
      'AlarmActions is refused (NotImplemented: The embedded AWS does not implement EC2 actions as actions of alarms (arn:aws:swf:us-east-1:123456789012:action/actions/AWS_EC2.InstanceId.Reboot/1.0). This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.)',
      'ComparisonOperator is not implemented: use a comparison with a static threshold',
      'ThresholdMetricId is not implemented by the embedded AWS',
    ]);
    expect(world.state('Rental-Thing-1A2B3C')).toBeUndefined();
  });

  test('a dashboard is kept, and its body must be one', () => {
    const { world, created, problems } = create('AWS::CloudWatch::Dashboard', {
      DashboardName: 'Ops',
      DashboardBody: '{"widgets":[]}',
    });
    expect(problems).toEqual([]);
    expect(created.ref).toBe('Ops');
    expect(world.ask('GetDashboard', { DashboardName: 'Ops' }).DashboardBody).toBe('{"widgets":[]}');
    expect(create('AWS::CloudWatch::Dashboard', { DashboardBody: '{"widgets":' }).problems).toEqual([
      'DashboardBody is refused (InvalidParameterInput: The field DashboardBody must be a valid JSON object)',
    ]);
  });

  test('an alarm on an expression, as the CDK writes it, watches what the expression comes to', async () => {
    const metric = (MetricName: string) => ({
      Metric: { Namespace: 'AWS/SQS', MetricName, Dimensions: PROPERTIES.Dimensions },
      Period: 60,
      Stat: 'Sum',
    });
    const { world, problems } = create('AWS::CloudWatch::Alarm', {
      Metrics: [
        { Id: 'expr_1', Expression: 'sent - deleted', Label: 'Left behind' },
        { Id: 'sent', MetricStat: metric('NumberOfMessagesSent'), ReturnData: false },
        { Id: 'deleted', MetricStat: metric('NumberOfMessagesDeleted'), ReturnData: false },
      ],
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanThreshold',
      Tags: [{ Key: 'team', Value: 'rental' }],
    });
    expect(problems).toEqual([]);
    world.report(5);
    world.report(3, 'NumberOfMessagesDeleted');
    await world.advanceMinutes(1);
    expect(world.state('Rental-Thing-1A2B3C')).toBe('ALARM');
    const ResourceARN = 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Rental-Thing-1A2B3C';
    expect(world.ask('ListTagsForResource', { ResourceARN }).Tags).toEqual([{ Key: 'team', Value: 'rental' }]);
  });

  test('an alarm on a percentile, and a composite alarm above it, from a template', async () => {
    const world = new CloudWatchFixture();
    const types = cloudWatchResourceTypes(world.cloudWatch, EXAMPLE_PLACE);
    const { Statistic: _, ...properties } = PROPERTIES;
    const child = createResource(types, 'AWS::CloudWatch::Alarm', { ...properties, ExtendedStatistic: 'p90' }, 'Child');
    const parent = createResource(
      types,
      'AWS::CloudWatch::CompositeAlarm',
      { AlarmRule: `ALARM("${child.created.attributes['Arn']}")`, AlarmActions: [OPS_TOPIC] },
      'Parent',
    );
    expect([...child.problems, ...parent.problems]).toEqual([]);
    expect(world.state('Rental-Parent-1A2B3C')).toBe('OK');
    world.report(1);
    await world.advanceMinutes(1);
    expect(world.state('Rental-Parent-1A2B3C')).toBe('ALARM');
    expect(world.notified.map(({ subject }) => subject)).toEqual([
      'ALARM: "Rental-Parent-1A2B3C" in US East (N. Virginia)',
    ]);
  });
});

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
    const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('client'), startAtMs: START_MS }).home;
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

  test('receives the modeled errors', async () => {
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
      message:
        'The embedded AWS does not implement monitoring:PutAnomalyDetector. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      $metadata: { httpStatusCode: 501 },
    });
  });
});
