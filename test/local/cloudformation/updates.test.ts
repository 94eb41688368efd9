import {
  CloudFormationClient,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { DeleteQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { AssemblyError, Ledger, LocalAws, StackFailed } from '../../../local';
import { assemblyOfTemplates } from '../../support/assembly';
import { policy as allow, arnOf, queue, type Resources, subscription, topic } from '../deploy-check/app-templates';

const FAN_OUT = { Topic: topic(), Queue: queue(), Policy: allow('Queue'), Sub: subscription('Topic', 'Queue') };

let aws: LocalAws;

afterEach(() => aws.close());

async function deploy(Resources: Resources, more: object = {}): Promise<void> {
  aws = await LocalAws.deploy(assemblyOfTemplates({ Test: { Resources, ...more } }));
}

const update = (Resources: Resources, more: object = {}) =>
  aws.update(assemblyOfTemplates({ Test: { Resources, ...more } }));

const sqs = () => new SQSClient({ ...aws.clientConfig(), maxAttempts: 1 });
const cloudFormation = () => new CloudFormationClient(aws.clientConfig());
const publish = (TopicArn: string) =>
  new SNSClient(aws.clientConfig()).send(new PublishCommand({ TopicArn, Message: 'm' }));
const send = (QueueUrl: string) => sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: 'm' }));

async function attributes(QueueUrl: string) {
  const all = await sqs().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  return all.Attributes ?? {};
}

/** The events of an operation: seconds since its start, resource and status. */
function steps(fromMs: number): readonly string[] {
  return aws.trace.events.flatMap(event => {
    const at = (event.atMs - fromMs) / 1000;
    if (event.type === 'cloudformation.stack-status') return [`${at} ${event.status}`];
    if (event.type !== 'cloudformation.resource-status') return [];
    return [`${at} ${event.logicalId} ${event.status}`];
  });
}

const statusOf = async (StackName = 'Test') =>
  (await cloudFormation().send(new DescribeStacksCommand({ StackName }))).Stacks?.[0]?.StackStatus;

