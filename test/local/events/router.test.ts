import type { Target } from '@aws-sdk/client-eventbridge';
import { AwsError } from '../../../local/kernel/aws-error';
import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import type { Fault } from '../../../local/kernel/faults';
import { ADMIN, EventsFixture, FUNCTION_ARN, queuePolicy, START_MS, TOPIC_ARN } from './events-fixture';

describe('delivery', () => {
  const unavailable = new AwsError('ServiceUnavailable', 'Service is unavailable.', 503);

  describe('an event', () => {
    it('goes to the targets of each rule that matches it, as AWS writes events', async () => {
      const aws = new EventsFixture();
      const queue = aws.queue('Orders');
      aws.rule('orders', [{ Arn: queue }]);
      aws.events.call('PutRule', ADMIN, { Name: 'others', EventPattern: '{"source":["else"]}' });
      const id = aws.put({ order: 7 });
      await aws.settle();
      const [message, ...more] = aws.receive(queue);
      expect(more).toEqual([]);
      expect(message?.body).toBe(
        `{"version":"0","id":"${id}","detail-type":"Order Placed","source":"rental","account":"123456789012",` +
          '"time":"2026-01-01T00:00:00Z","region":"us-east-1","resources":[],"detail":{"order":7}}',
      );
      expect(aws.timeline.nowMs).toBe(START_MS);
    });

    it('carries its own time and resources when it says them', async () => {
      const aws = new EventsFixture();
      const queue = aws.queue('Orders');
      aws.rule('orders', [{ Arn: queue }]);
      const entry = {
        Source: 'rental',
        DetailType: 'x',
        Detail: '{}',
        Time: new Date('2020-02-03T04:05:06.789Z'),
        Resources: ['arn:a'],
      };
      aws.events.call('PutEvents', ADMIN, { Entries: [entry] });
      await aws.settle();
      expect(aws.receive(queue)[0]?.json).toMatchObject({ time: '2020-02-03T04:05:06Z', resources: ['arn:a'] });
    });

    it('goes to a queue only if its policy lets the rule in', async () => {
      const aws = new EventsFixture();
      const [open, closed] = [aws.queue('Open'), aws.queue('Closed')];
      const condition = { ArnEquals: { 'aws:SourceArn': 'arn:aws:events:us-east-1:123456789012:rule/other' } };
      const QueueUrl = aws.sqs.queueByArn(closed)?.url;
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl, Attributes: { Policy: queuePolicy(closed, condition) } });
      aws.rule('orders', [{ Arn: open }, { Arn: closed }]);
      aws.put();
      await aws.settle();
      expect([aws.receive(open).length, aws.receive(closed).length]).toEqual([1, 0]);
      expect(aws.happened('events.dropped')).toMatchObject([{ targetArn: closed, errorCode: 'NO_PERMISSIONS' }]);
    });

    it('goes to topics and functions as EventBridge on behalf of the rule', async () => {
      const aws = new EventsFixture();
      const ruleArn = aws.rule('orders', [{ Arn: TOPIC_ARN }, { Arn: FUNCTION_ARN }]);
      aws.put();
      await aws.settle();
      const caller = serviceCaller('events.amazonaws.com', ruleArn, '123456789012');
      expect(aws.published).toMatchObject([{ caller, input: { TopicArn: TOPIC_ARN } }]);
      expect(aws.invoked).toMatchObject([{ caller, input: { FunctionName: FUNCTION_ARN, InvocationType: 'Event' } }]);
      expect(JSON.parse(aws.invoked[0]?.input.Payload ?? '')).toMatchObject({ source: 'rental' });
    });

    it('goes to a log group under its name', async () => {
      const aws = new EventsFixture();
      aws.rule('orders', [{ Arn: 'arn:aws:logs:us-east-1:123456789012:log-group:/aws/events/orders:*' }]);
      aws.put();
      await aws.settle();
      expect(aws.written).toMatchObject([{ groupName: '/aws/events/orders' }]);
    });

    it('goes to a FIFO queue in the group the target names', async () => {
      const aws = new EventsFixture();
      const Arn = 'arn:aws:sqs:us-east-1:123456789012:Orders.fifo';
      const Attributes = { FifoQueue: 'true', ContentBasedDeduplication: 'true', Policy: queuePolicy(Arn) };
      aws.sqs.call('CreateQueue', ADMIN, { QueueName: 'Orders.fifo', Attributes });
      aws.rule('orders', [{ Arn, SqsParameters: { MessageGroupId: 'all' } }]);
      aws.put();
      await aws.settle();
      expect(aws.receive(Arn)).toMatchObject([{ groupId: 'all' }]);
    });

    it('for a bus that does not exist is accepted and lost', async () => {
      const aws = new EventsFixture();
      const queue = aws.queue('Orders');
      aws.rule('orders', [{ Arn: queue }]);
      expect(aws.put({}, 'nowhere')).toMatch(/^[0-9a-f-]{36}$/);
      await aws.settle();
      expect(aws.receive(queue)).toEqual([]);
    });

    it('does not go to the targets of a disabled rule', async () => {
      const aws = new EventsFixture();
      const queue = aws.queue('Orders');
      aws.rule('orders', [{ Arn: queue }]);
      aws.events.call('DisableRule', ADMIN, { Name: 'orders' });
      aws.put();
      aws.events.call('EnableRule', ADMIN, { Name: 'orders' });
      aws.put({ second: true });
      await aws.settle();
      expect(aws.receive(queue).map(({ json }) => json)).toMatchObject([{ detail: { second: true } }]);
    });
  });

  describe('a target that fails', () => {
    // "By default, EventBridge retries sending the event for 24 hours and up to 185 times with an exponential back off."
    it('is tried 185 times more, and the event is dropped', async () => {
      const aws = new EventsFixture();
      aws.failure = unavailable;
      aws.rule('orders', [{ Arn: TOPIC_ARN }]);
      aws.put();
      await aws.settle();
      expect(aws.published).toHaveLength(186);
      const failures = aws.happened('events.invocation-failed');
      expect(failures.slice(0, 4).map(({ atMs }) => (atMs - START_MS) / 1000)).toEqual([0, 1, 3, 7]);
      expect((failures.at(-1)?.atMs ?? 0) - START_MS).toBeLessThanOrEqual(24 * 3_600_000);
      expect(aws.happened('events.dropped')).toHaveLength(1);
      expect(aws.total('RetryInvocationAttempts', { RuleName: 'orders' })).toBe(185);
      expect(aws.total('InvocationAttempts', {})).toBe(186);
      expect(aws.total('FailedInvocations', { RuleName: 'orders' })).toBe(1);
      expect(aws.total('Invocations', { RuleName: 'orders' })).toBe(1);
    });

    it('gets the event when it is back', async () => {
      const aws = new EventsFixture();
      aws.failure = unavailable;
      aws.rule('orders', [{ Arn: FUNCTION_ARN }]);
      aws.put();
      await aws.goTo(5);
      aws.failure = undefined;
      await aws.settle();
      expect(aws.invoked).toHaveLength(4);
      expect(aws.happened('events.invoked')).toMatchObject([{ attempt: 4, atMs: START_MS + 7000 }]);
      expect(aws.total('FailedInvocations', { RuleName: 'orders' })).toBe(0);
      expect(aws.total('SuccessfulInvocationAttempts', { EventBusName: 'default' })).toBe(1);
    });

    it('leaves a dead letter with the attributes AWS documents when retries are exhausted', async () => {
      const aws = new EventsFixture();
      const dlq = aws.queue('DLQ');
      aws.failure = unavailable;
      const transformed = {
        InputPath: '$.detail',
        RetryPolicy: { MaximumRetryAttempts: 2 },
        DeadLetterConfig: { Arn: dlq },
      };
      const RULE_ARN = aws.rule('orders', [{ Arn: TOPIC_ARN, ...transformed }]);
      const id = aws.put({ order: 9 });
      await aws.settle();
      expect(aws.receive(dlq)).toMatchObject([
        {
          json: { id, detail: { order: 9 } },
          attributes: {
            RULE_ARN,
            TARGET_ARN: TOPIC_ARN,
            ERROR_CODE: 'ERROR_FROM_TARGET',
            ERROR_MESSAGE: 'Service is unavailable.',
            EXHAUSTED_RETRY_CONDITION: 'MaximumRetryAttempts',
            RETRY_ATTEMPTS: '2',
          },
        },
      ]);
      expect(aws.total('InvocationsSentToDlq', { RuleName: 'orders' })).toBe(1);
    });

    describe('and whose dead-letter queue', () => {
      const gone = new AwsError('NotFound', 'Topic does not exist', 404);

      async function withFault(fault: Partial<Fault>): Promise<EventsFixture> {
        const aws = new EventsFixture();
        aws.failure = gone;
        aws.rule('orders', [{ Arn: TOPIC_ARN, DeadLetterConfig: { Arn: aws.queue('DLQ') } }]);
        aws.faults.set({ service: 'sqs', action: 'SendMessage', ...fault });
        aws.put();
        await aws.settle();
        return aws;
      }

      it('answers late has the dead letter when it has answered', async () => {
        const aws = await withFault({ latencyMs: 5000 });
        expect(aws.happened('events.dead-lettered')).toMatchObject([{ atMs: START_MS + 5000 }]);
      });

      it('is out of order for two seconds gets it nevertheless', async () => {
        const aws = await withFault({ untilMs: START_MS + 2000 });
        expect(aws.happened('events.dead-lettered')).toMatchObject([{ atMs: START_MS + 3000 }]);
        expect(aws.total('InvocationsFailedToBeSentToDlq', { RuleName: 'orders' })).toBe(0);
      });

      it('is out of order for longer never gets it', async () => {
        const aws = await withFault({});
        expect(aws.happened('events.dropped')).toMatchObject([{ atMs: START_MS + 7000, errorCode: 'NO_RESOURCE' }]);
        expect(aws.total('InvocationsFailedToBeSentToDlq', { RuleName: 'orders' })).toBe(1);
      });
    });

    it('leaves a dead letter when the event is as old as it may become', async () => {
      const aws = new EventsFixture();
      const dlq = aws.queue('DLQ');
      aws.failure = new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429);
      const policy = { RetryPolicy: { MaximumEventAgeInSeconds: 60 }, DeadLetterConfig: { Arn: dlq } };
      aws.rule('orders', [{ Arn: FUNCTION_ARN, ...policy }]);
      aws.put();
      await aws.settle();
      expect(aws.happened('events.dead-lettered')).toMatchObject([{ atMs: START_MS + 60_000 }]);
      // Attempts at 0, 1, 3, 7, 15 and 31 s. One at 63 s would be too late.
      expect(aws.receive(dlq)[0]?.attributes).toMatchObject({
        ERROR_CODE: 'THROTTLING',
        EXHAUSTED_RETRY_CONDITION: 'MaximumEventAgeInSeconds',
        RETRY_ATTEMPTS: '5',
      });
    });

    it.each([
      ['AccessDeniedException', 403, 'NO_PERMISSIONS'],
      ['AuthorizationError', 403, 'NO_PERMISSIONS'],
      ['KMS.AccessDeniedException', 400, 'NO_PERMISSIONS'],
      ['ResourceNotFoundException', 404, 'NO_RESOURCE'],
      ['InvalidRequestContentException', 400, 'INVALID_JSON'],
      ['InvalidParameter', 400, 'INVALID_PARAMETER'],
      ['Strange', 400, 'SDK_CLIENT_ERROR'],
    ])('is not tried again after %s', async (code, status, ERROR_CODE) => {
      const error = new AwsError(code, `what ${code} says`, status);
      const aws = new EventsFixture();
      const dlq = aws.queue('DLQ');
      aws.failure = error;
      aws.rule('orders', [{ Arn: TOPIC_ARN, DeadLetterConfig: { Arn: dlq } }]);
      aws.put();
      await aws.settle();
      expect(aws.published).toHaveLength(1);
      expect(aws.timeline.nowMs).toBe(START_MS);
      expect(aws.receive(dlq)[0]?.attributes).toEqual({
        RULE_ARN: expect.stringContaining('rule/orders'),
        TARGET_ARN: TOPIC_ARN,
        ERROR_CODE,
        ERROR_MESSAGE: error.message,
        RETRY_ATTEMPTS: '0',
      });
    });

    it('loses the event when its dead-letter queue denies access', async () => {
      const aws = new EventsFixture();
      aws.sqs.call('CreateQueue', ADMIN, { QueueName: 'Closed' });
      const Arn = 'arn:aws:sqs:us-east-1:123456789012:Closed';
      aws.rule('orders', [{ Arn: 'arn:aws:sqs:us-east-1:123456789012:Gone', DeadLetterConfig: { Arn } }]);
      aws.put();
      await aws.settle();
      expect(aws.happened('events.dropped')).toMatchObject([
        { errorCode: 'NO_RESOURCE', reason: expect.stringContaining(Arn) },
      ]);
      expect(aws.total('InvocationsFailedToBeSentToDlq', { RuleName: 'orders' })).toBe(1);
    });

    it('is one that a scenario has made fail', async () => {
      const aws = new EventsFixture();
      const queue = aws.queue('Orders');
      aws.rule('orders', [{ Arn: queue }]);
      aws.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: START_MS + 2000 });
      aws.put();
      await aws.settle();
      expect(aws.happened('events.invoked')).toMatchObject([{ attempt: 3 }]);
      expect(aws.receive(queue)).toHaveLength(1);
    });
  });

  it('is as late as a scenario makes its target, and its retries with it', async () => {
    const aws = new EventsFixture();
    const queue = aws.queue('Orders');
    aws.rule('orders', [{ Arn: queue }]);
    aws.faults.set({ service: 'sqs', latencyMs: 400, httpStatus: 503, untilMs: START_MS + 1000 });
    aws.put();
    await aws.settle();
    expect(aws.happened('events.invocation-failed').map(({ atMs }) => atMs - START_MS)).toEqual([400]);
    expect(aws.happened('events.invoked').map(({ atMs }) => atMs - START_MS)).toEqual([1400]);
  });

  describe('another event bus as a target', () => {
    function roleFor(aws: EventsFixture, service = 'events.amazonaws.com', resource = '*'): string {
      const trustPolicy = {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: 'sts:AssumeRole' }],
      };
      const { arn } = aws.iam.createRole({ roleName: 'Forward', trustPolicy });
      aws.iam.putRolePolicy('Forward', 'forward', {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: 'events:PutEvents', Resource: resource }],
      });
      return arn;
    }

    function buses(aws: EventsFixture, RoleArn: string): string {
      const { EventBusArn = '' } = aws.events.call('CreateEventBus', ADMIN, { Name: 'archive' });
      aws.rule('forward', [{ Arn: EventBusArn, RoleArn }]);
      const queue = aws.queue('Archive');
      aws.rule('all', [{ Arn: queue }], 'archive');
      return queue;
    }

    it('gets the same event, by way of the role', async () => {
      const aws = new EventsFixture();
      const queue = buses(aws, roleFor(aws));
      const id = aws.put();
      await aws.settle();
      expect(aws.receive(queue)).toMatchObject([{ json: { id, source: 'rental' } }]);
      expect(aws.total('MatchedEvents', { EventBusName: 'archive', RuleName: 'all' })).toBe(1);
    });

    it('does not get it when the role does not trust EventBridge', async () => {
      const aws = new EventsFixture();
      const queue = buses(aws, roleFor(aws, 'lambda.amazonaws.com'));
      aws.put();
      await aws.settle();
      expect(aws.receive(queue)).toEqual([]);
      expect(aws.happened('events.dropped')).toMatchObject([{ errorCode: 'FAILED_TO_ASSUME_ROLE' }]);
    });

    it('does not get it when the role may not put events there', async () => {
      const aws = new EventsFixture();
      buses(aws, roleFor(aws, 'events.amazonaws.com', 'arn:aws:events:us-east-1:123456789012:event-bus/else'));
      aws.put();
      await aws.settle();
      expect(aws.happened('events.dropped')).toMatchObject([{ errorCode: 'NO_PERMISSIONS' }]);
    });

    it('does not send it round in a circle', async () => {
      const aws = new EventsFixture();
      const RoleArn = roleFor(aws);
      buses(aws, RoleArn);
      aws.rule('back', [{ Arn: 'arn:aws:events:us-east-1:123456789012:event-bus/default', RoleArn }], 'archive');
      aws.put();
      await aws.settle();
      expect(aws.happened('events.loop-stopped')).toMatchObject([{ ruleArn: expect.stringContaining('rule/forward') }]);
      expect(aws.total('DeadLetterInvocations', { RuleName: 'forward' })).toBe(1);
    });
  });

  it("refuses events of a caller that neither the bus's policy nor its own policies allow", () => {
    const aws = new EventsFixture();
    const trustPolicy = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: '*', Action: 'sts:AssumeRole' }],
    };
    const { arn } = aws.iam.createRole({ roleName: 'Worker', trustPolicy });
    const Entries = [{ Source: 'rental', DetailType: 'x', Detail: '{}' }];
    expect(() => aws.events.call('PutEvents', roleCaller(arn), { Entries })).toThrow(
      `User: ${arn} is not authorized to perform: events:PutEvents on resource: arn:aws:events:us-east-1:123456789012:event-bus/default`,
    );
    aws.iam.putRolePolicy('Worker', 'put', {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'events:PutEvents', Resource: '*' }],
    });
    expect(aws.events.call('PutEvents', roleCaller(arn), { Entries })).toMatchObject({ FailedEntryCount: 0 });
  });

  it('puts events of AWS services on the default bus', async () => {
    const aws = new EventsFixture();
    const queue = aws.queue('Alarms');
    const EventPattern = '{"source":["aws.cloudwatch"],"detail-type":["CloudWatch Alarm State Change"]}';
    aws.events.call('PutRule', ADMIN, { Name: 'alarms', EventPattern });
    aws.events.call('PutTargets', ADMIN, { Rule: 'alarms', Targets: [{ Id: 't', Arn: queue }] });
    aws.events.emit({
      source: 'aws.cloudwatch',
      detailType: 'CloudWatch Alarm State Change',
      resources: ['arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dead-Letters'],
      detail: { alarmName: 'Dead-Letters' },
    });
    await aws.settle();
    expect(aws.receive(queue)).toMatchObject([
      { json: { source: 'aws.cloudwatch', detail: { alarmName: 'Dead-Letters' }, account: '123456789012' } },
    ]);
  });
});

