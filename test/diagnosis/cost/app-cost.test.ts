import { type AppCost, type CostLine, type CostOptions, isWhole, stagesCost } from '../../../diagnosis/cost/app-cost';
import { DEFAULT_ASSUMPTIONS } from '../../../diagnosis/cost/assumptions';
import { FAIR_METADATA, FEED_METADATA, IDLE_METADATA, USAGE_METADATA } from '../../../diagnosis/cost/declared-usage';
import { unpricedText } from '../../../diagnosis/cost/unpriced';
import { type Resources, stackWith } from '../template-reader/read';

const UNKNOWN = { Ref: 'AParameter' };
const Parameters = { AParameter: { Type: 'String' } };

function costOf(resources: Resources, options?: CostOptions): AppCost {
  return stagesCost([[stackWith({ Resources: resources, Parameters })]], options);
}

/** Each line as `month alarmMetric 4`. */
function linesOf({ constructs }: AppCost): string[] {
  const text = ({ billedFor, price, units, purpose }: CostLine) =>
    `${billedFor} ${price} ${Math.round(units * 1_000) / 1_000}${purpose === '' ? '' : ` ${purpose}`}`;
  return constructs.flatMap(({ lines }) => lines.map(text)).sort();
}

const metric = (id: string, period = 60) => ({
  Id: id,
  MetricStat: { Metric: { Namespace: 'AWS/SQS', MetricName: id }, Stat: 'Sum', Period: period },
});

const alarm = (Properties: Resources) => ({ Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties } });
const queue = (Properties: Resources = {}) => ({ Type: 'AWS::SQS::Queue', Properties });
const FUNCTION = { Type: 'AWS::Lambda::Function', Properties: { MemorySize: 1_024, Architectures: ['arm64'] } };
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

const fed = (from: unknown, of: Resources) => ({
  ...of,
  Metadata: { [FAIR_METADATA]: true, [FEED_METADATA]: { from, messages: 1.1, assumes: 'One in ten is sent twice.' } },
});
const FED = { Fed: fed('Queue', queue()) };