describe('an update', () => {
  it('changes a queue in place, sets what is gone to the default, and keeps what was changed by hand', async () => {
    await deploy({ Queue: queue({ VisibilityTimeout: 60, DelaySeconds: 5, Tags: [{ Key: 'a', Value: 'b' }] }) });
    const { ref } = aws.resource('Queue');
    await aws.services.sqs.call('SetQueueAttributes', aws.services.sqs.owner, {
      QueueUrl: ref,
      Attributes: { MaximumMessageSize: '2048' },
    });
    expect(await update({ Queue: queue({ VisibilityTimeout: 90 }) })).toEqual(['Test']);
    expect(aws.resource('Queue').ref).toBe(ref);
    expect(await attributes(ref)).toMatchObject({
      VisibilityTimeout: '90',
      DelaySeconds: '0',
      MaximumMessageSize: '2048',
    });
    expect(await statusOf()).toBe('UPDATE_COMPLETE');
  });

  it('of nothing changes nothing', async () => {
    await deploy(FAN_OUT);
    const events = aws.trace.events.length;
    expect(await update(FAN_OUT)).toEqual([]);
    expect(aws.trace.events).toHaveLength(events);
  });

  it('replaces in the order of CloudFormation: create, change, then delete dependents first', async () => {
    await deploy({ ...FAN_OUT, Alone: queue() });
    const [old, startMs] = [aws.resource('Queue').ref, aws.nowMs];
    await update({ ...FAN_OUT, Queue: queue({ QueueName: 'other' }) });
    expect(steps(startMs)).toEqual([
      '0 UPDATE_IN_PROGRESS',
      '0 Queue UPDATE_IN_PROGRESS',
      '0 Queue UPDATE_IN_PROGRESS',
      '10 Queue UPDATE_COMPLETE',
      '10 Policy UPDATE_IN_PROGRESS',
      '10 Sub UPDATE_IN_PROGRESS',
      '10 Sub UPDATE_IN_PROGRESS',
      '20 Policy UPDATE_COMPLETE',
      '20 Sub UPDATE_COMPLETE',
      '20 UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
      '20 Alone DELETE_IN_PROGRESS',
      '20 Sub DELETE_IN_PROGRESS',
      '30 Alone DELETE_COMPLETE',
      '30 Sub DELETE_COMPLETE',
      '30 Queue DELETE_IN_PROGRESS',
      '40 Queue DELETE_COMPLETE',
      '40 UPDATE_COMPLETE',
    ]);
    expect(aws.state().queues.map(({ name }) => name)).toEqual(['other']);
    expect(old).not.toContain('other');
  });

  it('loses what the replaced queue held, and the ledger says so', async () => {
    await deploy(FAN_OUT);
    await publish(aws.resource('Topic').ref);
    await publish(aws.resource('Topic').ref);
    aws.timeline.after(15_000, () => publish(aws.resource('Topic').ref).then(() => {}));
    await update({ ...FAN_OUT, Queue: queue({ QueueName: 'other' }) });
    const accounts = Ledger.of(aws.trace.events).accounts();
    expect(accounts.map(({ published, lost, underWay }) => ({ published, lost, underWay }))).toEqual([
      { published: 3, lost: 3, underWay: 0 },
      // While both subscriptions exist, each gets the message.
      { published: 1, lost: 0, underWay: 1 },
    ]);
  });

  it.each([
    ['UpdateReplacePolicy', { UpdateReplacePolicy: 'Retain' }],
    ['both policies', { UpdateReplacePolicy: 'Retain', DeletionPolicy: 'Delete' }],
  ])('retains a replaced resource by %s', async (_, more) => {
    await deploy({ Queue: queue({}, more) });
    await update({ Queue: queue({ QueueName: 'other' }, more) });
    expect(aws.state().queues).toHaveLength(2);
  });

  it.each([
    ['Delete', 0],
    ['Retain', 1],
    ['RetainExceptOnCreate', 1],
  ])('a resource that is removed from the template follows the deletion policy %s', async (DeletionPolicy, left) => {
    await deploy({ Topic: topic(), Queue: queue({}, { DeletionPolicy }) });
    await update({ Topic: topic() });
    expect(aws.state().queues).toHaveLength(left);
  });

  it('cannot replace a resource with a fixed name', async () => {
    await deploy({ Queue: queue({ QueueName: 'fixed.fifo', FifoQueue: true }) });
    await expect(update({ Queue: queue({ QueueName: 'fixed.fifo' }) })).rejects.toThrow(
      /Test is UPDATE_ROLLBACK_COMPLETE: .*Queue .*custom-named resource requires replacing. Rename fixed.fifo and update/,
    );
    expect(await attributes(aws.resource('Queue').ref)).toMatchObject({ FifoQueue: 'true' });
  });

  it('follows a condition, and keeps the previous value of a parameter', async () => {
    const template = {
      Parameters: { With: { Type: 'String', Default: 'no' } },
      Conditions: { Wanted: { 'Fn::Equals': [{ Ref: 'With' }, 'yes'] } },
    };
    const resources = { Topic: topic(), Queue: queue({}, { Condition: 'Wanted' }) };
    await deploy(resources, template);
    const assembly = assemblyOfTemplates({ Test: { Resources: resources, ...template } });
    await aws.update(assembly, { parameters: { With: 'yes' } });
    expect(aws.state().queues).toHaveLength(1);
    expect(await aws.update(assembly)).toEqual([]);
    await aws.update(assembly, { parameters: { With: 'no' } });
    expect(aws.state().queues).toHaveLength(0);
  });

  it('of the type of a resource is refused before anything changes', async () => {
    await deploy({ It: queue(), Other: queue() });
    await expect(update({ It: topic(), Other: queue({ DelaySeconds: 5 }) })).rejects.toThrow(
      /Update of resource type is not permitted. The new template modifies resource type of the following resources: \[It\]/,
    );
    expect(await statusOf()).toBe('CREATE_COMPLETE');
  });

  it('with a wrong template is refused before anything changes', async () => {
    await deploy({ It: queue() });
    await expect(update({ It: queue({ DelaySeconds: { Ref: 'Nothing' } }) })).rejects.toThrow(AssemblyError);
    await expect(update({ It: queue({}, { DeletionPolicy: 'Keep' }) })).rejects.toThrow(
      'Test: It: DeletionPolicy must be one of Delete, Retain, RetainExceptOnCreate, Snapshot, got "Keep"',
    );
    expect(await statusOf()).toBe('CREATE_COMPLETE');
  });
});

