import { administrator } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/world/world';
import { createResource } from '../create-resource';
import { queuePolicy, START_MS } from './events-fixture';

const OWNER = administrator(EXAMPLE_PLACE.account);
const RULE_ARN = 'arn:aws:events:us-east-1:123456789012:rule/orders';

const trusting = (...services: string[]) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: services }, Action: 'sts:AssumeRole' }],
});

/** A whole embedded AWS with a role for functions and schedules that may do everything. */
class Whole {
  readonly world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('whole'), startAtMs: START_MS });

  constructor() {
    const trustPolicy = trusting('lambda.amazonaws.com', 'scheduler.amazonaws.com');
    this.world.iam.createRole({ roleName: 'All', trustPolicy });
    const Statement = [{ Effect: 'Allow', Action: '*', Resource: '*' }];
    this.world.iam.putRolePolicy('All', 'all', { Version: '2012-10-17', Statement });
  }

  get roleArn(): string {
    return 'arn:aws:iam::123456789012:role/All';
  }

  create(type: string, properties: Readonly<Record<string, unknown>>): string {
    const { created, problems } = createResource(this.world.resourceTypes(), `AWS::${type}`, properties);
    expect(problems).toEqual([]);
    return created.attributes['Arn'] ?? created.ref;
  }

  /** A function that writes what it is told into its log. */
  createFunction(): string {
    const ZipFile =
      'exports.handler = async event => { console.log("told " + JSON.stringify(event.detail ?? event)); };';
    const props = { FunctionName: 'Fulfil', Role: this.roleArn, Handler: 'index.handler', Runtime: 'nodejs22.x' };
    return this.create('Lambda::Function', { ...props, Code: { ZipFile } });
  }

  /** What the function was told. */
  reported(): readonly string[] {
    return this.world.logs
      .events('/aws/lambda/Fulfil')
      .flatMap(({ message }) => /told (.*)/.exec(message)?.slice(1) ?? []);
  }

  happened(type: string): readonly object[] {
    return this.world.trace.events.filter(it => it.type === type);
  }
}

async function inWhole(run: (whole: Whole) => Promise<void>): Promise<void> {
  const whole = new Whole();
  try {
    await run(whole);
  } finally {
    await whole.world.lambda.close();
  }
}

describe('a rule', () => {
  it('invokes a function whose policy lets it in, and no other', () =>
    inWhole(async whole => {
      const { world } = whole;
      const Arn = whole.createFunction();
      const Targets = [{ Id: 'f', Arn }];
      whole.create('Events::Rule', { Name: 'orders', EventPattern: { source: ['rental'] }, Targets });
      const put = (order: number) => {
        const Entries = [{ Source: 'rental', DetailType: 'x', Detail: JSON.stringify({ order }) }];
        world.events.call('PutEvents', OWNER, { Entries });
        return world.timeline.runUntilIdle();
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
      whole.world.events.call('PutEvents', OWNER, { Entries });
      await whole.world.timeline.runUntilIdle();
      expect(whole.happened('events.invoked')).toMatchObject([{ targetArn: topics[1] }]);
      expect(whole.happened('events.dropped')).toMatchObject([{ targetArn: topics[0], errorCode: 'NO_PERMISSIONS' }]);
    }));

  it('writes to a log group whose resource policy lets it in, and to no other', () =>
    inWhole(async whole => {
      const { world } = whole;
      const group = (name: string) => {
        world.logs.call('CreateLogGroup', OWNER, { logGroupName: name });
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
      world.logs.call('PutResourcePolicy', OWNER, { policyName: 'TrustEventsToStoreLogEvents', policyDocument });
      whole.create('Events::Rule', { Name: 'orders', EventPattern: { source: ['rental'] }, Targets });
      const Entries = [{ Source: 'rental', DetailType: 'x', Detail: '{"order":1}' }];
      world.events.call('PutEvents', OWNER, { Entries });
      await world.timeline.runUntilIdle();
      const messages = world.logs.events('/aws/events/open').map(({ message }) => JSON.parse(message) as unknown);
      expect(messages).toMatchObject([{ detail: { order: 1 } }]);
      expect(world.logs.events('/closed')).toEqual([]);
      expect(whole.happened('events.dropped')).toMatchObject([{ targetId: 't1', errorCode: 'NO_PERMISSIONS' }]);
    }));

  it('hears of alarms that change their state', () =>
    inWhole(async whole => {
      const { world } = whole;
      const queueArn = 'arn:aws:sqs:us-east-1:123456789012:Alarms';
      world.sqs.call('CreateQueue', OWNER, { QueueName: 'Alarms', Attributes: { Policy: queuePolicy(queueArn) } });
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
      world.events.call('PutEvents', OWNER, { Entries });
      await world.timeline.advanceTo(START_MS + 120_000);
      const QueueUrl = world.sqs.queueByArn(queueArn)?.url;
      const received = await world.sqs.call('ReceiveMessage', OWNER, { QueueUrl, WaitTimeSeconds: 0 });
      expect(received.Messages).toMatchObject([{ Body: '"Dead-Letters"' }]);
    }));
});

describe('a schedule', () => {
  it('invokes a function, by a target of its own and by any action', () =>
    inWhole(async whole => {
      const Arn = whole.createFunction();
      const RoleArn = whole.roleArn;
      const shared = { ScheduleExpression: 'at(2026-01-01T00:05:00)', FlexibleTimeWindow: { Mode: 'OFF' } };
      whole.create('Scheduler::Schedule', { ...shared, Name: 'a', Target: { Arn, RoleArn, Input: '"templated"' } });
      const Input = JSON.stringify({ FunctionName: 'Fulfil', Payload: '"universal"' });
      const universal = { Arn: 'arn:aws:scheduler:::aws-sdk:lambda:invoke', RoleArn, Input };
      whole.create('Scheduler::Schedule', { ...shared, Name: 'b', Target: universal });
      await whole.world.timeline.advanceTo(START_MS + 600_000);
      expect([...whole.reported()].sort()).toEqual(['"templated"', '"universal"']);
      expect(whole.happened('scheduler.invoked')).toHaveLength(2);
    }));
});

test('the same seed writes the same trace', async () => {
  const run = async (): Promise<string> => {
    const whole = new Whole();
    const { world } = whole;
    const queueArn = 'arn:aws:sqs:us-east-1:123456789012:Ticks';
    world.sqs.call('CreateQueue', OWNER, { QueueName: 'Ticks', Attributes: { Policy: queuePolicy(queueArn) } });
    const Targets = [{ Id: 'q', Arn: queueArn }];
    whole.create('Events::Rule', { Name: 'rule', ScheduleExpression: 'rate(7 minutes)', Targets });
    whole.create('Scheduler::Schedule', {
      Name: 'schedule',
      ScheduleExpression: 'cron(0/10 * * * ? *)',
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 5 },
      Target: { Arn: queueArn, RoleArn: whole.roleArn },
    });
    world.faults.set({
      service: 'sqs',
      action: 'SendMessage',
      fromMs: START_MS + 1_200_000,
      untilMs: START_MS + 1_800_000,
    });
    await world.timeline.advanceTo(START_MS + 3_600_000);
    return world.trace.toJsonLines();
  };
  const trace = await run();
  expect(trace).toContain('"type":"scheduler.invocation-failed"');
  expect(await run()).toBe(trace);
});
