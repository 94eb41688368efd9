import type { Target } from '@aws-sdk/client-eventbridge';
import { AwsError } from '../../../local/kernel/aws-error';
import { roleCaller } from '../../../local/kernel/caller';
import { ADMIN, EventsFixture, FUNCTION_ARN, START_MS } from './events-fixture';

/** `Code: text` of what a call is refused with. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof AwsError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:Orders';
const PATTERN = '{"source":["rental"]}';

describe('PutEvents', () => {
  const put = (entries: readonly object[]) => {
    const aws = new EventsFixture();
    return aws.events.call('PutEvents', ADMIN, { Entries: [...entries] });
  };
  const good = { Source: 'rental', DetailType: 'x', Detail: '{}' };

  // Recorded on AWS.
  it.each([
    [
      { ...good, Source: undefined },
      'InvalidArgument',
      'Parameter Source is not valid. Reason: Source is a required argument.',
    ],
    [
      { ...good, DetailType: '' },
      'InvalidArgument',
      'Parameter DetailType is not valid. Reason: DetailType is a required argument.',
    ],
    [
      { ...good, Detail: undefined },
      'InvalidArgument',
      'Parameter Detail is not valid. Reason: Detail is a required argument.',
    ],
    [{ ...good, Detail: 'text' }, 'MalformedDetail', 'Detail is malformed.'],
    [{ ...good, Detail: '["a"]' }, 'MalformedDetail', 'Detail is malformed.'],
    [{ ...good, Detail: '{"not": closed' }, 'MalformedDetail', 'Detail is malformed.'],
    [{ ...good, Detail: `{"a":${'['.repeat(2000)}${']'.repeat(2000)}}` }, 'MalformedDetail', 'Detail is malformed.'],
    [{ ...good, Source: 'aws.ec2' }, 'NotAuthorizedForSource', 'Not authorized for the source.'],
  ])('refuses an entry alone that is wrong (%#)', (entry, ErrorCode, ErrorMessage) => {
    expect(put([good, entry])).toEqual({
      FailedEntryCount: 1,
      Entries: [{ EventId: expect.any(String) }, { ErrorCode, ErrorMessage }],
    });
  });

  it('takes ten entries at most', () => {
    const shown =
      'PutEventsRequestEntry(time=null, source=rental, resources=null, detailType=x, detail={}, eventBusName=null, ' +
      'traceHeader=null, kmsKeyIdentifier=null, internalMetadata=null)';
    expect(refusal(() => put(Array(11).fill(good)))).toBe(
      `ValidationException: 1 validation error detected: Value '[${Array(11).fill(shown).join(', ')}]' at 'entries' ` +
        'failed to satisfy constraint: Member must have length less than or equal to 10',
    );
    expect(put(Array(10).fill(good))).toMatchObject({ FailedEntryCount: 0 });
    expect(refusal(() => put([]))).toContain('greater than or equal to 1');
  });

  it('takes a megabyte at most, as AWS counts it', () => {
    const Detail = JSON.stringify({ a: 'x'.repeat(1024 * 1024 - 15) });
    expect(put([{ ...good, Detail }])).toMatchObject({ FailedEntryCount: 0 });
    expect(refusal(() => put([{ ...good, Detail: `${Detail} ` }]))).toBe(
      'ValidationException: Total size of the entries in the request is over the limit.',
    );
  });
});

describe('a rule', () => {
  it('is described and listed as it was put', () => {
    const { events } = new EventsFixture();
    events.call('PutRule', ADMIN, { Name: 'b', EventPattern: PATTERN, Description: 'orders' });
    events.call('PutRule', ADMIN, { Name: 'a', ScheduleExpression: 'rate(1 minute)', State: 'DISABLED' });
    const [Arn, EventBusName] = ['arn:aws:events:us-east-1:123456789012:rule/b', 'default'];
    const b = { Arn, EventBusName, Name: 'b', EventPattern: PATTERN, Description: 'orders', State: 'ENABLED' };
    expect(events.call('DescribeRule', ADMIN, { Name: 'b' })).toEqual({ ...b, CreatedBy: '123456789012' });
    expect(events.call('ListRules', ADMIN, {})).toEqual({
      Rules: [expect.objectContaining({ Name: 'a', ScheduleExpression: 'rate(1 minute)', State: 'DISABLED' }), b],
    });
    expect(events.call('ListRules', ADMIN, { NamePrefix: 'b' }).Rules).toHaveLength(1);
    const { NextToken, Rules } = events.call('ListRules', ADMIN, { Limit: 1 });
    expect(Rules).toMatchObject([{ Name: 'a' }]);
    expect(events.call('ListRules', ADMIN, { NextToken }).Rules).toMatchObject([{ Name: 'b' }]);
  });

  it('put again is another rule with the same targets', () => {
    const aws = new EventsFixture();
    aws.rule('orders', [{ Arn: QUEUE }]);
    aws.events.call('PutRule', ADMIN, { Name: 'orders', EventPattern: '{"source":["x"]}' });
    expect(aws.events.call('DescribeRule', ADMIN, { Name: 'orders' }).EventPattern).toBe('{"source":["x"]}');
    expect(aws.events.call('ListTargetsByRule', ADMIN, { Rule: 'orders' })).toEqual({
      Targets: [{ Id: 't1', Arn: QUEUE }],
    });
    expect(aws.events.call('ListRuleNamesByTarget', ADMIN, { TargetArn: QUEUE })).toEqual({ RuleNames: ['orders'] });
  });

  it('stays as it was when what is put in its place is not valid', () => {
    const aws = new EventsFixture();
    aws.rule('orders', []);
    const broken = { Name: 'orders', EventPattern: '{"source":"x"}' };
    expect(refusal(() => aws.events.call('PutRule', ADMIN, broken))).toMatch(
      /^InvalidEventPatternException: Event pattern is not valid. Reason: "source" must be an object or an array/,
    );
    expect(aws.events.call('DescribeRule', ADMIN, { Name: 'orders' }).EventPattern).toBe(PATTERN);
  });

  it.each([
    [{ Name: 'r' }, 'ValidationException: Parameter(s) EventPattern or ScheduleExpression must be specified.'],
    [
      { Name: 'r', EventPattern: '{}' },
      'ValidationException: Parameter(s) EventPattern or ScheduleExpression must be specified.',
    ],
    [
      { Name: 'r', ScheduleExpression: 'rate(1 minutes)' },
      'ValidationException: Parameter ScheduleExpression is not valid.',
    ],
    [
      { Name: 'r', EventPattern: PATTERN, EventBusName: 'gone' },
      'ResourceNotFoundException: Event bus gone does not exist.',
    ],
    [
      { Name: 'a b', EventPattern: PATTERN, State: 'ON' as 'ENABLED' },
      "ValidationException: 2 validation errors detected: Value 'a b' at 'name' failed to satisfy constraint: Member must satisfy " +
        "regular expression pattern: [\\.\\-_A-Za-z0-9]+; Value 'ON' at 'state' failed to satisfy constraint: Member must satisfy " +
        'enum value set: [ENABLED, DISABLED, ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS]',
    ],
  ])('is refused when it is not valid: %j', (input, text) => {
    const { events } = new EventsFixture();
    expect(refusal(() => events.call('PutRule', ADMIN, input))).toBe(text);
  });

  // Recorded on AWS.
  it('with a schedule can be on the default bus alone', () => {
    const { events } = new EventsFixture();
    events.call('CreateEventBus', ADMIN, { Name: 'custom' });
    const rule = { Name: 'r', ScheduleExpression: 'rate(1 minute)', EventBusName: 'custom' };
    expect(refusal(() => events.call('PutRule', ADMIN, rule))).toBe(
      'ValidationException: ScheduleExpression is supported only on the default event bus.',
    );
  });

  it('cannot be deleted while it has targets', () => {
    const aws = new EventsFixture();
    aws.rule('orders', [{ Arn: QUEUE }]);
    const remove = () => aws.events.call('DeleteRule', ADMIN, { Name: 'orders' });
    expect(refusal(remove)).toBe("ValidationException: Rule can't be deleted since it has targets.");
    expect(aws.events.call('RemoveTargets', ADMIN, { Rule: 'orders', Ids: ['t1', 'x'] })).toMatchObject({
      FailedEntryCount: 1,
      FailedEntries: [{ TargetId: 'x', ErrorCode: 'ResourceNotFoundException' }],
    });
    expect([refusal(remove), refusal(remove)]).toEqual(['accepted', 'accepted']);
    expect(refusal(() => aws.events.call('DescribeRule', ADMIN, { Name: 'orders' }))).toBe(
      'ResourceNotFoundException: Rule orders does not exist on EventBus default.',
    );
  });

  it('has tags', () => {
    const aws = new EventsFixture();
    const ResourceARN = aws.rule('orders', []);
    aws.events.call('TagResource', ADMIN, {
      ResourceARN,
      Tags: [
        { Key: 'a', Value: '1' },
        { Key: 'b', Value: '2' },
      ],
    });
    aws.events.call('UntagResource', ADMIN, { ResourceARN, TagKeys: ['a'] });
    expect(aws.events.call('ListTagsForResource', ADMIN, { ResourceARN })).toEqual({
      Tags: [{ Key: 'b', Value: '2' }],
    });
    expect(refusal(() => aws.events.call('ListTagsForResource', ADMIN, { ResourceARN: 'arn:gone' }))).toContain(
      'ResourceNotFoundException',
    );
  });
});

describe('a target', () => {
  const put = (...Targets: Target[]): string => {
    const aws = new EventsFixture();
    aws.rule('orders', []);
    return refusal(() => aws.events.call('PutTargets', ADMIN, { Rule: 'orders', Targets }));
  };
  const at = (Id: string, more: Partial<Target> = {}): Target => ({ Id, Arn: QUEUE, ...more });

  it('is one of five at most', () => {
    expect(put(...['a', 'b', 'c', 'd', 'e'].map(id => at(id)))).toBe('accepted');
    expect(put(...['a', 'b', 'c', 'd', 'e', 'f'].map(id => at(id)))).toBe(
      'LimitExceededException: The requested resource exceeds the maximum number allowed.',
    );
  });

  // Recorded on AWS, or measured by cdk-preflight.
  it.each<[Partial<Target>, string]>([
    [
      { Id: '!@#' },
      "1 validation error detected: Value '!@#' at 'targets.1.member.id' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\.\\-_A-Za-z0-9]+",
    ],
    [
      { Id: 'x'.repeat(65) },
      `1 validation error detected: Value '${'x'.repeat(65)}' at 'targets.1.member.id' failed to satisfy constraint: Member must have length less than or equal to 64`,
    ],
    [
      { RetryPolicy: { MaximumRetryAttempts: 186 } },
      "1 validation error detected: Value '186' at 'targets.1.member.retryPolicy.maximumRetryAttempts' failed to satisfy constraint: Member must have value less than or equal to 185",
    ],
    [
      { RetryPolicy: { MaximumEventAgeInSeconds: 59 } },
      "1 validation error detected: Value '59' at 'targets.1.member.retryPolicy.maximumEventAgeInSeconds' failed to satisfy constraint: Member must have value greater than or equal to 60",
    ],
    [
      { Input: '{}', InputPath: '$' },
      'Only one of Input, InputPath, or InputTransformer must be provided for target t.',
    ],
    [{ Input: 'hello' }, 'JSON syntax error in input for target t.'],
    [{ InputPath: 'detail' }, 'InputPath for target t is invalid.'],
    [{ InputPath: "$.detail['key']" }, 'InputPath for target t is invalid.'],
    [
      { InputTransformer: { InputTemplate: '"<key>"' } },
      'InputTemplate for target t contains invalid placeholder key.',
    ],
    [
      { InputTransformer: { InputTemplate: '"<aws.events.event.json>"' } },
      'InputTemplate for target t contains placeholder aws.events.event.json valid only for JSON template.',
    ],
    [{ Arn: `${QUEUE}.fifo` }, 'Parameter(s) SqsParameters must be specified for target: t.'],
    [{ EcsParameters: { TaskDefinitionArn: 'arn' } }, 'Parameter(s) EcsParameters not supported for target: t.'],
    [
      { Arn: 'arn:aws:events:us-east-1:123456789012:event-bus/x' },
      'RoleArn is required for target arn:aws:events:us-east-1:123456789012:event-bus/x.',
    ],
    [{ DeadLetterConfig: { Arn: FUNCTION_ARN } }, 'lambda is not supported as a dead letter resource.'],
    [{ DeadLetterConfig: { Arn: `${QUEUE}.fifo` } }, 'SQS FIFO is not supported by Dead Letter Queues.'],
  ])('is refused when it is not valid: %j', (target, text) => {
    expect(put({ Id: 't', Arn: QUEUE, ...target })).toBe(`ValidationException: ${text}`);
  });

  it('cannot have the id of another', () => {
    expect(put(at('a'), at('a'))).toBe(
      "ValidationException: Parameter targets is not valid. Reason: More than one target with Id 'a' is provided.",
    );
  });

  it('refuses a role that the caller may not pass', () => {
    const aws = new EventsFixture();
    aws.rule('orders', []);
    const trustPolicy = {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: '*', Action: 'sts:AssumeRole' }],
    };
    const { arn } = aws.iam.createRole({ roleName: 'Deployer', trustPolicy });
    const Statement = [{ Effect: 'Allow', Action: 'events:*', Resource: '*' }];
    aws.iam.putRolePolicy('Deployer', 'events', { Version: '2012-10-17', Statement });
    const give = (target: Partial<Target>) =>
      refusal(() => aws.events.call('PutTargets', roleCaller(arn), { Rule: 'orders', Targets: [at('t', target)] }));
    expect(give({})).toBe('accepted');
    expect(give({ RoleArn: 'arn:aws:iam::123456789012:role/Admin' })).toBe(
      `AccessDeniedException: User: ${arn} is not authorized to perform: iam:PassRole on resource: ` +
        'arn:aws:iam::123456789012:role/Admin',
    );
  });

  it('of a kind the embedded EventBridge does not have is refused by name', () => {
    const Arn = 'arn:aws:kinesis:us-east-1:123456789012:stream/orders';
    expect(put({ Id: 't', Arn })).toBe(
      `NotImplemented: The embedded AWS does not implement the EventBridge target ${Arn}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
    );
    const destination = 'arn:aws:events:us-east-1:123456789012:api-destination/x/y';
    expect(put({ Id: 't', Arn: destination })).toContain('NotImplemented');
  });
});

describe('an event bus', () => {
  it('is created, described, listed, updated and deleted', () => {
    const { events } = new EventsFixture();
    const EventBusArn = 'arn:aws:events:us-east-1:123456789012:event-bus/orders';
    expect(events.call('CreateEventBus', ADMIN, { Name: 'orders', Description: 'all' })).toEqual({
      EventBusArn,
      Description: 'all',
    });
    const times = { CreationTime: new Date(START_MS), LastModifiedTime: new Date(START_MS) };
    expect(events.call('DescribeEventBus', ADMIN, { Name: EventBusArn })).toEqual({
      Name: 'orders',
      Arn: EventBusArn,
      Description: 'all',
      ...times,
    });
    expect(events.call('ListEventBuses', ADMIN, {}).EventBuses).toMatchObject([
      { Name: 'default' },
      { Name: 'orders' },
    ]);
    expect(events.call('UpdateEventBus', ADMIN, { Name: 'orders' })).toEqual({ Arn: EventBusArn, Name: 'orders' });
    events.call('DeleteEventBus', ADMIN, { Name: 'orders' });
    expect(refusal(() => events.call('DescribeEventBus', ADMIN, { Name: 'orders' }))).toBe(
      'ResourceNotFoundException: Event bus orders does not exist.',
    );
  });

  it.each([
    ['default', 'ResourceAlreadyExistsException: Event bus default already exists.'],
    ['team/bus', "ValidationException: Event bus name must not contain '/'."],
  ])('cannot be called %s', (Name, text) => {
    expect(refusal(() => new EventsFixture().events.call('CreateEventBus', ADMIN, { Name }))).toBe(text);
  });

  it('cannot be deleted when it is the default one, or has rules', () => {
    const aws = new EventsFixture();
    aws.events.call('CreateEventBus', ADMIN, { Name: 'orders' });
    aws.rule('r', [], 'orders');
    expect(refusal(() => aws.events.call('DeleteEventBus', ADMIN, { Name: 'default' }))).toBe(
      'ValidationException: Cannot delete event bus default.',
    );
    expect(refusal(() => aws.events.call('DeleteEventBus', ADMIN, { Name: 'orders' }))).toContain('rules');
  });

  it('has a policy of statements', () => {
    const { events } = new EventsFixture();
    const account = { Action: 'events:PutEvents', Principal: '111111111111', StatementId: 'other' };
    const organization = { Type: 'StringEquals', Key: 'aws:PrincipalOrgID', Value: 'o-1' };
    events.call('PutPermission', ADMIN, account);
    events.call('PutPermission', ADMIN, { ...account, Principal: '*', StatementId: 'org', Condition: organization });
    const policy = () => JSON.parse(events.call('DescribeEventBus', ADMIN, {}).Policy ?? 'null') as unknown;
    const Resource = 'arn:aws:events:us-east-1:123456789012:event-bus/default';
    const shared = { Effect: 'Allow', Action: 'events:PutEvents', Resource };
    expect(policy()).toEqual({
      Version: '2012-10-17',
      Statement: [
        { Sid: 'other', ...shared, Principal: { AWS: 'arn:aws:iam::111111111111:root' } },
        { Sid: 'org', ...shared, Principal: '*', Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } },
      ],
    });
    events.call('RemovePermission', ADMIN, { StatementId: 'other' });
    expect(policy()).toMatchObject({ Statement: [{ Sid: 'org' }] });
    expect(refusal(() => events.call('RemovePermission', ADMIN, { StatementId: 'other' }))).toBe(
      'ResourceNotFoundException: Statement with the provided id does not exist.',
    );
    events.call('RemovePermission', ADMIN, { RemoveAllPermissions: true });
    expect(policy()).toBeNull();
  });

  it("encrypted with a customer's key is refused by name", () => {
    const bus = { Name: 'x', KmsKeyIdentifier: 'alias/mine' };
    expect(refusal(() => new EventsFixture().events.call('CreateEventBus', ADMIN, bus))).toContain('NotImplemented');
  });
});

describe('TestEventPattern', () => {
  const event = {
    id: '1',
    source: 'rental',
    'detail-type': 'x',
    account: '1',
    region: 'r',
    time: 't',
    detail: { a: 1 },
  };
  const test = (EventPattern: string, Event: string) =>
    new EventsFixture().events.call('TestEventPattern', ADMIN, { EventPattern, Event });

  it('answers whether a pattern matches', () => {
    expect(test(PATTERN, JSON.stringify(event))).toEqual({ Result: true });
    expect(test('{"detail":{"a":[2]}}', JSON.stringify(event))).toEqual({ Result: false });
  });

  it.each(['plain text', '[]', '{"source":"rental"}'])('refuses %j for an event', Event => {
    expect(refusal(() => test(PATTERN, Event))).toBe('ValidationException: Parameter Event is not valid.');
  });
});

it('answers 501 to what it does not have', () => {
  const { events } = new EventsFixture();
  expect(events.implements('CreateArchive')).toBe(false);
});
