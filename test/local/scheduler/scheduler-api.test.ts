import {
  CreateScheduleCommand,
  type CreateScheduleInput,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListSchedulesCommand,
  SchedulerClient,
  type Target,
} from '@aws-sdk/client-scheduler';
import { clientConfig } from '../../../local/facade/client';
import { administrator, roleCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Simulation } from '../../../local/simulation';
import { createResource } from '../create-resource';
import { ADMIN, BUS_ARN, FUNCTION_ARN, refusal, SchedulerFixture, START_MS, TOPIC_ARN } from './scheduler-fixture';

const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Ticks';
const UNIVERSAL = 'arn:aws:scheduler:::aws-sdk:sqs';
const STARTED = new Date(START_MS);

describe('a schedule', () => {
  it('is read as it was written, with what AWS fills in', () => {
    const aws = new SchedulerFixture();
    const Arn = 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick';
    expect(aws.create('rate(5 minutes)', { Description: 'ticks', StartDate: STARTED })).toBe(Arn);
    expect(aws.scheduler.call('GetSchedule', ADMIN, { Name: 'tick' })).toEqual({
      ActionAfterCompletion: 'NONE',
      Arn,
      CreationDate: STARTED,
      Description: 'ticks',
      FlexibleTimeWindow: { Mode: 'OFF' },
      GroupName: 'default',
      LastModificationDate: STARTED,
      Name: 'tick',
      ScheduleExpression: 'rate(5 minutes)',
      ScheduleExpressionTimezone: 'UTC',
      StartDate: STARTED,
      State: 'ENABLED',
      Target: {
        Arn: FUNCTION_ARN,
        RoleArn: aws.role,
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      },
    });
  });

  it('put in the place of another has nothing left of it', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { Description: 'ticks' });
    await aws.goTo(1);
    aws.scheduler.call('UpdateSchedule', ADMIN, {
      Name: 'tick',
      ScheduleExpression: 'rate(2 hours)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: TOPIC_ARN, RoleArn: aws.role },
    });
    const updated = aws.scheduler.call('GetSchedule', ADMIN, { Name: 'tick' });
    expect(updated).toMatchObject({ ScheduleExpression: 'rate(2 hours)', CreationDate: STARTED });
    expect(updated.LastModificationDate).toEqual(new Date(START_MS + 60_000));
    expect(updated).not.toHaveProperty('Description');
  });

  it('is listed by group, beginning of name and state', () => {
    const aws = new SchedulerFixture();
    aws.scheduler.call('CreateScheduleGroup', ADMIN, { Name: 'nightly' });
    aws.create('rate(1 hour)');
    aws.create('rate(1 hour)', { Name: 'tock', GroupName: 'nightly', State: 'DISABLED' });
    const names = (input: object) =>
      aws.scheduler.call('ListSchedules', ADMIN, input).Schedules?.map(({ Name }) => Name);
    expect(names({})).toEqual(['tick', 'tock']);
    expect(names({ GroupName: 'nightly' })).toEqual(['tock']);
    expect(names({ NamePrefix: 'ti' })).toEqual(['tick']);
    expect(names({ State: 'DISABLED' })).toEqual(['tock']);
    const { NextToken, Schedules } = aws.scheduler.call('ListSchedules', ADMIN, { MaxResults: 1 });
    expect(Schedules).toEqual([
      expect.objectContaining({
        Name: 'tick',
        GroupName: 'default',
        State: 'ENABLED',
        Target: { Arn: FUNCTION_ARN },
      }),
    ]);
    expect(names({ NextToken })).toEqual(['tock']);
  });

  it('is one of its name in its group', () => {
    const aws = new SchedulerFixture();
    aws.create('rate(1 hour)');
    expect(refusal(() => aws.create('rate(1 hour)'))).toBe('ConflictException 409: Schedule tick already exists.');
    expect(refusal(() => aws.create('rate(1 hour)', { GroupName: 'gone' }))).toBe(
      'ResourceNotFoundException 404: Schedule group gone does not exist.',
    );
    expect(refusal(() => aws.scheduler.call('GetSchedule', ADMIN, { Name: 'gone' }))).toBe(
      'ResourceNotFoundException 404: Schedule gone does not exist.',
    );
    expect(refusal(() => aws.scheduler.call('DeleteSchedule', ADMIN, { Name: 'gone' }))).toContain('does not exist');
  });

  // Recorded on AWS, or measured by cdk-preflight.
  it.each<[string, Partial<CreateScheduleInput>, string]>([
    ['cron(0 1 * * * *)', {}, 'Invalid Schedule Expression cron(0 1 * * * *).'],
    ['rate(10 seconds)', {}, 'Invalid Schedule Expression rate(10 seconds).'],
    ['at(2021-12-31T23:59:59Z)', {}, 'Invalid Schedule Expression at(2021-12-31T23:59:59Z).'],
    [
      'rate(1 hour)',
      { ScheduleExpressionTimezone: 'Mars/Crater' },
      'Invalid Schedule Expression Timezone Mars/Crater.',
    ],
    [
      'rate(1 hour)',
      { FlexibleTimeWindow: { Mode: 'OFF', MaximumWindowInMinutes: 5 } },
      'MaximumWindowInMinutes must not be provided when FlexibleTimeWindowMode is set to OFF.',
    ],
    [
      'rate(1 hour)',
      { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } },
      'MaximumWindowInMinutes must be provided when FlexibleTimeWindowMode is set to FLEXIBLE.',
    ],
    [
      'rate(1 hour)',
      { StartDate: new Date(START_MS + 2000), EndDate: new Date(START_MS + 2000) },
      'The StartDate you specify must come before the EndDate.',
    ],
    [
      'rate(1 hour)',
      { StartDate: new Date(START_MS - 300_001) },
      'The StartDate you specify cannot be earlier than 5 minutes ago.',
    ],
    [
      'rate(1 hour)',
      { Name: 'a b', State: 'ON' as 'ENABLED' },
      "2 validation errors detected: Value 'a b' at 'name' failed to satisfy constraint: Member must satisfy regular expression " +
        "pattern: [0-9a-zA-Z-_.]+; Value 'ON' at 'state' failed to satisfy constraint: Member must satisfy enum value set: " +
        '[ENABLED, DISABLED]',
    ],
    [
      'rate(1 hour)',
      { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 1441 } },
      "1 validation error detected: Value '1441' at 'flexibleTimeWindow.maximumWindowInMinutes' failed to satisfy constraint: " +
        'Member must have value less than or equal to 1440',
    ],
  ])('%s with %j is refused', (expression, input, text) => {
    expect(refusal(() => new SchedulerFixture().create(expression, input))).toBe(`ValidationException 400: ${text}`);
  });
});