describe('a rollback', () => {
  it('sets back what was changed, deletes what was created, and tells why', async () => {
    await deploy({ Queue: queue({ DelaySeconds: 5 }) });
    const startMs = aws.nowMs;
    const failing = update({
      Queue: queue({ DelaySeconds: 9 }),
      Dlq: queue(),
      Bad: queue({ RedrivePolicy: { deadLetterTargetArn: arnOf('Dlq'), maxReceiveCount: 5000 } }),
    });
    await expect(failing).rejects.toThrow(StackFailed);
    expect(steps(startMs)).toEqual([
      '0 UPDATE_IN_PROGRESS',
      '0 Queue UPDATE_IN_PROGRESS',
      '0 Dlq CREATE_IN_PROGRESS',
      '0 Dlq CREATE_IN_PROGRESS',
      '10 Queue UPDATE_COMPLETE',
      '10 Dlq CREATE_COMPLETE',
      '10 Bad CREATE_IN_PROGRESS',
      '10 Bad CREATE_FAILED',
      '10 UPDATE_ROLLBACK_IN_PROGRESS',
      '10 Queue UPDATE_IN_PROGRESS',
      '20 Queue UPDATE_COMPLETE',
      '20 UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS',
      '20 Dlq DELETE_IN_PROGRESS',
      '30 Dlq DELETE_COMPLETE',
      '30 UPDATE_ROLLBACK_COMPLETE',
    ]);
    expect(await attributes(aws.resource('Queue').ref)).toMatchObject({ DelaySeconds: '5' });
    expect(aws.state().queues).toHaveLength(1);
    expect(await update({ Queue: queue({ DelaySeconds: 9 }) })).toEqual(['Test']);
  });

  it.each([
    ['a queue', queue({ QueueName: 'taken' })],
    ['a topic', { Type: 'AWS::SNS::Topic', Properties: { TopicName: 'taken' } }],
    ['an event bus', { Type: 'AWS::Events::EventBus', Properties: { Name: 'taken' } }],
    ['a rule', { Type: 'AWS::Events::Rule', Properties: { Name: 'taken', ScheduleExpression: 'rate(1 day)' } }],
    ['a log group', { Type: 'AWS::Logs::LogGroup', Properties: { LogGroupName: 'taken' } }],
    ['a parameter', { Type: 'AWS::SSM::Parameter', Properties: { Name: 'taken', Type: 'String', Value: 'v' } }],
    ['a schedule group', { Type: 'AWS::Scheduler::ScheduleGroup', Properties: { Name: 'taken' } }],
    ['a secret', { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'taken', SecretString: 'v' } }],
    [
      'an alarm',
      {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: {
          AlarmName: 'taken',
          ComparisonOperator: 'GreaterThanThreshold',
          EvaluationPeriods: 1,
          MetricName: 'M',
          Namespace: 'N',
          Period: 60,
          Statistic: 'Sum',
          Threshold: 1,
        },
      },
    ],
  ])('leaves %s alone that had the name before', async (_, resource) => {
    await deploy({ First: resource });
    const { lastSeq } = aws.trace;
    await expect(update({ First: resource, Second: resource })).rejects.toThrow(/already.?exists/i);
    const deleted = aws.trace.since(lastSeq).filter(({ type }) => /deleted/.test(type));
    expect(deleted).toEqual([]);
    expect(await statusOf()).toBe('UPDATE_ROLLBACK_COMPLETE');
  });

  it('keeps the old deletion policy and dependencies of what did not change', async () => {
    const bad = queue({ DelaySeconds: 5000 }, { DependsOn: ['A', 'B'] });
    await deploy({ A: queue({}, { DeletionPolicy: 'Retain' }), B: queue({}, { DependsOn: 'A' }) });
    await expect(update({ A: queue({}, { DependsOn: 'B' }), B: queue(), Bad: bad })).rejects.toThrow(StackFailed);
    await aws.destroy('Test');
    expect(aws.state().queues).toHaveLength(1);
  });

  it('fails if a resource to set back was deleted by hand', async () => {
    await deploy({ Queue: queue({ DelaySeconds: 5 }) });
    await sqs().send(new DeleteQueueCommand({ QueueUrl: aws.resource('Queue').ref }));
    await expect(update({ Queue: queue({ DelaySeconds: 9 }) })).rejects.toThrow(/Test is UPDATE_ROLLBACK_FAILED/);
  });

  it.each([
    ['Delete', 0],
    ['Retain', 1],
    ['RetainExceptOnCreate', 0],
  ])('of a creation deletes a resource with the policy %s', async (DeletionPolicy, left) => {
    aws = LocalAws.start();
    const bad = queue({ DelaySeconds: 5000 }, { DependsOn: 'Queue' });
    await expect(update({ Queue: queue({}, { DeletionPolicy }), Bad: bad })).rejects.toThrow(
      'Test is ROLLBACK_COMPLETE',
    );
    expect(aws.state().queues).toHaveLength(left);
    expect(await update({ Topic: topic() })).toEqual(['Test']);
    expect(await statusOf()).toBe('CREATE_COMPLETE');
  });
});

it('a subscription and a policy with another logical id delete what took their place, because both are the same to SNS and SQS', async () => {
  await deploy(FAN_OUT);
  const { Policy, Sub, ...others } = FAN_OUT;
  await update({ ...others, NewPolicy: Policy, NewSub: Sub });
  await publish(aws.resource('Topic').ref);
  await aws.runUntilIdle();
  expect(aws.trace.events.filter(it => it.type === 'sqs.sent')).toEqual([]);
  expect(await attributes(aws.resource('Queue').ref)).not.toHaveProperty('Policy');
});