describe('a month without messages', () => {
  const mapping = (more: Resources = {}, source: Resources = queue()) => ({
    Queue: source,
    Function: FUNCTION,
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: arn('Queue'), FunctionName: { Ref: 'Function' }, ...more },
    },
  });
  const rule = (Properties: Resources) => ({
    Function: FUNCTION,
    Rule: { Type: 'AWS::Events::Rule', Properties: { Targets: [{ Id: 'T', Arn: arn('Function') }], ...Properties } },
  });
  const RUN = ['month armGigabyteSecond 2592 by schedule', 'month invocation 8640 by schedule'];

  test.each<[string, Resources, readonly string[]]>([
    ['an alarm on a metric', alarm({ MetricName: 'A', Namespace: 'B', Period: 60 }), ['month alarmMetric 1']],
    [
      'an alarm of metric math, for each of its metrics',
      alarm({ Metrics: [{ Id: 'e', Expression: 'a+b+c+d' }, ...['a', 'b', 'c', 'd'].map(id => metric(id))] }),
      ['month alarmMetric 4'],
    ],
    [
      'an alarm with periods below a minute',
      alarm({ MetricName: 'A', Namespace: 'B', Period: 10 }),
      ['month highResolutionAlarmMetric 1'],
    ],
    [
      'an alarm of metric math on a metric with a period below a minute',
      alarm({ Metrics: [metric('a'), metric('b', 30)] }),
      ['month highResolutionAlarmMetric 2'],
    ],
    [
      'an alarm with an anomaly detection band, with both bounds',
      alarm({ Metrics: [metric('m'), { Id: 'b', Expression: 'ANOMALY_DETECTION_BAND(m)' }], ThresholdMetricId: 'b' }),
      ['month alarmMetric 3'],
    ],
    ['a composite alarm', { It: { Type: 'AWS::CloudWatch::CompositeAlarm' } }, ['month compositeAlarm 1']],
    ['a key', { It: { Type: 'AWS::KMS::Key' } }, ['month key 1']],
    [
      'nothing for a table on demand',
      { It: { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PAY_PER_REQUEST' } } },
      [],
    ],
    ['a secret', { It: { Type: 'AWS::SecretsManager::Secret' } }, ['month secret 1']],
    ['a dashboard', { It: { Type: 'AWS::CloudWatch::Dashboard' } }, ['month dashboard 1']],
    ['nothing for a queue that is not polled', { Queue: queue() }, []],
    ['the empty receives of a mapping', mapping(), ['month queueRequest 648000 empty receives']],
    [
      'the empty receives of a FIFO queue (assumption LAMBDA-17)',
      mapping({}, queue({ FifoQueue: true })),
      ['month fifoQueueRequest 648000 empty receives'],
    ],
    ['nothing for a disabled mapping', mapping({ Enabled: false }), []],
    ['the functions that a scheduled rule invokes', rule({ ScheduleExpression: 'rate(5 minutes)' }), RUN],
    ['nothing for a disabled rule', rule({ ScheduleExpression: 'rate(5 minutes)', State: 'DISABLED' }), []],
    ['nothing for a rule on events', rule({ EventPattern: { source: ['aws.ec2'] } }), []],
    [
      'a schedule, and the function that it invokes',
      {
        Function: FUNCTION,
        It: {
          Type: 'AWS::Scheduler::Schedule',
          Properties: { ScheduleExpression: 'rate(5 minutes)', Target: { Arn: arn('Function') } },
        },
      },
      [...RUN, 'month scheduledInvocation 8640'],
    ],
  ])('has %s', (_, resources, expected) => {
    const lines = linesOf(costOf(resources)).filter(it => it.startsWith('month') && !it.includes('log of'));
    expect(lines).toEqual([...expected].sort());
  });

  test.each<[string, Resources, RegExp]>([
    ['metrics of an alarm', alarm({ Metrics: UNKNOWN }), /number of metrics of this alarm is unknown/],
    [
      'metrics that an alarm finds with a query',
      alarm({ Metrics: [{ Id: 'q', Expression: 'SELECT AVG(X) FROM Y' }] }),
      /number of metrics of this alarm is unknown/,
    ],
    ['source of a mapping', mapping({ EventSourceArn: UNKNOWN }), /event source is unknown/],
    ['price of provisioned pollers', mapping({ ProvisionedPollerConfig: { MinimumPollers: 2 } }), /billed by the hour/],
    ['schedule', rule({ ScheduleExpression: UNKNOWN }), /how often it runs is unknown/],
    [
      'memory of a function',
      {
        ...rule({ ScheduleExpression: 'rate(1 day)' }),
        Function: { ...FUNCTION, Properties: { MemorySize: UNKNOWN } },
      },
      /memory or architecture is unknown/,
    ],
  ])('says that the %s is unknown', (_, resources, sentence) => {
    expect(costOf(resources).unknown).toEqual([expect.stringMatching(sentence)]);
  });

  const resource = (Type: string, Properties: Resources = {}) => ({ It: { Type, Properties } });
  const endpoint = (VpcEndpointType: unknown) => resource('AWS::EC2::VPCEndpoint', { VpcEndpointType });

  test.each<[string, Resources, readonly string[]]>([
    ['a NAT gateway', resource('AWS::EC2::NatGateway'), ['1 NAT gateway, by the hour']],
    ['a bucket', resource('AWS::S3::Bucket'), ['1 S3 bucket, by use']],
    ['a type that is not known here', resource('AWS::Nobody::Thing'), ['1 AWS::Nobody::Thing, unknown']],
    ['a type named like a member of every object', resource('constructor'), ['1 constructor, unknown']],
    [
      'a table with provisioned throughput',
      resource('AWS::DynamoDB::Table'),
      ['1 provisioned DynamoDB table, by the hour'],
    ],
    ['a table on demand', resource('AWS::DynamoDB::Table', { BillingMode: 'PAY_PER_REQUEST' }), []],
    ['an interface endpoint', endpoint('Interface'), ['1 interface endpoint, by the hour']],
    ['an endpoint of a kind that a parameter decides', endpoint(UNKNOWN), ['1 interface endpoint, by the hour']],
    ['a gateway endpoint, which is free', endpoint('Gateway'), []],
    ['an alias', resource('AWS::Lambda::Alias'), []],
    [
      'an alias with provisioned concurrency',
      resource('AWS::Lambda::Alias', { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 } }),
      ['1 provisioned-concurrency alias, by the hour'],
    ],
    ['a stage of an API', resource('AWS::ApiGateway::Stage'), []],
    [
      'a stage with a cache',
      resource('AWS::ApiGateway::Stage', { CacheClusterEnabled: true }),
      ['1 API cache, by the hour'],
    ],
    ['parts of a bucket', resource('AWS::S3::BucketPolicy'), []],
    ['a custom resource', resource('Custom::Thing'), []],
    [
      'several, first those that cost something while they are unused',
      {
        ...{ A: { Type: 'AWS::S3::Bucket' }, B: { Type: 'AWS::Nobody::Thing' } },
        ...{ C: { Type: 'AWS::EC2::NatGateway' }, D: { Type: 'AWS::EC2::NatGateway' } },
        ...{ E: { Type: 'AWS::EC2::EIP' }, F: { Type: 'AWS::EC2::EIP' } },
        ...{ G: { Type: 'AWS::RDS::DBProxy' }, H: { Type: 'AWS::RDS::DBProxy' } },
      },
      [
        ...['2 public IPv4 addresses, by the hour', '2 NAT gateways, by the hour', '2 RDS proxies, by the hour'],
        ...['1 S3 bucket, by use', '1 AWS::Nobody::Thing, unknown'],
      ],
    ],
  ])('leaves out %s', (_, resources, expected) => {
    const cost = costOf(resources);
    expect(cost.unpriced.map(it => `${unpricedText(it)}, ${it.billed}`)).toEqual(expected);
    expect([cost.unknown, isWhole(cost)]).toEqual([[], expected.length === 0]);
  });

  test('says that another Region has other prices', () => {
    const stack = stackWith({ Resources: { Key: { Type: 'AWS::KMS::Key' } } }, { region: 'eu-south-1' });
    expect(stagesCost([[stack]]).unknown).toEqual([expect.stringContaining('eu-south-1')]);
  });

  test('has what a function of this package states', () => {
    const requests = { queueRequests: 2, metricRequests: 1, readUnits: 8 };
    const usage = { invocationSeconds: 1, ...requests, idleMetrics: 1, busyMetrics: 12 };
    const resources = rule({ ScheduleExpression: 'rate(5 minutes)' });
    const cost = costOf({ ...resources, Function: { ...FUNCTION, Metadata: { [USAGE_METADATA]: usage } } });
    expect(linesOf(cost)).toEqual(
      expect.arrayContaining([
        'metrics customMetric 12',
        'month armGigabyteSecond 8640 by schedule',
        'month customMetric 1',
        'month metricRequest 8640',
        'month queueRequest 17280 requests of the function',
        'month tableRead 69120',
      ]),
    );
  });

  test.each<[string, unknown]>([
    ['no object', 'much'],
    ['no time', { queueRequests: 2 }],
    ['a negative time', { invocationSeconds: -1 }],
    ['text', { invocationSeconds: '1' }],
  ])('ignores metadata with %s', (_, usage) => {
    const resources = rule({ ScheduleExpression: 'rate(5 minutes)' });
    const cost = costOf({ ...resources, Function: { ...FUNCTION, Metadata: { [USAGE_METADATA]: usage } } });
    expect(linesOf(cost)).toEqual(expect.arrayContaining(RUN));
  });
});

