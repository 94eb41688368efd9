import { roleCaller } from '../../../local/kernel/caller';
import { DAY_MS } from '../../../policy/time-units';
import { LogsFixture, START_MS } from './fixture';

const GROUP = 'sns/us-east-1/123456789012/Rental-Orders/Failure';

describe('a log group', () => {
  test('comes into being with its first event, as those of delivery-status logging do (section 5)', () => {
    const world = new LogsFixture();
    const { logs, trace } = world;
    expect(logs.events(GROUP)).toEqual([]);
    world.write(GROUP, 'one', 'first');
    expect(logs.groupNames).toEqual([GROUP]);
    expect(trace.events).toEqual([{ seq: 1, atMs: START_MS, type: 'logs.group-created', logGroupName: GROUP }]);
  });

  test('keeps its events in order and answers a span of time', async () => {
    const world = new LogsFixture();
    for (const message of ['a', 'b', 'c', 'd']) {
      world.write(GROUP, 'stream', message);
      await world.advance(1_000);
    }
    const messages = (query: object) => world.logs.events(GROUP, query).map(({ message }) => message);
    expect(messages({})).toEqual(['a', 'b', 'c', 'd']);
    expect(messages({ fromMs: START_MS + 1_000, toMs: START_MS + 3_000 })).toEqual(['b', 'c']);
    expect(messages({ filterPattern: '?a ?d' })).toEqual(['a', 'd']);
  });

  test('forgets what is older than its retention', async () => {
    const world = new LogsFixture();
    world.logs.call('CreateLogGroup', world.logs.owner, { logGroupName: GROUP });
    world.logs.call('PutRetentionPolicy', world.logs.owner, { logGroupName: GROUP, retentionInDays: 90 });
    world.write(GROUP, 'stream', 'old');
    await world.advance(DAY_MS);
    world.write(GROUP, 'stream', 'young');
    await world.advance(89 * DAY_MS + 1);
    expect(world.logs.events(GROUP).map(({ message }) => message)).toEqual(['young']);
  });

  test('cannot be created twice', () => {
    const world = new LogsFixture();
    const { logs } = world;
    world.write(GROUP, 'stream', 'already here');
    expect(() => logs.call('CreateLogGroup', logs.owner, { logGroupName: GROUP })).toThrow(
      expect.objectContaining({
        code: 'ResourceAlreadyExistsException',
        message: 'The specified log group already exists',
      }),
    );
  });

  test('is created with a key only if the key lets CloudWatch Logs use it for this group', () => {
    const world = new LogsFixture();
    const create = () =>
      world.logs.call('CreateLogGroup', world.logs.owner, { logGroupName: '/rental', kmsKeyId: 'key' });
    world.denied.add('kms:GenerateDataKey');
    expect(create).toThrow('The specified KMS key does not exist or is not allowed to be used with LogGroup');
    expect(world.logs.groupNames).toEqual([]);
    world.denied.clear();
    create();
    expect(world.askedOfKeys.at(-1)).toBe(
      'kms:Decrypt by logs.us-east-1.amazonaws.com for arn:aws:logs:us-east-1:123456789012:log-group:/rental',
    );
  });
});

