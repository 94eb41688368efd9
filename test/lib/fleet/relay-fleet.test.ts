import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { DEFAULT_ASSUMPTIONS } from '../../../diagnosis/cost/assumptions';
import { AlarmSet, DurableTopic, OpsDashboard, RelayFleet, type RelayFleetProps } from '../../../lib';
import { MathProgram } from '../../../local/cloudwatch/math/program';
import { readFleetSettings } from '../../../policy/fleet/fleet-settings';
import { costOf } from '../../support/costs';
import { vpcIn } from '../../support/vpc';
import { newStack, opsTopic, type Resource, templateOf, warningIds } from '../support';

function fleetIn(stack: Stack, props: RelayFleetProps = {}): RelayFleet {
  return new RelayFleet(stack, 'Fleet', { alarmActions: [opsTopic(stack)], ...props });
}

/** The template of a stack with a fleet, and what is added to it. */
function made(props: RelayFleetProps = {}, more: (stack: Stack, fleet: RelayFleet) => unknown = () => {}) {
  const stack = newStack();
  const fleet = fleetIn(stack, props);
  more(stack, fleet);
  const template = templateOf(stack);
  const all: [string, Resource & { Type: string; DeletionPolicy?: string }][] = Object.entries(
    template.toJSON()['Resources'],
  );
  return { stack, fleet, template, own: all.filter(([id]) => id.startsWith('Fleet')) };
}

/** The settings of the functions, with a text in place of each token. */
function settingsOf(props: RelayFleetProps = {}) {
  const { stack, fleet } = made(props);
  const { 'Fn::Join': joined } = stack.resolve(fleet.settings);
  return readFleetSettings(joined[1].map((part: unknown) => (typeof part === 'string' ? part : 'x')).join(''));
}

describe('A fleet with its defaults', () => {
  const { stack, own, fleet, template } = made();

  test('has at most 30 resources, which cost at most 3 dollars a month without messages', () => {
    expect(own.length).toBeLessThanOrEqual(30);
    const { aMonthIdle, alarms, unknown } = costOf(it => fleetIn(it));
    expect(aMonthIdle).toBeLessThanOrEqual(3);
    expect(aMonthIdle).toBeGreaterThan(2.5);
    expect([alarms, unknown]).toEqual([4, []]);
  });

  test.each([
    { logAttempts: true, most: 3 },
    { logAttempts: false, most: 1.5 },
  ])(
    'costs at most $most dollars for a million messages delivered at the first attempt (attempts logged: $logAttempts)',
    ({ logAttempts, most }) => {
      const assumptions = { ...DEFAULT_ASSUMPTIONS, batchSize: 10 };
      const { aMillionMessages } = costOf(it => fleetIn(it, { logAttempts }), { assumptions });
      expect(aMillionMessages).toBeLessThanOrEqual(most);
      expect(aMillionMessages).toBeGreaterThan(most / 3);
    },
  );

  test('gets no warning', () => {
    expect(warningIds(stack)).toEqual([]);
  });

  test('keeps its table, key, dead letters and logs when the stack is deleted', () => {
    const kept = own.filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain')).map(([, it]) => it.Type);
    expect(kept.sort()).toEqual([
      'AWS::DynamoDB::Table',
      'AWS::KMS::Key',
      ...Array.from({ length: 3 }, () => 'AWS::Logs::LogGroup'),
      'AWS::SQS::Queue',
    ]);
    template.hasResource('AWS::DynamoDB::Table', {
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
        GlobalSecondaryIndexes: [Match.objectLike({ IndexName: 'byWake' })],
        SSESpecification: Match.absent(),
      },
    });
    template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
  });

  test('moves messages on which its functions crash to one dead-letter queue, and hides messages for six times the timeout', () => {
    const sources = Object.values(template.findResources('AWS::SQS::Queue')).filter(it => it.Properties.RedrivePolicy);
    expect(sources.map(it => [it.Properties.VisibilityTimeout, it.Properties.MessageRetentionPeriod])).toEqual([
      [6 * 60, 864_000],
      [6 * 125, 864_000],
    ]);
    const targets = sources.map(it => JSON.stringify(it.Properties.RedrivePolicy.deadLetterTargetArn));
    expect(new Set(targets).size).toBe(1);
    template.allResourcesProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 50 },
    });
  });

  test('runs its prober every minute, reserves no concurrency, and allows recursive loops for the functions that send to their own queue', () => {
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)' });
    const functions = own.filter(([, { Type }]) => Type === 'AWS::Lambda::Function');
    const facts = functions.map(([id, { Properties: its }]) => [
      id.replace(/^Fleet|Function.*/g, ''),
      its['Timeout'],
      its['MemorySize'],
      its['RecursiveLoop'],
      its['ReservedConcurrentExecutions'],
    ]);
    expect(facts).toEqual([
      ['Dispatcher', 60, 256, 'Allow', undefined],
      ['Deliverer', 125, 256, 'Allow', undefined],
      ['Prober', 120, 256, undefined, undefined],
    ]);
  });

  test('passes its functions settings that they accept', () => {
    expect(settingsOf()).toMatchObject({
      fleetName: fleet.fleetName,
      maxAgeSeconds: 432_000,
      attemptRetentionSeconds: 604_800,
      health: { disableAfterMs: 432_000_000, slots: 5 },
    });
  });
});