/** What a queue gets of an event with this detail when it is a target with this input. */
async function bodyOf(input: Partial<Target>, detail: unknown = { command: 'update', items: [{ id: 1 }, { id: 2 }] }) {
  const aws = new EventsFixture();
  const queue = aws.queue('Orders');
  aws.rule('orders', [{ Arn: queue, ...input }]);
  const id = aws.put(detail);
  await aws.settle();
  return aws.receive(queue)[0]?.body.replace(id, 'ID');
}

const transformer = (InputTemplate: string, InputPathsMap: Record<string, string> = {}) => ({
  InputTransformer: { InputTemplate, InputPathsMap },
});

describe('the input of a target', () => {
  it('may be its own', async () => {
    expect(await bodyOf({ Input: '"hello"' })).toBe('"hello"');
  });

  it.each([
    ['$.detail', '{"command":"update","items":[{"id":1},{"id":2}]}'],
    ['$.detail.command', '"update"'],
    ['$.detail.items[1]', '{"id":2}'],
    ['$.detail.items[*].id', '[1,2]'],
    ['$.detail.items', '[{"id":1},{"id":2}]'],
    ['$.detail-type', '"Order Placed"'],
    ['$.detail.nothing', 'null'],
  ])('may be a part of the event: %s', async (InputPath, body) => {
    expect(await bodyOf({ InputPath })).toBe(body);
  });
});

