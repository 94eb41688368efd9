import {
  CreateArchiveCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { clientConfig } from '../../../local/facade/client';
import { administrator } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { createResource } from '../create-resource';
import { queuePolicy, START_MS } from './events-fixture';

describe('in a simulation', () => {
  const OWNER = administrator(EXAMPLE_PLACE.account);
  const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Orders';

  /** A whole embedded AWS with a queue that lets EventBridge in. */
  function simulationWithQueue() {
    const simulation = new Simulation({ place: EXAMPLE_PLACE, random: new Random('events'), startAtMs: START_MS }).home;
    simulation.sqs.call('CreateQueue', OWNER, { QueueName: 'Orders', Attributes: { Policy: queuePolicy(QUEUE) } });
    const create = (type: string, properties: Readonly<Record<string, unknown>>) =>
      createResource(simulation.resourceTypes(), `AWS::Events::${type}`, properties);
    const bodies = async () => {
      await simulation.timeline.runUntilIdle();
      const QueueUrl = simulation.sqs.queueByArn(QUEUE)?.url;
      const answer = await simulation.sqs.call('ReceiveMessage', OWNER, {
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
      });
      return (answer.Messages ?? []).map(({ Body }) => Body);
    };
    return { simulation, create, bodies };
  }

  describe('the EventBridge client of the AWS SDK', () => {
    it('puts a rule, its target and an event that comes to the queue', async () => {
      const { simulation, bodies } = simulationWithQueue();
      const client = new EventBridgeClient(clientConfig(simulation.network, EXAMPLE_PLACE));
      const rule = await client.send(new PutRuleCommand({ Name: 'orders', EventPattern: '{"source":["rental"]}' }));
      expect(rule.RuleArn).toBe('arn:aws:events:us-east-1:123456789012:rule/orders');
      const Targets = [{ Id: 't', Arn: QUEUE, InputPath: '$.detail' }];
      expect(await client.send(new PutTargetsCommand({ Rule: 'orders', Targets }))).toMatchObject({
        FailedEntryCount: 0,
      });
      const entry = { Source: 'rental', DetailType: 'Order Placed', Detail: '{"order":1}', Time: new Date(START_MS) };
      const put = await client.send(new PutEventsCommand({ Entries: [entry] }));
      expect(put.Entries).toMatchObject([{ EventId: expect.any(String) }]);
      expect(await bodies()).toEqual(['{"order":1}']);
    });

    it('gets errors for an invalid pattern and for missing resources', async () => {
      const { simulation } = simulationWithQueue();
      const client = new EventBridgeClient(clientConfig(simulation.network, EXAMPLE_PLACE));
      await expect(client.send(new PutRuleCommand({ Name: 'r', EventPattern: '{"source":[]}' }))).rejects.toMatchObject(
        {
          name: 'InvalidEventPatternException',
          message: expect.stringContaining('Event pattern is not valid. Reason: Empty arrays are not allowed'),
          $metadata: { httpStatusCode: 400 },
        },
      );
      const archive = { ArchiveName: 'a', EventSourceArn: 'arn:aws:events:us-east-1:123456789012:event-bus/default' };
      await expect(client.send(new CreateArchiveCommand(archive))).rejects.toMatchObject({
        message:
          'The embedded AWS does not implement events:CreateArchive. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
        $metadata: { httpStatusCode: 501 },
      });
    });
  });

  describe('AWS::Events::Rule', () => {
    it('is a rule with its targets', async () => {
      const { simulation, create, bodies } = simulationWithQueue();
      const { created, problems } = create('Rule', {
        EventPattern: { source: ['rental'] },
        State: 'ENABLED',
        Description: 'orders',
        Targets: [
          {
            Id: 'Target0',
            Arn: QUEUE,
            InputTransformer: {
              InputPathsMap: { 'detail-order': '$.detail.order' },
              InputTemplate: '{"order": <detail-order>}',
            },
            RetryPolicy: { MaximumRetryAttempts: '3', MaximumEventAgeInSeconds: 60 },
            DeadLetterConfig: { Arn: QUEUE },
          },
        ],
      });
      expect(problems).toEqual([]);
      expect(created).toEqual({
        ref: 'Rental-Thing-1A2B3C',
        attributes: { Arn: 'arn:aws:events:us-east-1:123456789012:rule/Rental-Thing-1A2B3C' },
      });
      const Entries = [{ Source: 'rental', DetailType: 'x', Detail: '{"order":5}' }];
      simulation.events.call('PutEvents', OWNER, { Entries });
      expect(await bodies()).toEqual(['{"order": 5}']);
      expect(simulation.events.call('ListTargetsByRule', OWNER, { Rule: created.ref }).Targets).toMatchObject([
        { RetryPolicy: { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 60 }, DeadLetterConfig: { Arn: QUEUE } },
      ]);
    });

    it('on a bus of its own is named by both', () => {
      const { simulation, create } = simulationWithQueue();
      expect(create('Rule', { EventBusName: 'orders', EventPattern: { source: ['x'] } }).problems).toEqual([
        'EventBusName is refused (ResourceNotFoundException: Event bus orders does not exist.)',
      ]);
      const bus = create('EventBus', { Name: 'orders', Tags: [{ Key: 'team', Value: 'rental' }] }).created;
      expect(bus).toEqual({
        ref: 'orders',
        attributes: { Name: 'orders', Arn: 'arn:aws:events:us-east-1:123456789012:event-bus/orders' },
      });
      const { created } = create('Rule', { Name: 'r', EventBusName: bus.ref, EventPattern: { source: ['x'] } });
      expect(created.ref).toBe('orders|r');
      const { Tags } = simulation.events.call('ListTagsForResource', OWNER, { ResourceARN: bus.attributes['Arn'] });
      expect(Tags).toEqual([{ Key: 'team', Value: 'rental' }]);
    });

    it('fails the deploy by what AWS refuses, and by what is not implemented', () => {
      const { create } = simulationWithQueue();
      expect(create('Rule', { EventPattern: { source: [] } }).problems).toEqual([
        expect.stringMatching(
          /^EventPattern is refused \(InvalidEventPatternException: .*Empty arrays are not allowed/s,
        ),
      ]);
      expect(create('Rule', { ScheduleExpression: 'rate(5 minute)' }).problems).toEqual([
        'ScheduleExpression is refused (ValidationException: Parameter ScheduleExpression is not valid.)',
      ]);
      const Arn = 'arn:aws:kinesis:us-east-1:123456789012:stream/s';
      expect(create('Rule', { EventPattern: { source: ['x'] }, Targets: [{ Id: 't', Arn }] }).problems).toEqual([
        'Targets[0].Arn names a target that the embedded AWS does not implement',
      ]);
      const target = { Id: 't', Arn: QUEUE, EcsParameters: { TaskCount: 1 } };
      expect(create('Rule', { Name: 'x', EventPattern: { source: ['x'] }, Targets: [target] }).problems).toEqual([
        'Targets[0].EcsParameters is not implemented by the embedded AWS',
      ]);
    });
  });

  test('AWS::Events::EventBusPolicy adds statements to the policy of a bus', () => {
    const { simulation, create } = simulationWithQueue();
    const Statement = {
      Effect: 'Allow',
      Principal: { AWS: '111111111111' },
      Action: 'events:PutEvents',
      Resource: 'arn:aws:events:us-east-1:123456789012:event-bus/default',
    };
    expect(create('EventBusPolicy', { StatementId: 'a', Statement }).problems).toEqual([]);
    const parts = { StatementId: 'b', Action: 'events:PutEvents', Principal: '222222222222' };
    expect(create('EventBusPolicy', parts).problems).toEqual([]);
    expect(
      create('EventBusPolicy', { StatementId: 'a', Statement: { ...Statement, Principal: '*' } }).problems,
    ).toEqual([]);
    const { Policy = '' } = simulation.events.call('DescribeEventBus', OWNER, {});
    expect(JSON.parse(Policy)).toMatchObject({ Statement: [{ Sid: 'b' }, { Sid: 'a', Principal: '*' }] });
  });
});

describe('with other services', () => {
  const OWNER = administrator(EXAMPLE_PLACE.account);
  const RULE_ARN = 'arn:aws:events:us-east-1:123456789012:rule/orders';

  const trusting = (...services: string[]) => ({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: services }, Action: 'sts:AssumeRole' }],
  });

  /** A whole embedded AWS with a role for functions and schedules that may do everything. */
  class Whole {
    readonly simulation = new Simulation({ place: EXAMPLE_PLACE, random: new Random('whole'), startAtMs: START_MS })
      .home;

    constructor() {
      const trustPolicy = trusting('lambda.amazonaws.com', 'scheduler.amazonaws.com');
      this.simulation.iam.createRole({ roleName: 'All', trustPolicy });
      const Statement = [{ Effect: 'Allow', Action: '*', Resource: '*' }];
      this.simulation.iam.putRolePolicy('All', 'all', { Version: '2012-10-17', Statement });
    }

    get roleArn(): string {
      return 'arn:aws:iam::123456789012:role/All';
    }

    create(type: string, properties: Readonly<Record<string, unknown>>): string {
      const { created, problems } = createResource(this.simulation.resourceTypes(), `AWS::${type}`, properties);
      expect(problems).toEqual([]);
      return created.attributes['Arn'] ?? created.ref;
    }

    /** A function that logs its event. */
    createFunction(): string {
      const ZipFile =
        'exports.handler = async event => { console.log("event " + JSON.stringify(event.detail ?? event)); };';
      const props = { FunctionName: 'Fulfil', Role: this.roleArn, Handler: 'index.handler', Runtime: 'nodejs22.x' };
      return this.create('Lambda::Function', { ...props, Code: { ZipFile } });
    }

    /** The events that the function received. */
    reported(): readonly string[] {
      return this.simulation.logs
        .events('/aws/lambda/Fulfil')
        .flatMap(({ message }) => /event (.*)/.exec(message)?.slice(1) ?? []);
    }

    happened(type: string): readonly object[] {
      return this.simulation.trace.events.filter(it => it.type === type);
    }
  }

  async function inWhole(run: (whole: Whole) => Promise<void>): Promise<void> {
    const whole = new Whole();
    try {
      await run(whole);
    } finally {
      await whole.simulation.lambda.close();
    }
  }

  describe('a rule', () => {
    it('invokes a function whose policy lets it in, and no other', () =>
      inWhole(async whole => {
        const { simulation } = whole;
        const Arn = whole.createFunction();
        const Targets = [{ Id: 'f', Arn }];
        whole.create('Events::Rule', { Name: 'orders', EventPattern: { source: ['rental'] }, Targets });
        const put = (order: number) => {
          const Entries = [{ Source: 'rental', DetailType: 'x', Detail: JSON.stringify({ order }) }];
          simulation.events.call('PutEvents', OWNER, { Entries });
          return simulation.timeline.runUntilIdle();
        };
        await put(1);
        expect(whole.happened('events.dropped')).toMatchObject([{ errorCode: 'NO_PERMISSIONS', targetArn: Arn }]);
        whole.create('Lambda::Permission', {
          FunctionName: Arn,
          Action: 'lambda:InvokeFunction',
          Principal: 'events.amazonaws.com',
          SourceArn: RULE_ARN,
        });
        await put(2);
        expect(whole.reported()).toEqual(['{"order":2}']);
      }));

    it('publishes to a topic whose policy lets it in, encrypted with a key that does', () =>
      inWhole(async whole => {
        const allow = (Principal: object, Action: string | string[]) => ({
          Effect: 'Allow',
          Principal,
          Action,
          Resource: '*',
        });
        const events = { Service: 'events.amazonaws.com' };
        const owner = allow({ AWS: 'arn:aws:iam::123456789012:root' }, 'kms:*');
        const closed = whole.create('KMS::Key', { KeyPolicy: { Version: '2012-10-17', Statement: [owner] } });
        const open = whole.create('KMS::Key', {
          KeyPolicy: {
            Version: '2012-10-17',
            Statement: [owner, allow(events, ['kms:Decrypt', 'kms:GenerateDataKey*'])],
          },
        });
        const topics = [
          ['Closed', closed],
          ['Open', open],
        ].map(([TopicName, KmsMasterKeyId]) => {
          whole.create('SNS::Topic', { TopicName, KmsMasterKeyId });
          return `arn:aws:sns:us-east-1:123456789012:${TopicName}`;
        });
        const PolicyDocument = { Version: '2012-10-17', Statement: [allow(events, 'sns:Publish')] };
        whole.create('SNS::TopicPolicy', { Topics: topics, PolicyDocument });
        const Targets = topics.map((Arn, i) => ({ Id: `t${i}`, Arn }));
        whole.create('Events::Rule', { Name: 'orders', EventPattern: { source: ['rental'] }, Targets });
        const Entries = [{ Source: 'rental', DetailType: 'x', Detail: '{}' }];
        whole.simulation.events.call('PutEvents', OWNER, { Entries });
        await whole.simulation.timeline.runUntilIdle();
        expect(whole.happened('events.invoked')).toMatchObject([{ targetArn: topics[1] }]);
        expect(whole.happened('events.dropped')).toMatchObject([{ targetArn: topics[0], errorCode: 'NO_PERMISSIONS' }]);
      }));

    it('writes to a log group whose resource policy lets it in, and to no other', () =>
      inWhole(async whole => {
        const { simulation } = whole;
        const group = (name: string) => {
          simulation.logs.call('CreateLogGroup', OWNER, { logGroupName: name });
          return `arn:aws:logs:us-east-1:123456789012:log-group:${name}`;
        };
        const Targets = [group('/aws/events/open'), group('/closed')].map((Arn, i) => ({ Id: `t${i}`, Arn }));
        const Statement = [
          {
            Effect: 'Allow',
            Principal: { Service: ['events.amazonaws.com', 'delivery.logs.amazonaws.com'] },
            Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
            Resource: 'arn:aws:logs:us-east-1:123456789012:log-group:/aws/events/*:*',
          },
        ];
        const policyDocument = JSON.stringify({ Version: '2012-10-17', Statement });
        simulation.logs.call('PutResourcePolicy', OWNER, { policyName: 'TrustEventsToStoreLogEvents', policyDocument });
        whole.create('Events::Rule', { Name: 'orders', EventPattern: { source: ['rental'] }, Targets });
        const Entries = [{ Source: 'rental', DetailType: 'x', Detail: '{"order":1}' }];
        simulation.events.call('PutEvents', OWNER, { Entries });
        await simulation.timeline.runUntilIdle();
        const messages = simulation.logs
          .events('/aws/events/open')
          .map(({ message }) => JSON.parse(message) as unknown);
        expect(messages).toMatchObject([{ detail: { order: 1 } }]);
        expect(simulation.logs.events('/closed')).toEqual([]);
        expect(whole.happened('events.dropped')).toMatchObject([{ targetId: 't1', errorCode: 'NO_PERMISSIONS' }]);
      }));

    it('hears of alarms that change their state', () =>
      inWhole(async whole => {
        const { simulation } = whole;
        const queueArn = 'arn:aws:sqs:us-east-1:123456789012:Alarms';
        simulation.sqs.call('CreateQueue', OWNER, {
          QueueName: 'Alarms',
          Attributes: { Policy: queuePolicy(queueArn) },
        });
        whole.create('Events::Rule', {
          EventPattern: {
            source: ['aws.cloudwatch'],
            'detail-type': ['CloudWatch Alarm State Change'],
            detail: { alarmName: [{ prefix: 'Dead-' }], state: { value: ['ALARM'] } },
          },
          Targets: [{ Id: 'q', Arn: queueArn, InputPath: '$.detail.alarmName' }],
        });
        whole.create('CloudWatch::Alarm', {
          AlarmName: 'Dead-Letters',
          Namespace: 'AWS/Events',
          MetricName: 'PutEventsEntriesCount',
          Statistic: 'Sum',
          Period: 60,
          EvaluationPeriods: 1,
          Threshold: 0,
          ComparisonOperator: 'GreaterThanThreshold',
          TreatMissingData: 'notBreaching',
        });
        const Entries = [{ Source: 'rental', DetailType: 'x', Detail: '{}' }];
        simulation.events.call('PutEvents', OWNER, { Entries });
        await simulation.timeline.advanceTo(START_MS + 120_000);
        const QueueUrl = simulation.sqs.queueByArn(queueArn)?.url;
        const received = await simulation.sqs.call('ReceiveMessage', OWNER, { QueueUrl, WaitTimeSeconds: 0 });
        expect(received.Messages).toMatchObject([{ Body: '"Dead-Letters"' }]);
      }));
  });

  it('a schedule invokes a function, by a target of its own and by any action', () =>
    inWhole(async whole => {
      const Arn = whole.createFunction();
      const RoleArn = whole.roleArn;
      const shared = { ScheduleExpression: 'at(2026-01-01T00:05:00)', FlexibleTimeWindow: { Mode: 'OFF' } };
      whole.create('Scheduler::Schedule', { ...shared, Name: 'a', Target: { Arn, RoleArn, Input: '"templated"' } });
      const Input = JSON.stringify({ FunctionName: 'Fulfil', Payload: '"universal"' });
      const universal = { Arn: 'arn:aws:scheduler:::aws-sdk:lambda:invoke', RoleArn, Input };
      whole.create('Scheduler::Schedule', { ...shared, Name: 'b', Target: universal });
      await whole.simulation.timeline.advanceTo(START_MS + 600_000);
      expect([...whole.reported()].sort()).toEqual(['"templated"', '"universal"']);
      expect(whole.happened('scheduler.invoked')).toHaveLength(2);
    }));

  test('the same seed writes the same trace', async () => {
    const run = async (): Promise<string> => {
      const whole = new Whole();
      const { simulation } = whole;
      const queueArn = 'arn:aws:sqs:us-east-1:123456789012:Ticks';
      simulation.sqs.call('CreateQueue', OWNER, { QueueName: 'Ticks', Attributes: { Policy: queuePolicy(queueArn) } });
      const Targets = [{ Id: 'q', Arn: queueArn }];
      whole.create('Events::Rule', { Name: 'rule', ScheduleExpression: 'rate(7 minutes)', Targets });
      whole.create('Scheduler::Schedule', {
        Name: 'schedule',
        ScheduleExpression: 'cron(0/10 * * * ? *)',
        FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 },
        Target: { Arn: queueArn, RoleArn: whole.roleArn },
      });
      simulation.faults.set({
        service: 'sqs',
        action: 'SendMessage',
        fromMs: START_MS + 1_200_000,
        untilMs: START_MS + 1_800_000,
      });
      await simulation.timeline.advanceTo(START_MS + 3_600_000);
      return simulation.trace.toJsonLines();
    };
    const trace = await run();
    expect(trace).toContain('"type":"scheduler.invocation-failed"');
    expect(await run()).toBe(trace);
  });
});