describe('a target', () => {
  // Measured by cdk-preflight.
  it.each<[Partial<Target>, string]>([
    [{ Arn: `${QUEUE}.fifo` }, 'Parameters SqsParameters must be specified.'],
    [{ Arn: QUEUE, SqsParameters: { MessageGroupId: 'x' } }, 'Parameters MessageGroupId not valid for the target.'],
    [{ SqsParameters: { MessageGroupId: 'x' } }, 'Parameters SqsParameters not supported for the target.'],
    [{ Arn: BUS_ARN, Input: '{}' }, 'Parameters EventBridgeParameters must be specified.'],
    [{ Input: 'hello' }, 'JSON syntax error in input for the target.'],
    [
      { Arn: FUNCTION_ARN.replace('us-east-1', 'eu-west-1') },
      'The target ARN provided does not match the current region us-east-1.',
    ],
    [{ Arn: 'arn:aws:s3:::bucket' }, 's3 is not a supported service for a target.'],
    [
      { Arn: 'arn:aws:scheduler:us-east-1:123456789012:aws-sdk:sqs:sendMessage' },
      'scheduler is not a supported service for a target.',
    ],
    [{ Arn: `${UNIVERSAL}:sendMessage` }, 'You must provide an input to set this target for your schedule.'],
    [{ Arn: `${UNIVERSAL}:getQueueUrl`, Input: '{}' }, 'getQueueUrl API is not supported.'],
    [{ DeadLetterConfig: { Arn: TOPIC_ARN } }, 'sns is not supported as a dead letter resource.'],
    [{ DeadLetterConfig: { Arn: `${QUEUE}.fifo` } }, 'SQS FIFO is not supported by Dead Letter Queues.'],
    [
      { RetryPolicy: { MaximumRetryAttempts: 186 } },
      "1 validation error detected: Value '186' at 'target.retryPolicy.maximumRetryAttempts' failed to satisfy constraint: " +
        'Member must have value less than or equal to 185',
    ],
  ])('%j is refused', (target, text) => {
    const create = () => new SchedulerFixture().create('rate(1 hour)', { Target: target });
    expect(refusal(create)).toBe(`ValidationException 400: ${text}`);
  });

  it.each([
    'arn:aws:kinesis:us-east-1:123456789012:stream/s',
    'arn:aws:scheduler:::aws-sdk:ec2:startInstances',
    'arn:aws:scheduler:::aws-sdk:sqs:doSomething',
  ])('%s, which the embedded AWS does not have, is refused by name', Arn => {
    const create = () => new SchedulerFixture().create('rate(1 hour)', { Target: { Arn, Input: '{}' } });
    expect(refusal(create)).toMatch(/^NotImplemented 501: /);
  });

  it('takes a role that trusts Scheduler', () => {
    const aws = new SchedulerFixture();
    const text =
      'ValidationException 400: The execution role you provide must allow AWS EventBridge Scheduler to assume the role.';
    const gone = 'arn:aws:iam::123456789012:role/Gone';
    expect(refusal(() => aws.create('rate(1 hour)', { Target: { RoleArn: gone } }))).toBe(text);
    const RoleArn = aws.roleTrusting('lambda.amazonaws.com');
    expect(refusal(() => aws.create('rate(1 hour)', { Target: { RoleArn } }))).toBe(text);
  });

  it('refuses a role that the caller may not pass', () => {
    const aws = new SchedulerFixture();
    const deployer = aws.createRole(
      'Deployer',
      {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: 'x.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      },
      ['scheduler:*'],
    );
    const create = () =>
      aws.scheduler.call('CreateSchedule', roleCaller(deployer), {
        Name: 'tick',
        ScheduleExpression: 'rate(1 hour)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        Target: { Arn: FUNCTION_ARN, RoleArn: aws.role },
      });
    expect(refusal(create)).toBe(
      `AccessDeniedException 403: User: ${deployer} is not authorized to perform: iam:PassRole on resource: ${aws.role}`,
    );
    aws.iam.putRolePolicy('Deployer', 'pass', {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'iam:PassRole', Resource: aws.role }],
    });
    expect(refusal(create)).toBe('accepted');
  });
});