test('A fleet passes its properties to its resources', () => {
  const settings = settingsOf({
    fleetName: 'hooks',
    maxAge: Duration.hours(1),
    retryPolicy: { numRetries: 20, numNoDelayRetries: 10 },
    totalTimeout: Duration.seconds(30),
    deadStatuses: [404],
    disableFailingEndpoints: false,
    logAttempts: false,
  });
  expect(settings).toMatchObject({ fleetName: 'hooks', maxAgeSeconds: 3_600, totalTimeoutMs: 30_000 });
  expect(settings).toMatchObject({ retryPolicy: { numRetries: 20, minDelayTarget: 20 }, deadStatuses: [404] });
  expect(settings.health).not.toHaveProperty('disableAfterMs');
  expect(settings).not.toHaveProperty('attemptRetentionSeconds');
  expect(settingsOf({ logBodies: true, disableAfter: Duration.hours(2) })).toMatchObject({
    logsBodies: true,
    health: { disableAfterMs: 7_200_000 },
  });
});

test('A fleet with RemovalPolicy.DESTROY leaves nothing, and its table is not protected', () => {
  const { own } = made({ removalPolicy: RemovalPolicy.DESTROY });
  expect(own.filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain'))).toEqual([]);
  const [, table] = own.find(([, { Type }]) => Type === 'AWS::DynamoDB::Table') ?? [];
  expect(table?.Properties['DeletionProtectionEnabled']).toBe(false);
});

test('A fleet with a key of the user encrypts its queues, its table and its topic with it', () => {
  const stack = newStack();
  const messagesKey = new Key(stack, 'MessagesKey');
  fleetIn(stack, { encryptionMasterKey: messagesKey });
  const template = templateOf(stack);
  const key = stack.resolve(messagesKey.keyArn);
  template.resourcePropertiesCountIs('AWS::SQS::Queue', { KmsMasterKeyId: key }, 3);
  template.hasResourceProperties('AWS::SNS::Topic', { KmsMasterKeyId: key });
  template.hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { KMSMasterKeyId: key, SSEType: 'KMS' } });
});

test('A fleet with an imported table creates neither a table nor a key, and its functions may use only the imported ones', () => {
  const stack = newStack();
  const { tableArn } = fleetIn(stack, {
    fleetName: 'hooks',
    table: Table.fromTableName(stack, 'Restored', 'restored'),
    key: Key.fromKeyArn(stack, 'Old', 'arn:aws:kms:us-east-1:123456789012:key/old'),
  }).table;
  const template = templateOf(stack);
  template.resourceCountIs('AWS::DynamoDB::Table', 0);
  template.resourceCountIs('AWS::KMS::Key', 0);
  const roles = JSON.stringify(template.findResources('AWS::IAM::Role'));
  for (const arn of [stack.resolve(tableArn), stack.resolve(`${tableArn}/index/byWake`), '123456789012:key/old']) {
    expect(roles).toContain(typeof arn === 'string' ? arn : JSON.stringify(arn));
  }
});

test('In a fleet with a VPC, only the deliverer is in the VPC', () => {
  const stack = newStack();
  fleetIn(stack, { vpc: vpcIn(stack), allowedPrivateRanges: ['10.0.0.0/8'] });
  const functions = Object.entries(templateOf(stack).findResources('AWS::Lambda::Function'));
  expect(functions.filter(([, it]) => it.Properties.VpcConfig).map(([id]) => id)).toEqual([
    expect.stringMatching(/^FleetDeliverer/),
  ]);
  expect(warningIds(stack)).toEqual([]);
});

test('A fleet that allows private addresses without a VPC gets a warning', () => {
  expect(warningIds(made({ allowedPrivateRanges: ['10.0.0.0/8'] }).stack)).toEqual(['private-ranges-without-vpc']);
});

test('A fleet has the alarms of its alarm set, and the essential set also watches the queues', () => {
  const idsOf = (alarms: AlarmSet) => {
    const { fleet } = made({ alarms });
    const of = [fleet, fleet.eventsQueue, fleet.deliveriesQueue, fleet.deadLetterQueue];
    return of.map(it => it.alarms.map(({ node }) => node.id.replace(/Alarm$/, '')));
  };
  expect(idsOf(AlarmSet.ESSENTIAL)).toEqual([['EndpointsFailing', 'DeadLettered', 'Stalled', 'Expiring'], [], [], []]);
  expect(idsOf(AlarmSet.ALL)).toEqual([
    ['EndpointsFailing', 'Errors', 'Throttles', 'Broken', 'ProberStopped', 'OldestDue'],
    ['Age', 'InFlight'],
    ['Age', 'InFlight'],
    ['Age', 'Unattended', 'Growth', 'Waiting', 'Arrivals'],
  ]);
  const { fleet } = made();
  expect([fleet.eventsQueue.ageAlarm.node.id, fleet.deadLetterQueue.ageAlarm.node.id]).toEqual([
    'StalledAlarm',
    'ExpiringAlarm',
  ]);
});