describe('the API', () => {
  test('FilterLogEvents pages, and finds streams by name', async () => {
    const world = new LogsFixture();
    for (let i = 0; i < 5; i += 1) world.write(GROUP, i % 2 === 0 ? 'even' : 'odd', `message ${i}`);
    const call = (input: object) =>
      world.logs.call('FilterLogEvents', world.logs.owner, { logGroupName: GROUP, ...input });
    const first = call({ limit: 3 });
    expect(first.events?.map(({ message }) => message)).toEqual(['message 0', 'message 1', 'message 2']);
    expect(call({ limit: 3, nextToken: first.nextToken }).events?.map(({ message }) => message)).toEqual([
      'message 3',
      'message 4',
    ]);
    expect(call({ logStreamNames: ['odd'] }).events).toHaveLength(2);
    expect(call({ endTime: START_MS }).events).toHaveLength(5);
    expect(call({ startTime: START_MS + 1 }).events).toHaveLength(0);
  });

  test('DescribeLogGroups lists by name and pages', () => {
    const world = new LogsFixture();
    const { logs } = world;
    for (const name of ['/b', '/a', 'sns/x']) world.write(name, 'stream', '');
    const names = (input: object) =>
      logs.call('DescribeLogGroups', logs.owner, input).logGroups?.map(({ logGroupName }) => logGroupName);
    expect(names({})).toEqual(['/a', '/b', 'sns/x']);
    expect(names({ logGroupNamePrefix: '/' })).toEqual(['/a', '/b']);
    const { nextToken } = logs.call('DescribeLogGroups', logs.owner, { limit: 2 });
    expect(names({ limit: 2, nextToken })).toEqual(['sns/x']);
  });

  test.each([
    ['FilterLogEvents', { logGroupName: 'none' }, 'The specified log group does not exist.'],
    ['PutRetentionPolicy', { logGroupName: GROUP, retentionInDays: 2 }, 'retentionInDays must be one of 1, 3, 5'],
    [
      'CreateLogGroup',
      { logGroupName: 'with space' },
      "Value 'with space' at 'logGroupName' failed to satisfy constraint: Member must satisfy regular expression",
    ],
    ['CreateLogGroup', { logGroupName: '/x', logGroupClass: 'INFREQUENT_ACCESS' }, 'does not implement log groups of'],
  ] as const)('%s refuses %j', (action, input, text) => {
    const { logs } = new LogsFixture();
    expect(() => logs.call(action, logs.owner, input as never)).toThrow(text);
  });

  test('says what it does not have', () => {
    const { logs } = new LogsFixture();
    expect(() => logs.call('PutDestination' as 'CreateLogGroup', logs.owner, { logGroupName: GROUP })).toThrow(
      expect.objectContaining({
        code: 'NotImplemented',
        httpStatus: 501,
        message:
          'The embedded AWS does not implement logs:PutDestination. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      }),
    );
  });

  test('requires permissions, and applies injected faults', () => {
    const world = new LogsFixture();
    world.denied.add('logs:FilterLogEvents');
    expect(() => world.logs.call('FilterLogEvents', world.logs.owner, { logGroupName: GROUP })).toThrow(
      expect.objectContaining({
        code: 'AccessDeniedException',
        message: `User: arn:aws:iam::123456789012:root is not authorized to perform: logs:FilterLogEvents on resource: arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}:*`,
      }),
    );
    world.faults.set({ service: 'logs' });
    expect(() => world.logs.call('DescribeLogGroups', world.logs.owner, {})).toThrow(
      expect.objectContaining({ code: 'ServiceUnavailable' }),
    );
  });
});

describe('writing', () => {
  const ROLE = roleCaller('arn:aws:iam::123456789012:role/Feedback');
  const STREAM_ARN = `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}:log-stream:one`;

  test.each([
    ['CreateLogGroup', `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}:*`],
    ['CreateLogStream', STREAM_ARN],
    ['PutLogEvents', STREAM_ARN],
  ])('a first event takes the permission %s (section 5)', (action, resource) => {
    const world = new LogsFixture();
    world.denied.add(`logs:${action}`);
    const write = () => world.logs.write(ROLE, GROUP, 'one', 'first');
    expect(write).toThrow(expect.objectContaining({ code: 'AccessDeniedException', httpStatus: 400 }));
    expect(world.logs.events(GROUP)).toEqual([]);
    expect(world.trace.events).toContainEqual(
      expect.objectContaining({
        type: 'logs.refused',
        action,
        resource,
        code: 'AccessDeniedException',
        reason: 'denied by this test',
      }),
    );
    world.denied.clear();
    write();
    expect(world.logs.events(GROUP)).toHaveLength(1);
  });

  test('into a stream that is there takes PutLogEvents alone, and takes it each time', () => {
    const world = new LogsFixture();
    world.logs.write(ROLE, GROUP, 'one', 'first');
    world.denied.add('logs:CreateLogGroup').add('logs:CreateLogStream');
    world.logs.write(ROLE, GROUP, 'one', 'second');
    expect(() => world.logs.write(ROLE, GROUP, 'two', 'of another stream')).toThrow('logs:CreateLogStream');
    world.denied.add('logs:PutLogEvents');
    expect(() => world.logs.write(ROLE, GROUP, 'one', 'third')).toThrow('logs:PutLogEvents');
    expect(world.logs.events(GROUP).map(({ message }) => message)).toEqual(['first', 'second']);
  });

  test('meets the faults a scenario sets', () => {
    const world = new LogsFixture();
    world.faults.set({ service: 'logs', action: 'PutLogEvents' });
    expect(() => world.write(GROUP, 'one', 'first')).toThrow(expect.objectContaining({ code: 'ServiceUnavailable' }));
    world.faults.clear();
    world.write(GROUP, 'one', 'second');
    expect(world.logs.events(GROUP).map(({ message }) => message)).toEqual(['second']);
  });
});