describe('a million messages', () => {
  const topic = (Properties: Resources = {}) => ({ Type: 'AWS::SNS::Topic', Properties });
  const subscription = (Protocol: string, Endpoint: unknown) => ({
    Type: 'AWS::SNS::Subscription',
    Properties: { TopicArn: { Ref: 'Topic' }, Protocol, Endpoint },
  });
  const million = (resources: Resources, options?: CostOptions) =>
    linesOf(costOf(resources, options))
      .filter(it => it.startsWith('million'))
      .map(it => it.replace('million ', ''));

  test.each<[string, Resources, readonly string[]]>([
    ['a publish', { Topic: topic() }, ['publish 1000000']],
    ['FIFO', { Topic: topic({ FifoTopic: true }) }, ['fifoPublish 1000000', 'fifoPublishedGigabyte 1']],
    [
      'a delivery to HTTPS',
      { Topic: topic(), To: subscription('https', 'https://example.com') },
      ['httpDelivery 1000000', 'publish 1000000'],
    ],
    [
      'an e-mail',
      { Topic: topic(), To: subscription('email', 'a@example.com') },
      ['emailDelivery 1000000', 'publish 1000000'],
    ],
    [
      'a delivery to a queue, which its consumer empties',
      { Topic: topic(), Queue: queue(), To: subscription('sqs', arn('Queue')) },
      ['publish 1000000', 'queueRequest 1000000 sends', 'queueRequest 2000000 receives and deletes'],
    ],
    [
      'a delivery to a function',
      { Topic: topic(), Function: FUNCTION, To: subscription('lambda', arn('Function')) },
      [
        'armGigabyteSecond 300000 for messages',
        'invocation 1000000 for messages',
        'logGigabyte 0.5 log of the function',
        'publish 1000000',
      ],
    ],
    [
      'the sample of delivery-status logs',
      {
        Topic: topic({
          DeliveryStatusLogging: [{ Protocol: 'sqs', SuccessFeedbackRoleArn: 'r', SuccessFeedbackSampleRate: '10' }],
        }),
        To: subscription('sqs', 'arn:aws:sqs:us-east-1:123456789012:other'),
      },
      ['logGigabyte 0.1 delivery status', 'publish 1000000'],
    ],
    [
      'data keys',
      { Queue: queue({ KmsMasterKeyId: 'alias/mine', KmsDataKeyReusePeriodSeconds: 600 }) },
      ['keyRequest 12960 data keys', 'queueRequest 1000000 sends', 'queueRequest 2000000 receives and deletes'],
    ],
    [
      'a fair queue, and the table of its consumer',
      {
        Queue: { ...queue(), Metadata: { [FAIR_METADATA]: true } },
        Function: {
          ...FUNCTION,
          Metadata: { [USAGE_METADATA]: { invocationSeconds: 0, messageReadUnits: 1, messageWriteUnits: 2 } },
        },
        Mapping: {
          Type: 'AWS::Lambda::EventSourceMapping',
          Properties: { EventSourceArn: arn('Queue'), FunctionName: { Ref: 'Function' } },
        },
      },
      [
        'armGigabyteSecond 0 for messages',
        'fairQueueRequest 1000000 sends',
        'fairQueueRequest 2000000 receives and deletes',
        'invocation 1000000 for messages',
        'logGigabyte 0.5 log of the function',
        'tableRead 1000000',
        'tableWrite 2000000',
      ],
    ],
    [
      'a queue, and one that its consumer fills, which is no entry',
      { Queue: queue(), ...FED },
      [
        'fairQueueRequest 1100000 sends',
        'fairQueueRequest 2200000 receives and deletes',
        'queueRequest 1000000 sends',
        'queueRequest 2000000 receives and deletes',
      ],
    ],
    ['a REST API', { Api: { Type: 'AWS::ApiGateway::RestApi' } }, ['restRequest 1000000']],
    [
      'an HTTP API',
      { Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } } },
      ['httpApiRequest 1000000'],
    ],
  ])('has %s', (_, resources, expected) => {
    expect(million(resources)).toEqual([...expected].sort());
  });

  test('fills a queue in batches, states what that assumes, and follows no circle', () => {
    const assumptions = { ...DEFAULT_ASSUMPTIONS, batchSize: 10 };
    const { assumes, entries } = costOf({ Queue: queue(), ...FED }, { assumptions });
    expect([assumes, entries]).toEqual([
      ['One in ten is sent twice.'],
      [{ kind: 'queue', path: 'Queue', dollars: expect.closeTo(0.4 + 0.08 + 0.055 + 0.11) }],
    ]);
    const [one, other] = [fed('Other', queue()), fed('One', queue())];
    expect(costOf({ Queue: queue(), One: one, Other: other }).entries).toHaveLength(1);
  });

  test('has no messages for topics of alarms and notices, dead-letter queues, and functions of CloudFormation', () => {
    const { entries } = costOf({
      Topic: topic(),
      Ops: topic(),
      Notices: { ...topic(), Metadata: { [IDLE_METADATA]: true } },
      ...alarm({ MetricName: 'A', Namespace: 'B', Period: 60, AlarmActions: [{ Ref: 'Ops' }] }),
      Dead: queue(),
      Queue: queue({ RedrivePolicy: { deadLetterTargetArn: arn('Dead'), maxReceiveCount: 3 } }),
      Function: { ...FUNCTION, Properties: { DeadLetterConfig: { TargetArn: arn('Dead') } } },
      Provider: { ...FUNCTION, Properties: { DeadLetterConfig: { TargetArn: arn('Dead') } } },
      Custom: { Type: 'Custom::It', Properties: { ServiceToken: arn('Provider') } },
    });
    expect(entries.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'topic Topic',
      'queue Queue',
      'function Function',
    ]);
  });

  test('says what it does not know of an SMS, and of the sample of a log', () => {
    const logging = { DeliveryStatusLogging: [{ Protocol: 'lambda', SuccessFeedbackRoleArn: 'r' }] };
    const { unknown } = costOf({ Topic: topic(logging), To: subscription('sms', '+4366412345678') });
    expect(unknown).toEqual([
      expect.stringContaining('the sample of its delivery-status log is unknown'),
      expect.stringContaining('the price of a delivery by sms is unknown'),
    ]);
  });

  test('counts each 64 KB of a publish, a send and a receive', () => {
    const assumptions = { ...DEFAULT_ASSUMPTIONS, messageKilobytes: 100, batchSize: 2 };
    const resources = { Topic: topic(), Queue: queue(), To: subscription('sqs', arn('Queue')) };
    expect(million(resources, { assumptions })).toEqual(
      // A batch of two has 200 KB: four for the receive, and one for the delete.
      ['publish 2000000', 'queueRequest 2000000 sends', 'queueRequest 2500000 receives and deletes'],
    );
  });

  test('never has larger batches than the mapping', () => {
    const assumptions = { ...DEFAULT_ASSUMPTIONS, batchSize: 10 };
    const Mapping = {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: arn('Queue'), FunctionName: { Ref: 'Function' }, BatchSize: 5 },
    };
    const lines = million({ Queue: queue(), Function: FUNCTION, Mapping }, { assumptions });
    expect(lines).toEqual(expect.arrayContaining(['invocation 200000 for messages']));
  });
});