describe('a template', () => {
  const paths = {
    type: '$.detail-type',
    command: '$.detail.command',
    none: '$.detail.none',
    items: '$.detail.items',
  };

  // Recorded on AWS: the quotation marks stay, and a missing value is empty.
  it('of one string keeps its quotation marks', async () => {
    expect(await bodyOf(transformer('"Event of <type>, info <command>, <none>"', paths))).toBe(
      '"Event of Order Placed, info update, "',
    );
  });

  it('may begin as JSON does and be a string', async () => {
    expect(await bodyOf(transformer('"{[/Check <type>"', paths))).toBe('"{[/Check Order Placed"');
  });

  it('of JSON has values in the places of its variables', async () => {
    expect(await bodyOf(transformer('{"a": <command>, "b": <none>, "c": <items>}', paths))).toBe(
      '{"a": "update", "b": "", "c": [{"id":1},{"id":2}]}',
    );
  });

  it('of JSON distinguishes null from a missing value', async () => {
    const body = await bodyOf(transformer('{"a": <command>, "b": <none>}', paths), { command: null });
    expect(body).toBe('{"a": null, "b": ""}');
  });

  it('has variables inside the strings of JSON', async () => {
    expect(await bodyOf(transformer('{"a": "it is <command> \\"<command>\\""}', paths))).toBe(
      '{"a": "it is update \\"update\\""}',
    );
  });

  it('of one string has the JSON of an object without quotation marks', async () => {
    expect(await bodyOf(transformer('"items: <items>"', paths))).toBe('"items: [{id:1},{id:2}]"');
  });

  /** Recorded on AWS: nothing arrives. INVALID_JSON is one of the error codes that AWS documents for dead letters. */
  it.each([
    ['{"payload": "<detail>"}'],
    ['{"items": "<items>"}'],
    ['{"a": "users/<command>/<detail>"}'],
    ['{"a": <command>, "b": {"c": ["<items>"]}}'],
  ])('of JSON that puts an object or a list inside quotation marks sends nothing: %s', async template => {
    const aws = new EventsFixture();
    const [queue, dead] = [aws.queue('Orders'), aws.queue('Dead')];
    const input = transformer(template, { ...paths, detail: '$.detail' });
    aws.rule('orders', [{ Arn: queue, ...input, DeadLetterConfig: { Arn: dead } }]);
    aws.put({ command: 'update', items: [{ id: 1 }] });
    await aws.settle();
    expect(aws.receive(queue)).toEqual([]);
    expect(aws.happened('events.dead-lettered')).toMatchObject([{ errorCode: 'INVALID_JSON' }]);
    expect(aws.receive(dead)).toHaveLength(1);
  });

  it('knows the rule and the time', async () => {
    const template = '"<aws.events.rule-arn> <aws.events.rule-name> <aws.events.event.ingestion-time>"';
    expect(await bodyOf(transformer(template))).toBe(
      '"arn:aws:events:us-east-1:123456789012:rule/orders orders 2026-01-01T00:00:00.000Z"',
    );
  });

  it('knows the whole event, and the event without its detail as AWS is on record with', async () => {
    const template = '{"originalEvent": <aws.events.event>, "originalEventJson": <aws.events.event.json>}';
    const shared = { id: 'ID', account: '123456789012', region: 'us-east-1', resources: [], version: '0' };
    const time = '2026-01-01T00:00:00Z';
    const body: unknown = JSON.parse(
      (await bodyOf(transformer(template), {}))?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID') ?? '',
    );
    expect(body).toEqual({
      originalEvent: { ...shared, time, detailType: 'Order Placed', source: 'rental' },
      originalEventJson: { ...shared, time, 'detail-type': 'Order Placed', source: 'rental', detail: {} },
    });
  });
});

