import { AwsError } from '../../../local/kernel/aws-error';
import { roleCaller } from '../../../local/kernel/caller';
import { ADMIN, BUS_ARN, FUNCTION_ARN, refusal, SchedulerFixture, START_MS, TOPIC_ARN } from './scheduler-fixture';

const ONCE = 'at(2026-01-01T00:05:00)';
const SCHEDULE_ARN = 'arn:aws:scheduler:us-east-1:123456789012:schedule/default/tick';

describe('the target of a schedule', () => {
  it('may be a function, which gets the event AWS documents when it is given no input', async () => {
    const aws = new SchedulerFixture();
    aws.create(ONCE);
    await aws.goTo(10);
    expect(aws.invoked).toMatchObject([
      { caller: roleCaller(aws.role), input: { FunctionName: FUNCTION_ARN, InvocationType: 'Event' } },
    ]);
    expect(JSON.parse(aws.invoked[0]?.input.Payload ?? '')).toEqual({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account: '123456789012',
      time: '2026-01-01T00:05:00Z',
      region: 'us-east-1',
      resources: [SCHEDULE_ARN],
      detail: '{}',
    });
  });

  it('gets its input with what Scheduler knows of the execution', async () => {
    const aws = new SchedulerFixture();
    const Input =
      '{"arn":"<aws.scheduler.schedule-arn>","at":"<aws.scheduler.scheduled-time>","id":"<aws.scheduler.execution-id>",' +
      '"attempt":"<aws.scheduler.attempt-number>","other":"<other>"}';
    aws.create(ONCE, { Target: { Input } });
    await aws.goTo(10);
    expect(JSON.parse(aws.invoked[0]?.input.Payload ?? '')).toEqual({
      arn: SCHEDULE_ARN,
      at: '2026-01-01T00:05:00Z',
      id: aws.happened('scheduler.due')[0]?.executionId,
      attempt: '1',
      other: '<other>',
    });
  });

  it('may be a queue, whose message is the input', async () => {
    const aws = new SchedulerFixture();
    const Arn = aws.queue('Ticks');
    aws.create(ONCE, { Target: { Arn, Input: 'plain text' } });
    await aws.goTo(10);
    expect(aws.receive(Arn)).toMatchObject([{ body: 'plain text' }]);
  });

  it('refuses input that is nested too deeply to walk by recursion', () => {
    const aws = new SchedulerFixture();
    aws.queue('Ticks');
    const deep = `{"QueueUrl":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const create = () =>
      aws.create(ONCE, { Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage', Input: deep } });
    expect(refusal(create)).toBe('ValidationException 400: JSON syntax error in input for the target.');
  });

  it('may be a FIFO queue, with the group it names', async () => {
    const aws = new SchedulerFixture();
    const Arn = aws.queue('Ticks.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    aws.create(ONCE, { Target: { Arn, Input: 'x', SqsParameters: { MessageGroupId: 'all' } } });
    await aws.goTo(10);
    expect(aws.receive(Arn)).toMatchObject([{ groupId: 'all' }]);
  });

  it('may be a topic', async () => {
    const aws = new SchedulerFixture();
    aws.create(ONCE, { Target: { Arn: TOPIC_ARN, Input: 'x' } });
    await aws.goTo(10);
    expect(aws.published).toMatchObject([
      { caller: roleCaller(aws.role), input: { TopicArn: TOPIC_ARN, Message: 'x' } },
    ]);
  });

  it('may be an event bus, with source and type as parameters', async () => {
    const aws = new SchedulerFixture();
    const EventBridgeParameters = { Source: 'rental', DetailType: 'Tick' };
    aws.create(ONCE, { Target: { Arn: BUS_ARN, Input: '{"a":1}', EventBridgeParameters } });
    await aws.goTo(10);
    const entry = { EventBusName: BUS_ARN, Source: 'rental', DetailType: 'Tick', Detail: '{"a":1}' };
    expect(aws.events).toMatchObject([{ input: { Entries: [entry] } }]);
  });

  it('may be an event bus that does not take the event', async () => {
    const aws = new SchedulerFixture();
    aws.eventsAnswer = {
      FailedEntryCount: 1,
      Entries: [{ ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' }],
    };
    const EventBridgeParameters = { Source: 'rental', DetailType: 'Tick' };
    aws.create(ONCE, { Target: { Arn: BUS_ARN, Input: '[]', EventBridgeParameters } });
    await aws.goTo(10);
    expect(aws.happened('scheduler.dropped')).toMatchObject([{ code: 'MalformedDetail' }]);
  });

  it('may be any action of a service', async () => {
    const aws = new SchedulerFixture();
    const queue = aws.queue('Ticks');
    const Input = JSON.stringify({
      QueueUrl: aws.sqs.queueByArn(queue)?.url,
      MessageBody: 'at <aws.scheduler.scheduled-time>',
      DelaySeconds: 30,
    });
    aws.create(ONCE, { Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage', Input } });
    await aws.goTo(5.4);
    expect(aws.receive(queue)).toEqual([]);
    await aws.goTo(5.5);
    expect(aws.receive(queue)).toMatchObject([{ body: 'at 2026-01-01T00:05:00Z' }]);
  });

  it('may be a message move task', async () => {
    const aws = new SchedulerFixture();
    const dlq = aws.queue('DLQ');
    const source = aws.queue('Source', {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dlq, maxReceiveCount: 1 }),
    });
    const QueueUrl = aws.sqs.queueByArn(dlq)?.url;
    aws.sqs.call('SendMessage', roleCaller(aws.role), { QueueUrl, MessageBody: 'dead' });
    const Input = JSON.stringify({ SourceArn: dlq, DestinationArn: source });
    aws.create(ONCE, { Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:startMessageMoveTask', Input } });
    await aws.goTo(10);
    expect(aws.receive(source)).toMatchObject([{ body: 'dead' }]);
  });

  it('is not harmed by an input that does not fit the action', async () => {
    const aws = new SchedulerFixture();
    aws.create(ONCE, {
      Target: { Arn: 'arn:aws:scheduler:::aws-sdk:sqs:sendMessage', Input: '{"MessageBody":{"a":1}}' },
    });
    await aws.goTo(10);
    expect(aws.happened('scheduler.dropped')).toMatchObject([
      { code: 'SerializationException', reason: 'MessageBody must be a string, got {"a":1}' },
    ]);
  });
});

describe('the role of a schedule', () => {
  it('is asked when the target is invoked', async () => {
    const aws = new SchedulerFixture();
    const Arn = aws.queue('Ticks');
    aws.create(ONCE, { Target: { Arn } });
    aws.iam.deleteRolePolicy('Scheduler', 'allow');
    await aws.goTo(10);
    expect(aws.receive(Arn)).toEqual([]);
    expect(aws.happened('scheduler.invocation-failed')).toMatchObject([{ attempt: 1, code: 'AccessDenied' }]);
  });

  it('has to trust Scheduler still when the target is invoked', async () => {
    const aws = new SchedulerFixture();
    aws.create(ONCE);
    const Statement = [{ Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' }];
    aws.iam.updateAssumeRolePolicy('Scheduler', { Version: '2012-10-17', Statement });
    await aws.goTo(10);
    expect(aws.invoked).toEqual([]);
    expect(aws.happened('scheduler.dropped')).toHaveLength(1);
  });

  it("may trust Scheduler on behalf of the schedule's group alone", async () => {
    const aws = new SchedulerFixture();
    const group = 'arn:aws:scheduler:us-east-1:123456789012:schedule-group/default';
    const RoleArn = aws.roleTrusting('scheduler.amazonaws.com', {
      StringEquals: { 'aws:SourceAccount': '123456789012', 'aws:SourceArn': group },
    });
    aws.create(ONCE, { Target: { RoleArn } });
    await aws.goTo(10);
    expect(aws.invoked).toHaveLength(1);
  });
});

describe('a target that fails', () => {
  const unavailable = new AwsError('ServiceException', 'Lambda is out.', 500);

  it('is retried, with the number of the attempt in its input', async () => {
    const aws = new SchedulerFixture();
    aws.failure = unavailable;
    aws.create(ONCE, {
      Target: { Input: '"<aws.scheduler.attempt-number>"', RetryPolicy: { MaximumRetryAttempts: 2 } },
    });
    await aws.goTo(10);
    expect(aws.invoked.map(({ input }) => input.Payload)).toEqual(['"1"', '"2"', '"3"']);
    expect([
      aws.total('InvocationAttemptCount'),
      aws.total('TargetErrorCount'),
      aws.total('InvocationDroppedCount'),
    ]).toEqual([3, 3, 1]);
  });

  it('leaves a dead letter with the attributes AWS documents', async () => {
    const aws = new SchedulerFixture();
    const dlq = aws.queue('DLQ');
    aws.failure = unavailable;
    const policy = { RetryPolicy: { MaximumRetryAttempts: 1 }, DeadLetterConfig: { Arn: dlq } };
    aws.create(ONCE, { Target: { Input: '{"order":1}', ...policy } });
    await aws.goTo(10);
    expect(aws.receive(dlq)).toEqual([
      {
        body: '{"order":1}',
        groupId: undefined,
        attributes: {
          ERROR_CODE: 'ServiceException',
          ERROR_MESSAGE: 'Lambda is out.',
          EXECUTION_ID: aws.happened('scheduler.due')[0]?.executionId,
          EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
          IS_PAYLOAD_TRUNCATED: 'false',
          RETRY_ATTEMPTS: '1',
          SCHEDULED_TIME: '2026-01-01T00:05:00Z',
          SCHEDULE_ARN,
          TARGET_ARN: FUNCTION_ARN,
        },
      },
    ]);
    expect(aws.total('InvocationsSentToDeadLetterCount')).toBe(1);
  });

  it('leaves a dead letter when the invocation is as old as it may become', async () => {
    const aws = new SchedulerFixture();
    const dlq = aws.queue('DLQ');
    aws.failure = new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429);
    const policy = { RetryPolicy: { MaximumEventAgeInSeconds: 60 }, DeadLetterConfig: { Arn: dlq } };
    aws.create(ONCE, { Target: policy });
    await aws.goTo(10);
    expect(aws.happened('scheduler.dead-lettered')).toMatchObject([{ atMs: START_MS + 6 * 60_000 }]);
    expect(aws.receive(dlq)[0]?.attributes).toMatchObject({
      EXHAUSTED_RETRY_CONDITION: 'MaximumEventAgeInSeconds',
      RETRY_ATTEMPTS: '5',
    });
    expect(aws.total('TargetErrorThrottledCount')).toBe(6);
  });

  it('that is not there is not tried again', async () => {
    const aws = new SchedulerFixture();
    const dlq = aws.queue('DLQ');
    const Arn = 'arn:aws:sqs:us-east-1:123456789012:Gone';
    aws.create(ONCE, { Target: { Arn, Input: 'x', DeadLetterConfig: { Arn: dlq } } });
    await aws.goTo(10);
    expect(aws.receive(dlq)[0]?.attributes).toMatchObject({
      ERROR_CODE: 'AWS.SimpleQueueService.NonExistentQueue',
      RETRY_ATTEMPTS: '0',
    });
  });

  it.each([
    [{ latencyMs: 5000 }, 5],
    [{ untilMs: START_MS + 5 * 60_000 + 2000 }, 3],
  ])('leaves a dead letter with a queue that is slow, or out of order for a moment: %j', async (fault, seconds) => {
    const aws = new SchedulerFixture();
    aws.failure = new AwsError('NotFound', 'Topic does not exist', 404);
    aws.create(ONCE, { Target: { Arn: TOPIC_ARN, DeadLetterConfig: { Arn: aws.queue('DLQ') } } });
    aws.faults.set({ service: 'sqs', action: 'SendMessage', ...fault });
    await aws.goTo(10);
    expect(aws.happened('scheduler.dead-lettered')).toMatchObject([{ atMs: START_MS + (5 * 60 + seconds) * 1000 }]);
    expect(aws.total('InvocationsFailedToBeSentToDeadLetterCount')).toBe(0);
  });

  it('loses the invocation when the dead-letter queue is not there', async () => {
    const aws = new SchedulerFixture();
    aws.failure = new AwsError('AccessDeniedException', 'no', 403);
    aws.create(ONCE, { Target: { DeadLetterConfig: { Arn: 'arn:aws:sqs:us-east-1:123456789012:Gone' } } });
    await aws.goTo(10);
    expect(aws.happened('scheduler.dropped')).toHaveLength(1);
    const failed = 'InvocationsFailedToBeSentToDeadLetterCount';
    expect(aws.total(failed)).toBe(1);
    expect(aws.total(`${failed}_AWS.SimpleQueueService.NonExistentQueue`)).toBe(1);
  });

  it('leaves a dead letter cut short when its input has no room in a message', async () => {
    const aws = new SchedulerFixture();
    const dlq = aws.queue('DLQ');
    aws.failure = new AwsError('AccessDeniedException', 'no', 403);
    const Input = JSON.stringify('é'.repeat(524_280));
    aws.create(ONCE, { Target: { Arn: TOPIC_ARN, Input, DeadLetterConfig: { Arn: dlq } } });
    await aws.goTo(10);
    const [message] = aws.receive(dlq);
    expect(message?.attributes['IS_PAYLOAD_TRUNCATED']).toBe('true');
    expect(Input.startsWith(message?.body ?? 'none')).toBe(true);
    expect(aws.total('InvocationsSentToDeadLetterCount_Truncated_MessageSizeExceeded')).toBe(1);
  });

  it('keeps a schedule from being deleted until it is given up', async () => {
    const aws = new SchedulerFixture();
    aws.failure = unavailable;
    aws.create(ONCE, { ActionAfterCompletion: 'DELETE', Target: { RetryPolicy: { MaximumRetryAttempts: 3 } } });
    await aws.goTo(10);
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ atMs: START_MS + 5 * 60_000 + 7000 }]);
  });
});

const at = (text: string): Date => new Date(text);

describe('a schedule', () => {
  // "If you do not provide a StartDate for a rate-based schedule, your schedule starts invoking the target immediately."
  it('at a rate begins at once', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)');
    await aws.goTo(12);
    expect(aws.minutes()).toEqual([0, 5, 10]);
  });

  it('at a rate begins at its start, and ends at its end', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { StartDate: at('2026-01-01T00:03:00Z'), EndDate: at('2026-01-01T00:13:00Z') });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([3, 8, 13]);
  });

  it('by cron runs in its time zone', async () => {
    const aws = new SchedulerFixture();
    aws.create('cron(0 9 * * ? *)', { ScheduleExpressionTimezone: 'Asia/Tokyo' });
    await aws.goTo(30 * 60);
    expect(aws.minutes()).toEqual([24 * 60]);
  });

  it('skips in spring what the clocks leave out', async () => {
    const aws = new SchedulerFixture();
    const StartDate = at('2026-03-07T00:00:00Z');
    aws.create('cron(30 2 * * ? *)', { ScheduleExpressionTimezone: 'America/New_York', StartDate });
    await aws.timeline.advanceTo(Date.parse('2026-03-10T00:00:00Z'));
    const instants = aws.happened('scheduler.invoked').map(({ atMs }) => new Date(atMs).toISOString());
    expect(instants).toEqual(['2026-03-07T07:30:00.000Z', '2026-03-09T06:30:00.000Z']);
  });

  it('that happens once does so once, and stays', async () => {
    const aws = new SchedulerFixture();
    aws.create('at(2026-01-01T00:07:30)');
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([7.5]);
    expect(aws.scheduler.call('GetSchedule', ADMIN, { Name: 'tick' })).toMatchObject({
      ActionAfterCompletion: 'NONE',
    });
  });

  it('that happens once is deleted after it, if it is to', async () => {
    const aws = new SchedulerFixture();
    aws.create('at(2026-01-01T00:07:00)', { ActionAfterCompletion: 'DELETE' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([7]);
    expect(aws.scheduler.call('ListSchedules', ADMIN, {})).toEqual({ Schedules: [] });
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ cause: 'ActionAfterCompletion' }]);
  });

  it('that recurs is deleted after its last invocation, if it is to', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { EndDate: at('2026-01-01T00:11:00Z'), ActionAfterCompletion: 'DELETE' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([0, 5, 10]);
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ atMs: START_MS + 10 * 60_000 }]);
  });

  it('lets the world come to rest, whether it recurs or happens once', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(1 minute)', { StartDate: at('2026-01-01T00:01:00Z') });
    aws.create('at(2036-01-01T00:00:00)', { Name: 'once' });
    await aws.settle();
    expect(aws.timeline.nowMs).toBe(START_MS);
  });

  it('that is disabled does nothing until it is enabled', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)', { State: 'DISABLED' });
    await aws.goTo(7);
    const {
      Arn: _arn,
      CreationDate: _created,
      LastModificationDate: _modified,
      ...tick
    } = aws.scheduler.call('GetSchedule', ADMIN, { Name: 'tick' });
    const { Name, ScheduleExpression, Target, FlexibleTimeWindow } = tick;
    aws.scheduler.call('UpdateSchedule', ADMIN, {
      Name,
      ScheduleExpression,
      Target,
      FlexibleTimeWindow,
      State: 'ENABLED',
    });
    await aws.goTo(13);
    expect(aws.minutes()).toEqual([7, 12]);
  });

  it('that is deleted is over', async () => {
    const aws = new SchedulerFixture();
    aws.create('rate(5 minutes)');
    await aws.goTo(1);
    aws.scheduler.call('DeleteSchedule', ADMIN, { Name: 'tick' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([0]);
  });

  it('is over with its group', async () => {
    const aws = new SchedulerFixture();
    aws.scheduler.call('CreateScheduleGroup', ADMIN, { Name: 'nightly' });
    aws.create('rate(5 minutes)', { GroupName: 'nightly' });
    await aws.goTo(1);
    aws.scheduler.call('DeleteScheduleGroup', ADMIN, { Name: 'nightly' });
    await aws.goTo(60);
    expect(aws.minutes()).toEqual([0]);
    expect(aws.happened('scheduler.schedule-deleted')).toMatchObject([{ cause: 'DeleteScheduleGroup' }]);
  });
});

describe('a flexible time window', () => {
  async function invocations(): Promise<readonly number[]> {
    const aws = new SchedulerFixture();
    aws.create('cron(0 * * * ? *)', { FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 } });
    await aws.goTo(24 * 60 + 20);
    return aws.minutes();
  }

  it('has the target invoked at some moment in it', async () => {
    const minutes = await invocations();
    expect(minutes).toHaveLength(24);
    const delays = minutes.map((minute, i) => minute - (i + 1) * 60);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(15);
    expect(new Set(delays).size).toBeGreaterThan(12);
  });

  it('is the same moment with the same seed', async () => {
    expect(await invocations()).toEqual(await invocations());
  });

  it('does not change the scheduled time in the input', async () => {
    const aws = new SchedulerFixture();
    aws.create('at(2026-01-01T01:00:00)', {
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 60 },
      Target: { Input: '{"at":"<aws.scheduler.scheduled-time>"}' },
    });
    await aws.goTo(3 * 60);
    expect(aws.invoked.map(({ input }) => input.Payload)).toEqual(['{"at":"2026-01-01T01:00:00Z"}']);
  });
});
