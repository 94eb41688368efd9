import {
  CreateArchiveCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { clientConfig } from '../../../local/facade/client-config';
import { administrator } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/world/world';
import { createResource } from '../create-resource';
import { queuePolicy, START_MS } from './events-fixture';

const OWNER = administrator(EXAMPLE_PLACE.account);
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Orders';

/** A whole embedded AWS with a queue that lets EventBridge in. */
function worldWithQueue() {
  const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('events'), startAtMs: START_MS });
  world.sqs.call('CreateQueue', OWNER, { QueueName: 'Orders', Attributes: { Policy: queuePolicy(QUEUE) } });
  const create = (type: string, properties: Readonly<Record<string, unknown>>) =>
    createResource(world.resourceTypes(), `AWS::Events::${type}`, properties);
  const bodies = async () => {
    await world.timeline.runUntilIdle();
    const QueueUrl = world.sqs.queueByArn(QUEUE)?.url;
    const answer = await world.sqs.call('ReceiveMessage', OWNER, {
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
    });
    return (answer.Messages ?? []).map(({ Body }) => Body);
  };
  return { world, create, bodies };
}

describe('the EventBridge client of the AWS SDK', () => {
  it('puts a rule, its target and an event that comes to the queue', async () => {
    const { world, bodies } = worldWithQueue();
    const client = new EventBridgeClient(clientConfig(world.network, EXAMPLE_PLACE));
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

  it('is told what is wrong with a pattern, and what is not there at all', async () => {
    const { world } = worldWithQueue();
    const client = new EventBridgeClient(clientConfig(world.network, EXAMPLE_PLACE));
    await expect(client.send(new PutRuleCommand({ Name: 'r', EventPattern: '{"source":[]}' }))).rejects.toMatchObject({
      name: 'InvalidEventPatternException',
      message: expect.stringContaining('Event pattern is not valid. Reason: Empty arrays are not allowed'),
      $metadata: { httpStatusCode: 400 },
    });
    const archive = { ArchiveName: 'a', EventSourceArn: 'arn:aws:events:us-east-1:123456789012:event-bus/default' };
    await expect(client.send(new CreateArchiveCommand(archive))).rejects.toMatchObject({
      message: 'The embedded AWS does not implement events:CreateArchive.',
      $metadata: { httpStatusCode: 501 },
    });
  });
});

describe('AWS::Events::Rule', () => {
  it('is a rule with its targets', async () => {
    const { world, create, bodies } = worldWithQueue();
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
    world.events.call('PutEvents', OWNER, { Entries });
    expect(await bodies()).toEqual(['{"order": 5}']);
    expect(world.events.call('ListTargetsByRule', OWNER, { Rule: created.ref }).Targets).toMatchObject([
      { RetryPolicy: { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 60 }, DeadLetterConfig: { Arn: QUEUE } },
    ]);
  });

  it('on a bus of its own is named by both', () => {
    const { world, create } = worldWithQueue();
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
    const { Tags } = world.events.call('ListTagsForResource', OWNER, { ResourceARN: bus.attributes['Arn'] });
    expect(Tags).toEqual([{ Key: 'team', Value: 'rental' }]);
  });

  it('fails the deploy by what AWS refuses, and by what is not implemented', () => {
    const { create } = worldWithQueue();
    expect(create('Rule', { EventPattern: { source: [] } }).problems).toEqual([
      expect.stringMatching(/^EventPattern is refused \(InvalidEventPatternException: .*Empty arrays are not allowed/s),
    ]);
    expect(create('Rule', { ScheduleExpression: 'rate(5 minute)' }).problems).toEqual([
      'ScheduleExpression is refused (ValidationException: Parameter ScheduleExpression is not valid.)',
    ]);
    const Arn = 'arn:aws:kinesis:us-east-1:123456789012:stream/s';
    expect(create('Rule', { EventPattern: { source: ['x'] }, Targets: [{ Id: 't', Arn }] }).problems).toEqual([
      `Targets is refused (NotImplemented: The embedded AWS does not implement the EventBridge target ${Arn}.)`,
    ]);
    const target = { Id: 't', Arn: QUEUE, EcsParameters: { TaskCount: 1 } };
    expect(create('Rule', { Name: 'x', EventPattern: { source: ['x'] }, Targets: [target] }).problems).toEqual([
      'Targets[0].EcsParameters is not implemented by the embedded AWS',
    ]);
  });
});

test('AWS::Events::EventBusPolicy adds statements to the policy of a bus', () => {
  const { world, create } = worldWithQueue();
  const Statement = {
    Effect: 'Allow',
    Principal: { AWS: '111111111111' },
    Action: 'events:PutEvents',
    Resource: 'arn:aws:events:us-east-1:123456789012:event-bus/default',
  };
  expect(create('EventBusPolicy', { StatementId: 'a', Statement }).problems).toEqual([]);
  const parts = { StatementId: 'b', Action: 'events:PutEvents', Principal: '222222222222' };
  expect(create('EventBusPolicy', parts).problems).toEqual([]);
  expect(create('EventBusPolicy', { StatementId: 'a', Statement: { ...Statement, Principal: '*' } }).problems).toEqual(
    [],
  );
  const { Policy = '' } = world.events.call('DescribeEventBus', OWNER, {});
  expect(JSON.parse(Policy)).toMatchObject({ Statement: [{ Sid: 'b' }, { Sid: 'a', Principal: '*' }] });
});