function scheduled(ScheduleExpression: string) {
  const aws = new EventsFixture();
  const queue = aws.queue('Ticks');
  const { RuleArn } = aws.events.call('PutRule', ADMIN, { Name: 'tick', ScheduleExpression });
  aws.events.call('PutTargets', ADMIN, { Rule: 'tick', Targets: [{ Id: 't', Arn: queue }] });
  const minutes = () => aws.happened('events.invoked').map(({ atMs }) => (atMs - START_MS) / 60_000);
  return { aws, queue, RuleArn, minutes };
}

describe('a rule with a schedule', () => {
  it('runs at its rate, from when it was put', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    await aws.goTo(16 * 60);
    expect(minutes()).toEqual([5, 10, 15]);
  });

  it('sends the event AWS documents', async () => {
    const { aws, queue, RuleArn } = scheduled('cron(0 10 * * ? *)');
    await aws.goTo(24 * 3600);
    expect(aws.receive(queue)).toMatchObject([
      {
        json: {
          version: '0',
          'detail-type': 'Scheduled Event',
          source: 'aws.events',
          account: '123456789012',
          time: '2026-01-01T10:00:00Z',
          region: 'us-east-1',
          resources: [RuleArn],
          detail: {},
        },
      },
    ]);
  });

  it('lets the world come to rest between its times', async () => {
    const { aws, minutes } = scheduled('rate(1 minute)');
    await aws.settle();
    expect(minutes()).toEqual([]);
    expect(aws.timeline.nowMs).toBe(START_MS);
  });

  it('does not run while it is disabled, and counts from when it is enabled', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    await aws.goTo(6 * 60);
    aws.events.call('DisableRule', ADMIN, { Name: 'tick' });
    await aws.goTo(12 * 60);
    aws.events.call('EnableRule', ADMIN, { Name: 'tick' });
    await aws.goTo(18 * 60);
    expect(minutes()).toEqual([5, 17]);
  });

  it('is over when it is deleted', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    aws.events.call('RemoveTargets', ADMIN, { Rule: 'tick', Ids: ['t'] });
    aws.events.call('DeleteRule', ADMIN, { Name: 'tick' });
    await aws.goTo(3600);
    expect(minutes()).toEqual([]);
    expect(aws.happened('events.rule-triggered')).toEqual([]);
  });

  it('put again runs by its new schedule alone', async () => {
    const { aws, minutes } = scheduled('rate(5 minutes)');
    aws.events.call('PutRule', ADMIN, { Name: 'tick', ScheduleExpression: 'rate(7 minutes)' });
    await aws.goTo(15 * 60);
    expect(minutes()).toEqual([7, 14]);
  });

  it('tried again is work the world does not rest before', async () => {
    const { aws, minutes } = scheduled('rate(1 minute)');
    aws.faults.set({ service: 'sqs', action: 'SendMessage', untilMs: START_MS + 150_000 });
    await aws.goTo(60);
    aws.events.call('DisableRule', ADMIN, { Name: 'tick' });
    await aws.settle();
    expect(minutes()).toEqual([1 + 127 / 60]);
  });
});
