import {
  CreateScheduleCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { clientConfig } from '../../../local/facade/client-config';
import { administrator } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/world/world';
import { createResource } from '../create-resource';
import { START_MS } from './scheduler-fixture';

const OWNER = administrator(EXAMPLE_PLACE.account);
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Ticks';

const STATEMENT = { Effect: 'Allow', Action: '*', Resource: '*' };

/** A whole embedded AWS with a queue, and a role that EventBridge Scheduler may assume. */
function worldWithQueue() {
  const world = new Simulation({ place: EXAMPLE_PLACE, random: new Random('scheduler'), startAtMs: START_MS });
  world.sqs.call('CreateQueue', OWNER, { QueueName: 'Ticks' });
  const principal = { Effect: 'Allow', Principal: { Service: 'scheduler.amazonaws.com' }, Action: 'sts:AssumeRole' };
  const trustPolicy = { Version: '2012-10-17', Statement: [principal] };
  const { arn: RoleArn } = world.iam.createRole({ roleName: 'Scheduler', trustPolicy });
  world.iam.putRolePolicy('Scheduler', 'all', { Version: '2012-10-17', Statement: [STATEMENT] });
  const create = (type: string, properties: Readonly<Record<string, unknown>>) =>
    createResource(world.resourceTypes(), `AWS::Scheduler::${type}`, properties);
  const bodies = async () => {
    const QueueUrl = world.sqs.queueByArn(QUEUE)?.url;
    const answer = await world.sqs.call('ReceiveMessage', OWNER, {
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
    });
    return (answer.Messages ?? []).map(({ Body }) => Body);
  };
  return { world, create, bodies, RoleArn };
}

describe('the EventBridge Scheduler client of the AWS SDK', () => {
  it('creates a schedule that comes to the queue, and reads it back', async () => {
    const { world, bodies, RoleArn } = worldWithQueue();
    const client = new SchedulerClient(clientConfig(world.network, EXAMPLE_PLACE));
    const EndDate = new Date(START_MS + 86_400_000);
    const created = await client.send(
      new CreateScheduleCommand({
        Name: 'tick',
        ScheduleExpression: 'cron(0 9 * * ? *)',
        ScheduleExpressionTimezone: 'Europe/Berlin',
        EndDate,
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: QUEUE, RoleArn, Input: '{"at":"<aws.scheduler.scheduled-time>"}' },
      }),
    );
    expect(created.ScheduleArn).toBe('arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick');
    const read = await client.send(new GetScheduleCommand({ Name: 'tick', GroupName: 'default' }));
    expect(read).toMatchObject({ EndDate, ScheduleExpressionTimezone: 'Europe/Berlin', State: 'ENABLED' });
    const { Schedules } = await client.send(new ListSchedulesCommand({ NamePrefix: 't' }));
    expect(Schedules).toMatchObject([{ Name: 'tick', CreationDate: new Date(START_MS) }]);
    await world.timeline.advanceTo(START_MS + 2 * 86_400_000);
    expect(await bodies()).toEqual(['{"at":"2026-01-01T08:00:00Z"}']);
  });

  it('is told what is wrong, with the status AWS has for it', async () => {
    const { world } = worldWithQueue();
    const client = new SchedulerClient(clientConfig(world.network, EXAMPLE_PLACE));
    await expect(client.send(new GetScheduleCommand({ Name: 'gone' }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Schedule gone does not exist.',
      $metadata: { httpStatusCode: 404 },
    });
  });
});

test('AWS::Scheduler::Schedule invokes a service by a universal target', async () => {
  const { world, create, bodies, RoleArn } = worldWithQueue();
  const group = create('ScheduleGroup', { Name: 'nightly', Tags: [{ Key: 'a', Value: 'b' }] });
  expect(group).toMatchObject({ problems: [], created: { ref: 'nightly', attributes: { State: 'ACTIVE' } } });
  const Input = JSON.stringify({ QueueUrl: world.sqs.queueByArn(QUEUE)?.url, MessageBody: 'tick' });
  const { created, problems } = create('Schedule', {
    GroupName: group.created.ref,
    ScheduleExpression: 'rate(1 hour)',
    StartDate: '2026-01-01T00:30:00.000Z',
    State: 'ENABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: {
      Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage',
      RoleArn,
      Input,
      RetryPolicy: { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 60 },
      DeadLetterConfig: { Arn: QUEUE },
    },
  });
  expect(problems).toEqual([]);
  expect(created).toEqual({
    ref: 'Rental-Thing-1A2B3C',
    attributes: { Arn: 'arn:aws:scheduler:us-east-1:123456789012:schedule/nightly/Rental-Thing-1A2B3C' },
  });
  await world.timeline.advanceTo(START_MS + 2 * 3_600_000);
  expect(await bodies()).toEqual(['tick', 'tick']);
});

test('a universal target may be Scheduler itself', async () => {
  const { world, create, RoleArn } = worldWithQueue();
  const { problems } = create('Schedule', {
    ScheduleExpression: 'at(2026-01-01T00:30:00)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: 'arn:aws:scheduler:::aws-sdk:scheduler:createScheduleGroup', RoleArn, Input: '{"Name":"made"}' },
  });
  expect(problems).toEqual([]);
  await world.timeline.advanceTo(START_MS + 3_600_000);
  const client = new SchedulerClient(clientConfig(world.network, EXAMPLE_PLACE));
  const { CreationDate } = await client.send(new GetScheduleGroupCommand({ Name: 'made' }));
  expect(CreationDate).toEqual(new Date(START_MS + 1_800_000));
});

test('AWS::Scheduler::Schedule fails the deploy by what AWS refuses, and by what is not implemented', () => {
  const { create, RoleArn } = worldWithQueue();
  const schedule = {
    ScheduleExpression: 'rate(1 hour)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target: { Arn: QUEUE, RoleArn },
  };
  expect(create('Schedule', { ...schedule, ScheduleExpression: 'rate(0 hours)' }).problems).toEqual([
    'ScheduleExpression is refused (ValidationException: Invalid Schedule Expression rate(0 hours).)',
  ]);
  expect(create('Schedule', { ...schedule, GroupName: 'gone' }).problems).toEqual([
    'GroupName is refused (ResourceNotFoundException: Schedule group gone does not exist.)',
  ]);
  const target = { ...schedule.Target, Arn: `${QUEUE}.fifo` };
  expect(create('Schedule', { ...schedule, Target: target }).problems).toEqual([
    'Target is refused (ValidationException: Parameters SqsParameters must be specified.)',
  ]);
  expect(create('Schedule', { ...schedule, StartDate: '2026-01-02T00:00:00Z' }).problems).toEqual([
    'StartDate needs to follow the format yyyy-MM-ddTHH:mm:ss.SSSZ',
  ]);
  expect(create('Schedule', { ...schedule, Target: { ...schedule.Target, KinesisParameters: {} } }).problems).toEqual([
    'Target.KinesisParameters is not implemented by the embedded AWS',
  ]);
});