describe('a group of schedules', () => {
  it('is created, read, listed, tagged and deleted', () => {
    const { scheduler } = new SchedulerFixture();
    const Arn = 'arn:aws:scheduler:us-east-1:123456789012:schedule-group/nightly';
    const Tags = [{ Key: 'team', Value: 'rental' }];
    expect(scheduler.call('CreateScheduleGroup', ADMIN, { Name: 'nightly', Tags })).toEqual({
      ScheduleGroupArn: Arn,
    });
    const described = { Arn, CreationDate: STARTED, LastModificationDate: STARTED, Name: 'nightly', State: 'ACTIVE' };
    expect(scheduler.call('GetScheduleGroup', ADMIN, { Name: 'nightly' })).toEqual(described);
    expect(scheduler.call('ListScheduleGroups', ADMIN, {}).ScheduleGroups).toMatchObject([
      { Name: 'default' },
      described,
    ]);
    scheduler.call('TagResource', ADMIN, { ResourceArn: Arn, Tags: [{ Key: 'a', Value: 'b' }] });
    scheduler.call('UntagResource', ADMIN, { ResourceArn: Arn, TagKeys: ['team'] });
    expect(scheduler.call('ListTagsForResource', ADMIN, { ResourceArn: Arn })).toEqual({
      Tags: [{ Key: 'a', Value: 'b' }],
    });
    scheduler.call('DeleteScheduleGroup', ADMIN, { Name: 'nightly' });
    expect(refusal(() => scheduler.call('GetScheduleGroup', ADMIN, { Name: 'nightly' }))).toBe(
      'ResourceNotFoundException 404: Schedule group nightly does not exist.',
    );
  });

  it.each(['CreateScheduleGroup', 'DeleteScheduleGroup'] as const)('called default has no %s', action => {
    const { scheduler } = new SchedulerFixture();
    expect(refusal(() => scheduler.call(action, ADMIN, { Name: 'default' }))).toBe(
      'ValidationException 400: This operation cannot be performed on schedule group default.',
    );
  });

  it('is one of its name', () => {
    const { scheduler } = new SchedulerFixture();
    const create = () => scheduler.call('CreateScheduleGroup', ADMIN, { Name: 'nightly' });
    expect([refusal(create), refusal(create)]).toEqual([
      'accepted',
      'ConflictException 409: Schedule group nightly already exists.',
    ]);
  });
});