// AWS documents a number of visible messages for an active queue, and an age only for a queue with messages.
test.each<[string, Record<string, number>, number]>([
  ['not before Lambda polls its events queue', {}, 0],
  ['if its prober is not invoked, also while SQS reports no age', { ApproximateNumberOfMessagesVisible: 0 }, 1],
  ['not while its prober is invoked', { ApproximateNumberOfMessagesVisible: 0, Invocations: 5 }, 0],
  ['if a message waits too long', { ApproximateAgeOfOldestMessage: 901, Invocations: 5 }, 1],
])('The alarm on a stalled fleet fires %s', (_when, metrics, stalled) => {
  const alarms = Object.values(made().template.findResources('AWS::CloudWatch::Alarm'));
  const queries: { Id: string; Expression?: string; MetricStat?: { Metric: { MetricName: string } } }[] = alarms
    .filter(it => it.Properties.AlarmDescription.startsWith('The fleet itself'))
    .flatMap(it => it.Properties.Metrics);
  const names = new Map(queries.map(({ Id, MetricStat }) => [Id, MetricStat?.Metric.MetricName ?? '']));
  const program = new MathProgram(queries.map(({ Id: id, Expression: expression }) => ({ id, expression })));
  const grid = { startMs: 0, periodMs: 300_000, count: 1 };
  const series = (id: string) => ({ grid, values: [metrics[names.get(id) ?? '']] });
  expect(program.evaluate(queries[0]?.Id ?? '', grid, series)).toMatchObject({ values: [stalled] });
});

test('The alarm of a fleet counts a dead letter even if a replay removes another in the same minute', () => {
  const { template } = made();
  template.hasResourceProperties('AWS::CloudWatch::Alarm', {
    AlarmDescription: Match.stringLikeRegexp('^A message went to the dead-letter queue'),
    MetricName: 'NumberOfMessagesSent',
    Statistic: 'Sum',
  });
});

test('A role with read access to a fleet may neither write nor decrypt', () => {
  const { template } = made({}, (stack, fleet) =>
    fleet.grantRead(new Role(stack, 'Reader', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') })),
  );
  const statements = Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    it => it.Properties.PolicyDocument.Statement,
  );
  expect(statements.flatMap(it => it.Action)).toEqual([
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:Scan',
  ]);
});

test('A fleet notifies the topic of its user, which has a key, of disabled endpoints', () => {
  const stack = newStack();
  const noticesTopic = new Topic(stack, 'Told', { masterKey: new Key(stack, 'TopicKey') });
  expect(fleetIn(stack, { noticesTopic }).noticesTopic).toBe(noticesTopic);
  const roles = Object.entries(templateOf(stack).findResources('AWS::IAM::Role'));
  const telling = roles.filter(([, it]) => JSON.stringify(it.Properties.Policies).includes('sns:Publish'));
  expect(telling.map(([id]) => id.replace(/Role.*/, ''))).toEqual(['FleetProber']);
  for (const [, it] of telling) expect(JSON.stringify(it.Properties.Policies)).toContain('kms:GenerateDataKey');
});

test('A topic delivers to a fleet, and the fleet’s dead-letter queue gets what SNS cannot deliver', () => {
  const { template, stack, fleet } = made({}, (it, to) => {
    new DurableTopic(it, 'Topic', { logDeliveryStatus: false }).deliverToFleet('ToFleet', to);
  });
  template.hasResourceProperties('AWS::SNS::Subscription', {
    Protocol: 'sqs',
    Endpoint: stack.resolve(fleet.eventsQueue.queueArn),
    RedrivePolicy: { deadLetterTargetArn: stack.resolve(fleet.deadLetterQueue.queueArn) },
    RawMessageDelivery: Match.absent(),
  });
});

test('The dashboard of a fleet shows the fleet, its queues, its dead letters and its worst endpoints', () => {
  const { template } = made({}, (stack, fleet) => {
    new OpsDashboard(stack, 'Dashboard').add(fleet);
  });
  const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  const shown = [
    'Fleets',
    'attempt failed',
    'OldestDue',
    'ParkedMessages',
    'Dead-letter queues',
    'prober: its function',
  ];
  // A gigabyte-second has four million milliseconds of a function with 256 MiB, and a write unit costs 0.625 dollars a million.
  const prices = [
    '0.000000625000 * (FILL(writes, 0) + FILL(writesOfIndex, 0))',
    '0.000000003333 * (FILL(dispatching, 0)',
  ];
  for (const text of [...shown, ...prices]) {
    expect(body).toContain(text);
  }
});