it('a subscription with another logical id and other attributes is refused, because SNS has one subscription of an endpoint', async () => {
  await deploy(FAN_OUT);
  const { Sub: _, ...others } = FAN_OUT;
  await expect(
    update({ ...others, NewSub: subscription('Topic', 'Queue', { RawMessageDelivery: true }) }),
  ).rejects.toThrow(/Test is UPDATE_ROLLBACK_COMPLETE: .*Subscription already exists with different attributes/);
  await publish(aws.resource('Topic').ref);
  await aws.advance({ seconds: 1 });
  expect(aws.trace.events.filter(it => it.type === 'sqs.sent')).toHaveLength(1);
});

describe('several stacks', () => {
  const producer = (name?: string) => ({
    Resources: { Queue: queue(name === undefined ? {} : { QueueName: name }) },
    Outputs: { Url: { Value: arnOf('Queue'), Export: { Name: 'queue' } } },
  });
  const consumer = {
    Resources: {
      Dead: queue({ RedriveAllowPolicy: { redrivePermission: 'denyAll' } }),
      Topic: topic({ DisplayName: { 'Fn::ImportValue': 'queue' } }),
    },
  };

  it.each([
    ['updated', { First: producer('other'), Second: consumer }],
    ['deleted', { First: { Resources: { Queue: queue() } }, Second: { Resources: { Topic: topic() } } }],
  ])('an export in use cannot be %s', async (verb, after) => {
    aws = await LocalAws.deploy(assemblyOfTemplates({ First: producer(), Second: consumer }));
    await expect(aws.update(assemblyOfTemplates(after))).rejects.toThrow(
      `First is UPDATE_ROLLBACK_COMPLETE: Export queue cannot be ${verb} as it is in use by Second`,
    );
    await expect(aws.destroy('First')).rejects.toThrow('Export queue cannot be deleted as it is in use by Second');
    await aws.destroy();
    expect(aws.stacks).toEqual([]);
  });

  it('a stack that the assembly no longer has stays, and a new one is created', async () => {
    aws = await LocalAws.deploy(assemblyOfTemplates({ First: producer() }));
    expect(await aws.update(assemblyOfTemplates({ Third: { Resources: { Topic: topic() } } }))).toEqual(['Third']);
    expect(aws.stacks.map(({ name }) => name)).toEqual(['First', 'Third']);
  });
});

describe('destroy', () => {
  it('deletes dependents first, retains what should stay, and forgets the name of the stack', async () => {
    await deploy({ ...FAN_OUT, Kept: queue({}, { DeletionPolicy: 'Retain' }) });
    await send(aws.resource('Queue').ref);
    const startMs = aws.nowMs;
    await aws.destroy('Test');
    expect(steps(startMs)).toEqual([
      '0 DELETE_IN_PROGRESS',
      '0 Kept DELETE_SKIPPED',
      '0 Sub DELETE_IN_PROGRESS',
      '0 Policy DELETE_IN_PROGRESS',
      '10 Sub DELETE_COMPLETE',
      '10 Topic DELETE_IN_PROGRESS',
      '10 Policy DELETE_COMPLETE',
      '10 Queue DELETE_IN_PROGRESS',
      '20 Topic DELETE_COMPLETE',
      '20 Queue DELETE_COMPLETE',
      '20 DELETE_COMPLETE',
    ]);
    expect(aws.trace.events).toContainEqual(expect.objectContaining({ type: 'sqs.queue-deleted', messages: 1 }));
    await expect(statusOf()).rejects.toThrow('Stack with id Test does not exist');
    await expect(aws.destroy('Test')).rejects.toThrow('there is no stack Test: the stacks are none');
  });

  it('does not mind what was deleted by hand', async () => {
    await deploy(FAN_OUT);
    await sqs().send(new DeleteQueueCommand({ QueueUrl: aws.resource('Queue').ref }));
    await aws.destroy();
    expect(aws.state().queues).toEqual([]);
  });

  it('of a stack and its creation again make other names, and a fixed one of a queue needs 60 seconds', async () => {
    await deploy({ Queue: queue() });
    const { ref } = aws.resource('Queue');
    const assembly = assemblyOfTemplates({ Test: { Resources: { Queue: queue() } } });
    await aws.destroy();
    await aws.update(assembly);
    expect(aws.resource('Queue').ref).not.toBe(ref);
    await aws.destroy();
    await update({ Queue: queue({ QueueName: 'fixed' }) });
    await aws.destroy();
    await expect(update({ Queue: queue({ QueueName: 'fixed' }) })).rejects.toThrow(/You must wait 60 seconds/);
    const events = await cloudFormation().send(new DescribeStackEventsCommand({ StackName: 'Test' }));
    expect(events.StackEvents?.[0]).toMatchObject({ ResourceStatus: 'ROLLBACK_COMPLETE', LogicalResourceId: 'Test' });
  });
});