describe('in a simulation', () => {
  const OWNER = administrator(EXAMPLE_PLACE.account);
  const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Ticks';

  const STATEMENT = { Effect: 'Allow', Action: '*', Resource: '*' };

  /** A whole embedded AWS with a queue, and a role that EventBridge Scheduler may assume. */
  function simulationWithQueue() {
    const simulation = new Simulation({ place: EXAMPLE_PLACE, random: new Random('scheduler'), startAtMs: START_MS })
      .home;
    simulation.sqs.call('CreateQueue', OWNER, { QueueName: 'Ticks' });
    const principal = { Effect: 'Allow', Principal: { Service: 'scheduler.amazonaws.com' }, Action: 'sts:AssumeRole' };
    const trustPolicy = { Version: '2012-10-17', Statement: [principal] };
    const { arn: RoleArn } = simulation.iam.createRole({ roleName: 'Scheduler', trustPolicy });
    simulation.iam.putRolePolicy('Scheduler', 'all', { Version: '2012-10-17', Statement: [STATEMENT] });
    const create = (type: string, properties: Readonly<Record<string, unknown>>) =>
      createResource(simulation.resourceTypes(), `AWS::Scheduler::${type}`, properties);
    const bodies = async () => {
      const QueueUrl = simulation.sqs.queueByArn(QUEUE)?.url;
      const answer = await simulation.sqs.call('ReceiveMessage', OWNER, {
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
      });
      return (answer.Messages ?? []).map(({ Body }) => Body);
    };
    return { simulation, create, bodies, RoleArn };
  }

  describe('the EventBridge Scheduler client of the AWS SDK', () => {
    it('creates a schedule that comes to the queue, and reads it back', async () => {
      const { simulation, bodies, RoleArn } = simulationWithQueue();
      const client = new SchedulerClient(clientConfig(simulation.network, EXAMPLE_PLACE));
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
      await simulation.timeline.advanceTo(START_MS + 2 * 86_400_000);
      expect(await bodies()).toEqual(['{"at":"2026-01-01T08:00:00Z"}']);
    });

    it('gets errors with the HTTP status of AWS', async () => {
      const { simulation } = simulationWithQueue();
      const client = new SchedulerClient(clientConfig(simulation.network, EXAMPLE_PLACE));
      await expect(client.send(new GetScheduleCommand({ Name: 'gone' }))).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
        message: 'Schedule gone does not exist.',
        $metadata: { httpStatusCode: 404 },
      });
    });
  });

  test('AWS::Scheduler::Schedule invokes a service by a universal target', async () => {
    const { simulation, create, bodies, RoleArn } = simulationWithQueue();
    const group = create('ScheduleGroup', { Name: 'nightly', Tags: [{ Key: 'a', Value: 'b' }] });
    expect(group).toMatchObject({ problems: [], created: { ref: 'nightly', attributes: { State: 'ACTIVE' } } });
    const Input = JSON.stringify({ QueueUrl: simulation.sqs.queueByArn(QUEUE)?.url, MessageBody: 'tick' });
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
    await simulation.timeline.advanceTo(START_MS + 2 * 3_600_000);
    expect(await bodies()).toEqual(['tick', 'tick']);
  });

  test('a universal target may be Scheduler itself', async () => {
    const { simulation, create, RoleArn } = simulationWithQueue();
    const { problems } = create('Schedule', {
      ScheduleExpression: 'at(2026-01-01T00:30:00)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: 'arn:aws:scheduler:::aws-sdk:scheduler:createScheduleGroup', RoleArn, Input: '{"Name":"made"}' },
    });
    expect(problems).toEqual([]);
    await simulation.timeline.advanceTo(START_MS + 3_600_000);
    const client = new SchedulerClient(clientConfig(simulation.network, EXAMPLE_PLACE));
    const { CreationDate } = await client.send(new GetScheduleGroupCommand({ Name: 'made' }));
    expect(CreationDate).toEqual(new Date(START_MS + 1_800_000));
  });

  test('AWS::Scheduler::Schedule fails the deploy by what AWS refuses, and by what is not implemented', () => {
    const { create, RoleArn } = simulationWithQueue();
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
    expect(create('Schedule', { ...schedule, Target: { ...schedule.Target, KinesisParameters: {} } }).problems).toEqual(
      ['Target.KinesisParameters is not implemented by the embedded AWS'],
    );
  });
});