describe('the constructs of the report', () => {
  const at = (path: string, it: Resources) => ({ ...it, Metadata: { 'aws:cdk:path': path } });
  const resources = {
    A: at('App/Stage/Orders/A/Key/Resource', { Type: 'AWS::KMS::Key' }),
    B: at('App/Stage/Orders/A/Other/Resource', { Type: 'AWS::KMS::Key' }),
    C: at('App/Stage/Orders/B/Resource', { Type: 'AWS::IAM::Role' }),
    // CDK adds it, and it is not counted.
    CDKMetadata: at('App/Stage/Orders/CDKMetadata/Default', { Type: 'AWS::CDK::Metadata' }),
  };
  const stacks = [stackWith({ Resources: resources }, { stackPath: 'App/Stage/Orders' })];
  const rows = (depth: number) =>
    stagesCost([stacks], { depth }).constructs.map(it => [it.path, it.resources, it.aMonthIdle]);

  test.each<[number, readonly (readonly [string, number, number])[]]>([
    [0, [['App/Stage/Orders', 3, 2]]],
    [
      1,
      [
        ['App/Stage/Orders/A', 2, 2],
        ['App/Stage/Orders/B', 1, 0],
      ],
    ],
    [
      2,
      [
        ['App/Stage/Orders/A/Key', 1, 1],
        ['App/Stage/Orders/A/Other', 1, 1],
        ['App/Stage/Orders/B', 1, 0],
      ],
    ],
  ])('are the ids of a path to depth %d below its stack', (depth, expected) => {
    expect(rows(depth)).toEqual(expected);
  });

  test('are logical ids where a template has no paths', () => {
    expect(costOf({ Key: { Type: 'AWS::KMS::Key' } }).constructs.map(({ path }) => path)).toEqual(['Test/Key']);
  });

  test('are those of all stages', () => {
    const { resources: count, aMonthIdle, constructs } = stagesCost([stacks, stacks]);
    expect([count, aMonthIdle, constructs.length]).toEqual([6, 4, 4]);
  });
});
