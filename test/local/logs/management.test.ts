import { gunzipSync } from 'node:zlib';
import { AwsError } from '../../../local/kernel/aws-error';
import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { DAY_MS } from '../../../policy/time-units';
import { errorOf, LogsFixture, START_MS } from './fixture';

const GROUP = '/rental';
const GROUP_ARN = `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}`;
const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:123456789012:function:Reader';

function world() {
  const it = new LogsFixture();
  it.createGroup(GROUP, 'one');
  return it;
}

describe('a log group', () => {
  it('is described as AWS does, and gone when it is deleted', () => {
    const it = world();
    it.put(GROUP, 'one', [0, 'é']);
    expect(it.call('DescribeLogGroups', {}).logGroups).toEqual([
      {
        logGroupName: GROUP,
        arn: `${GROUP_ARN}:*`,
        logGroupArn: GROUP_ARN,
        creationTime: START_MS,
        metricFilterCount: 0,
        storedBytes: 2,
        logGroupClass: 'STANDARD',
        deletionProtectionEnabled: false,
      },
    ]);
    it.call('DeleteLogGroup', { logGroupName: GROUP });
    expect(it.call('DescribeLogGroups', {})).toEqual({ logGroups: [] });
    expect(errorOf(() => it.call('DeleteLogGroup', { logGroupName: GROUP })).code).toBe('ResourceNotFoundException');
    expect(it.trace.events).toContainEqual(
      expect.objectContaining({ type: 'logs.group-deleted', logGroupName: GROUP }),
    );
  });

  it('cannot be deleted while it is protected', () => {
    const it = world();
    const protect = (deletionProtectionEnabled: boolean) =>
      it.call('PutLogGroupDeletionProtection', { logGroupIdentifier: GROUP, deletionProtectionEnabled });
    protect(true);
    expect(errorOf(() => it.call('DeleteLogGroup', { logGroupName: GROUP }))).toEqual({
      code: 'ValidationException',
      message: 'The log group /rental is protected from deletion.',
    });
    protect(false);
    it.call('DeleteLogGroup', { logGroupName: GROUP });
    expect(it.logs.groupNames).toEqual([]);
  });

  it('is found by a part of its name, or by identifiers', () => {
    const it = world();
    for (const name of ['/aws/DataOps', 'GroupDataOps', 'dataops']) it.createGroup(name);
    const names = (input: object) =>
      it.call('DescribeLogGroups', input).logGroups?.map(({ logGroupName }) => logGroupName);
    expect(names({ logGroupNamePattern: 'DataOps' })).toEqual(['/aws/DataOps', 'GroupDataOps']);
    expect(names({ logGroupIdentifiers: [GROUP_ARN, 'dataops'] })).toEqual([GROUP, 'dataops']);
    expect(names({ logGroupClass: 'INFREQUENT_ACCESS' })).toEqual([]);
    const both = { logGroupNamePrefix: 'a', logGroupNamePattern: 'b' };
    expect(errorOf(() => names(both)).message).toBe(
      'logGroupNamePrefix and logGroupNamePattern are mutually exclusive parameters.',
    );
    expect(errorOf(() => names({ limit: 51 })).message).toBe(
      "1 validation error detected: Value '51' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 50",
    );
  });
});

describe('tags', () => {
  it('are added, listed and taken away by ARN, and by name as of old', () => {
    const it = new LogsFixture();
    it.call('CreateLogGroup', { logGroupName: GROUP, tags: { Team: 'rental' } });
    const list = (resourceArn: string) => it.call('ListTagsForResource', { resourceArn }).tags;
    it.call('TagResource', { resourceArn: GROUP_ARN, tags: { Stage: 'prod', Team: 'returns' } });
    expect(list(`${GROUP_ARN}:*`)).toEqual({ Team: 'returns', Stage: 'prod' });
    it.call('TagLogGroup', { logGroupName: GROUP, tags: { Old: '' } });
    it.call('UntagLogGroup', { logGroupName: GROUP, tags: ['Team'] });
    it.call('UntagResource', { resourceArn: GROUP_ARN, tagKeys: ['Stage'] });
    expect(it.call('ListTagsLogGroup', { logGroupName: GROUP }).tags).toEqual({ Old: '' });
  });

  it('are fifty at most, of AWS’s characters, on something that is there', () => {
    const it = world();
    const tag = (tags: Record<string, string>, resourceArn = GROUP_ARN) =>
      errorOf(() => it.call('TagResource', { resourceArn, tags })).code;
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'v']));
    expect(tag(many)).toBe('TooManyTagsException');
    expect(tag({ 'a;b': 'c' })).toBe('InvalidParameterException');
    expect(tag({ k: 'v'.repeat(257) })).toBe('InvalidParameterException');
    expect(tag({ k: 'v' }, `${GROUP_ARN}2`)).toBe('ResourceNotFoundException');
    expect(tag({ k: 'v' }, 'arn:aws:sqs:us-east-1:123456789012:q')).toBe('ResourceNotFoundException');
    expect(it.call('ListTagsForResource', { resourceArn: GROUP_ARN })).toEqual({ tags: {} });
    expect(errorOf(() => it.call('CreateLogGroup', { logGroupName: '/new', tags: { 'a;b': '' } })).code).toBe(
      'InvalidParameterException',
    );
    expect(it.logs.groupNames).toEqual([GROUP]);
  });
});

describe('metric filters', () => {
  const transformation = { metricName: 'Failures', metricNamespace: 'Rental', metricValue: '1' };

  function put(it: LogsFixture, filterName: string, input: object = {}) {
    return it.call('PutMetricFilter', {
      logGroupName: GROUP,
      filterName,
      filterPattern: 'ERROR',
      metricTransformations: [transformation],
      ...input,
    });
  }

  it('are described by group, by name and by metric, replaced by name, and deleted', () => {
    const it = world();
    put(it, 'b');
    put(it, 'a', { metricTransformations: [{ ...transformation, metricName: 'Other' }] });
    put(it, 'b', { filterPattern: 'WARN' });
    const list = (input: object) => it.call('DescribeMetricFilters', input).metricFilters ?? [];
    expect(list({ logGroupName: GROUP })).toEqual([
      expect.objectContaining({ filterName: 'a' }),
      {
        filterName: 'b',
        filterPattern: 'WARN',
        metricTransformations: [transformation],
        creationTime: START_MS,
        logGroupName: GROUP,
      },
    ]);
    expect(list({ metricName: 'Other', metricNamespace: 'Rental' })).toMatchObject([{ filterName: 'a' }]);
    expect(list({ filterNamePrefix: 'b' })).toHaveLength(1);
    expect(errorOf(() => list({ metricName: 'Other' })).code).toBe('InvalidParameterException');
    it.call('DeleteMetricFilter', { logGroupName: GROUP, filterName: 'b' });
    expect(list({})).toHaveLength(1);
    expect(errorOf(() => it.call('DeleteMetricFilter', { logGroupName: GROUP, filterName: 'b' }))).toEqual({
      code: 'ResourceNotFoundException',
      message: 'The specified metric filter does not exist.',
    });
  });

  it('take values and dimensions from columns, too', () => {
    const it = world();
    put(it, 'bytes', {
      filterPattern: '[ip, ..., status = 5*, bytes]',
      metricTransformations: [{ ...transformation, metricValue: '$bytes', dimensions: { Status: '$status' } }],
    });
    it.put(GROUP, 'one', [0, '127.0.0.1 GET 503 1534'], [0, '127.0.0.1 GET 200 99']);
    expect(it.measured).toMatchObject([{ value: 1534, dimensions: { Status: '503' } }]);
  });

  it('are a hundred a group, five of them with regular expressions', () => {
    const it = world();
    for (let i = 0; i < 5; i += 1) put(it, `regex ${i}`, { filterPattern: '%x%' });
    expect(errorOf(() => put(it, 'one more', { filterPattern: '%x%' })).message).toContain('at most 5 filter patterns');
    put(it, 'regex 0', { filterPattern: '%y%' });
    for (let i = 5; i < 100; i += 1) put(it, `plain ${i}`);
    expect(errorOf(() => put(it, 'one more'))).toEqual({
      code: 'LimitExceededException',
      message: 'Resource limit exceeded.',
    });
  });

  test.each<[input: object, text: string]>([
    [{ filterName: 'a:b' }, "at 'filterName'"],
    [{ metricTransformations: [{ ...transformation, dimensions: { a: '$.a' }, defaultValue: 0 }] }, 'no defaultValue'],
    [
      { metricTransformations: [{ ...transformation, dimensions: { a: '$.a', b: '$.b', c: '$.c', d: '$.d' } }] },
      'at most 3 dimensions, got 4',
    ],
    [{ metricTransformations: [{ ...transformation, metricValue: '$.a[' }] }, 'Invalid metric transformation: $.a['],
    [{ applyOnTransformedLogs: true }, 'does not implement filters on transformed logs'],
    [{ fieldSelectionCriteria: 'x' }, "does not implement a filter's fieldSelectionCriteria"],
    [{ emitSystemFieldDimensions: ['@aws.account'] }, 'does not implement system fields in filters'],
  ])('%j is refused', (input, text) => {
    expect(errorOf(() => put(world(), 'x', input)).message).toContain(text);
  });

  it('can be tested, with what they extract', () => {
    const test = (filterPattern: string, ...logEventMessages: string[]) =>
      world().call('TestMetricFilter', { filterPattern, logEventMessages }).matches;
    expect(test('[level = ERROR, rest]', 'INFO fine', 'ERROR it broke')).toEqual([
      { eventNumber: 2, eventMessage: 'ERROR it broke', extractedValues: { $level: 'ERROR', $rest: 'it broke' } },
    ]);
    expect(test('{ $.n > 1 }', '{"n":2}')).toMatchObject([{ extractedValues: { '$.n': '2' } }]);
    expect(test('ERROR', 'ERROR')).toMatchObject([{ extractedValues: {} }]);
    expect(errorOf(() => test('x')).code).toBe('InvalidParameterException');
    expect(errorOf(() => test('x', ...Array(51).fill('x'))).code).toBe('InvalidParameterException');
  });
});

/** @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html */
describe('a subscription filter', () => {
  const put = (it: LogsFixture, input: object = {}) =>
    it.call('PutSubscriptionFilter', {
      logGroupName: GROUP,
      filterName: 'errors',
      filterPattern: 'ERROR',
      destinationArn: FUNCTION_ARN,
      ...input,
    });

  it('asks the function first, as CloudWatch Logs and for the group', () => {
    const it = world();
    put(it);
    expect(it.invoked).toMatchObject([
      {
        functionArn: FUNCTION_ARN,
        type: 'DryRun',
        caller: serviceCaller('logs.amazonaws.com', `${GROUP_ARN}:*`, '123456789012'),
      },
    ]);
    it.answerInvocation = () => {
      throw new AwsError('AccessDeniedException', 'no', 403);
    };
    expect(errorOf(() => put(it, { filterName: 'other' }))).toEqual({
      code: 'InvalidParameterException',
      message:
        'Could not execute the lambda function. Make sure you have given CloudWatch Logs permission to execute your function.',
    });
  });

  it('delivers what matches, a batch a stream, zipped in the shape of awslogs', async () => {
    const it = world();
    it.call('CreateLogStream', { logGroupName: GROUP, logStreamName: 'two' });
    put(it);
    it.put(GROUP, 'one', [-5, 'ERROR 1'], [0, 'fine'], [0, 'ERROR 2']);
    it.put(GROUP, 'two', [0, 'ERROR 3']);
    expect(it.invoked).toHaveLength(1);
    await it.advance(0);
    const batches = it.invoked.slice(1).map(({ type, payload }) => {
      const { awslogs } = JSON.parse(payload);
      return { type, data: JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString()) };
    });
    const logEvents = it.call('FilterLogEvents', { logGroupName: GROUP, filterPattern: 'ERROR' }).events ?? [];
    expect(batches).toEqual([
      {
        type: 'Event',
        data: {
          messageType: 'DATA_MESSAGE',
          owner: '123456789012',
          logGroup: GROUP,
          logStream: 'one',
          subscriptionFilters: ['errors'],
          logEvents: [
            { id: logEvents[0]?.eventId, timestamp: START_MS - 5, message: 'ERROR 1' },
            { id: logEvents[1]?.eventId, timestamp: START_MS, message: 'ERROR 2' },
          ],
        },
      },
      { type: 'Event', data: expect.objectContaining({ logStream: 'two' }) },
    ]);
    expect(it.trace.events).toContainEqual(
      expect.objectContaining({
        type: 'logs.delivered',
        logGroupName: GROUP,
        filterName: 'errors',
        destinationArn: FUNCTION_ARN,
        logStreamName: 'one',
        logEvents: 2,
      }),
    );
  });

  it('says in the trace what its function would not take', async () => {
    const it = world();
    put(it);
    it.answerInvocation = () => {
      throw new AwsError('ResourceNotFoundException', 'Function not found', 404);
    };
    it.put(GROUP, 'one', [0, 'ERROR']);
    await it.advance(0);
    expect(it.trace.events).toContainEqual(
      expect.objectContaining({ type: 'logs.undeliverable', reason: 'Function not found' }),
    );
  });

  describe('whose function', () => {
    const outage = new AwsError('ServiceException', 'out of order', 500);
    const throttle = new AwsError('TooManyRequestsException', 'Rate Exceeded.', 429);

    /** What became of one event, by type and second. */
    async function course(answers: readonly (AwsError | undefined)[], latencyMs = 0) {
      const it = world();
      put(it);
      const left = [...answers];
      it.answerInvocation = () => {
        const { latency } = it.invoked.at(-1)?.caller ?? {};
        if (latency) latency.ms = latencyMs;
        const error = left.length > 1 ? left.shift() : left[0];
        if (error) throw error;
      };
      it.put(GROUP, 'one', [0, 'ERROR']);
      await it.advance(2 * DAY_MS);
      const ofDelivery = /^logs\.(deliver|undeliverable)/;
      return it.trace.events
        .filter(({ type }) => ofDelivery.test(type))
        .map(({ type, atMs }) => `${(atMs - START_MS) / 1000} ${type}`);
    }

    it('is out of order, or throttled, gets the events later', async () => {
      expect(await course([outage, throttle, undefined])).toEqual([
        '0 logs.delivery-failed',
        '1 logs.delivery-failed',
        '3 logs.delivered',
      ]);
    });

    it('answers late has them, or not, when it has answered', async () => {
      expect(await course([undefined], 2500)).toEqual(['2.5 logs.delivered']);
      expect(await course([outage, undefined], 2500)).toEqual(['2.5 logs.delivery-failed', '6 logs.delivered']);
    });

    // AWS retries for 24 hours, then drops the events.
    it('is out of order for a day never gets them', async () => {
      const happened = await course([outage]);
      expect(happened.at(-1)).toBe('86400 logs.undeliverable');
      expect(happened.filter(it => it.endsWith('logs.undeliverable'))).toHaveLength(1);
      expect(happened.length).toBeGreaterThan(100);
    });
  });

  it('is one of two a group, is described, and can be deleted', () => {
    const it = world();
    put(it);
    put(it, { filterName: 'all', filterPattern: '', distribution: 'Random' });
    expect(errorOf(() => put(it, { filterName: 'third' })).code).toBe('LimitExceededException');
    const list = () => it.call('DescribeSubscriptionFilters', { logGroupName: GROUP }).subscriptionFilters ?? [];
    expect(list()).toMatchObject([
      { filterName: 'all', distribution: 'Random' },
      {
        filterName: 'errors',
        logGroupName: GROUP,
        filterPattern: 'ERROR',
        destinationArn: FUNCTION_ARN,
        distribution: 'ByLogStream',
        creationTime: START_MS,
      },
    ]);
    it.call('DeleteSubscriptionFilter', { logGroupName: GROUP, filterName: 'all' });
    expect(list()).toHaveLength(1);
    expect(errorOf(() => it.call('DeleteSubscriptionFilter', { logGroupName: GROUP, filterName: 'all' })).message).toBe(
      'The specified subscription filter does not exist.',
    );
  });

  it('to anything but a function is refused by name', () => {
    const destinationArn = 'arn:aws:kinesis:us-east-1:123456789012:stream/logs';
    expect(errorOf(() => put(world(), { destinationArn })).message).toBe(
      `The embedded AWS does not implement subscription filters to ${destinationArn}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
    );
  });
});

describe('resource policies', () => {
  const policyOf = (service: string) =>
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: 'logs:PutLogEvents', Resource: '*' }],
    });

  it('hold for every group, all together', () => {
    const it = world();
    const put = (policyName: string, service: string) =>
      it.call('PutResourcePolicy', { policyName, policyDocument: policyOf(service) });
    it.write(GROUP, 'one', 'before');
    expect(it.asked.at(-1)?.resourcePolicy).toBeUndefined();
    put('events', 'events.amazonaws.com');
    put('delivery', 'delivery.logs.amazonaws.com');
    it.write(GROUP, 'one', 'after');
    expect(it.asked.at(-1)).toMatchObject({
      action: 'logs:PutLogEvents',
      resourcePolicy: {
        Statement: [
          { Principal: { Service: 'events.amazonaws.com' } },
          { Principal: { Service: 'delivery.logs.amazonaws.com' } },
        ],
      },
    });
    expect(it.call('DescribeResourcePolicies', {}).resourcePolicies).toEqual([
      { policyName: 'events', policyDocument: policyOf('events.amazonaws.com'), lastUpdatedTime: START_MS },
      expect.objectContaining({ policyName: 'delivery' }),
    ]);
    it.call('DeleteResourcePolicy', { policyName: 'events' });
    it.call('DeleteResourcePolicy', { policyName: 'delivery' });
    it.write(GROUP, 'one', 'at last');
    expect(it.asked.at(-1)?.resourcePolicy).toBeUndefined();
    expect(errorOf(() => it.call('DeleteResourcePolicy', { policyName: 'events' })).code).toBe(
      'ResourceNotFoundException',
    );
  });

  it('are ten at most, and policies', () => {
    const it = world();
    for (let i = 0; i < 10; i += 1) {
      it.call('PutResourcePolicy', { policyName: `p${i}`, policyDocument: policyOf('events.amazonaws.com') });
    }
    const put = (input: object) => errorOf(() => it.call('PutResourcePolicy', { policyName: 'p', ...input }));
    expect(put({ policyDocument: policyOf('events.amazonaws.com') }).code).toBe('LimitExceededException');
    expect(put({ policyDocument: 'not JSON' }).code).toBe('InvalidParameterException');
    expect(put({ resourceArn: GROUP_ARN, policyDocument: '{}' }).message).toContain('of a single log group');
  });
});

describe('queries', () => {
  const SECONDS = START_MS / 1000;
  const ask = (it: LogsFixture, queryString: string, input: object = {}) =>
    it.call('StartQuery', { logGroupName: GROUP, startTime: SECONDS, endTime: SECONDS + 10, queryString, ...input });

  it('run for a second, and read what is there then', async () => {
    const it = world();
    it.put(GROUP, 'one', [0, '{"level":"error"}'], [10, '{"level":"info"}']);
    const { queryId } = ask(it, 'filter level = "error" | fields level');
    const results = () => it.call('GetQueryResults', { queryId });
    expect(results()).toMatchObject({ status: 'Running', results: [] });
    await it.advance(999);
    it.put(GROUP, 'one', [0, '{"level":"error"}']);
    expect(results().status).toBe('Running');
    await it.advance(1);
    expect(results()).toEqual({
      queryLanguage: 'CWLI',
      status: 'Complete',
      results: [
        [
          { field: 'level', value: 'error' },
          { field: '@ptr', value: expect.any(String) },
        ],
        [
          { field: 'level', value: 'error' },
          { field: '@ptr', value: expect.any(String) },
        ],
      ],
      statistics: {
        recordsMatched: 2,
        recordsScanned: 3,
        bytesScanned: 50,
        estimatedRecordsSkipped: 0,
        estimatedBytesSkipped: 0,
        logGroupsScanned: 1,
      },
    });
    expect(it.trace.events.slice(-2)).toMatchObject([
      { type: 'logs.query-started', queryId },
      { type: 'logs.query-completed', queryId },
    ]);
  });

  it('read whole seconds, both ends included, of several groups', async () => {
    const it = world();
    it.createGroup('/other', 's');
    it.put(GROUP, 'one', [-1, 'before'], [0, 'first'], [10_999, 'last'], [11_000, 'after']);
    it.put('/other', 's', [5, 'other']);
    const input = { logGroupName: undefined, logGroupIdentifiers: [GROUP_ARN, '/other'] };
    const { queryId } = ask(it, 'fields @message, @log | sort @timestamp asc', input);
    await it.advance(1000);
    const { results = [] } = it.call('GetQueryResults', { queryId });
    expect(results.map(row => row.slice(0, 2).map(({ value }) => value))).toEqual([
      ['first', '123456789012:/rental'],
      ['other', '123456789012:/other'],
      ['last', '123456789012:/rental'],
    ]);
  });

  it('point to their records', async () => {
    const it = world();
    it.put(GROUP, 'one', [0, '{"a":{"b":1},"ok":true}']);
    const { queryId } = ask(it, 'fields a.b');
    await it.advance(1000);
    const [row = []] = it.call('GetQueryResults', { queryId }).results ?? [];
    const logRecordPointer = row.find(({ field }) => field === '@ptr')?.value;
    expect(it.call('GetLogRecord', { logRecordPointer }).logRecord).toMatchObject({
      '@timestamp': String(START_MS),
      '@message': '{"a":{"b":1},"ok":true}',
      '@logStream': 'one',
      '@log': '123456789012:/rental',
      'a.b': '1',
      ok: '1',
    });
    it.call('DeleteLogStream', { logGroupName: GROUP, logStreamName: 'one' });
    expect(errorOf(() => it.call('GetLogRecord', { logRecordPointer })).code).toBe('ResourceNotFoundException');
    expect(errorOf(() => it.call('GetLogRecord', { logRecordPointer: 'x' })).code).toBe('InvalidParameterException');
  });

  it('can be stopped while they run, and are listed, the newest first', async () => {
    const it = world();
    const [first, second] = [ask(it, 'fields a').queryId, ask(it, 'fields b').queryId];
    expect(it.call('StopQuery', { queryId: first })).toEqual({ success: true });
    await it.advance(1000);
    expect(it.call('GetQueryResults', { queryId: first })).toMatchObject({ status: 'Cancelled', results: [] });
    const list = (input: object) => it.call('DescribeQueries', input).queries?.map(({ queryId }) => queryId);
    expect(list({})).toEqual([second, first]);
    expect(list({ status: 'Complete' })).toEqual([second]);
    expect(list({ logGroupName: '/none' })).toEqual([]);
    expect(it.call('DescribeQueries', { maxResults: 1 }).queries).toEqual([
      {
        queryLanguage: 'CWLI',
        queryId: second,
        queryString: 'fields b',
        status: 'Complete',
        createTime: START_MS,
        logGroupName: GROUP,
      },
    ]);
    expect(errorOf(() => it.call('StopQuery', { queryId: second }))).toEqual({
      code: 'InvalidParameterException',
      message: 'Query is already ended with Complete status',
    });
    await it.advance(7 * DAY_MS + 1);
    expect(list({})).toEqual([]);
    expect(errorOf(() => it.call('GetQueryResults', { queryId: second })).code).toBe('ResourceNotFoundException');
  });

  it('are a hundred at a time', () => {
    const it = world();
    for (let i = 0; i < 100; i += 1) ask(it, 'fields a');
    expect(errorOf(() => ask(it, 'fields a')).code).toBe('LimitExceededException');
  });

  test.each<[input: object, code: string, text: string]>([
    [{ queryString: 'frobnicate a' }, 'MalformedQueryException', 'unknown command frobnicate'],
    [
      { logGroupName: '/none' },
      'ResourceNotFoundException',
      "Log group '/none' does not exist for account ID '123456789012'",
    ],
    [{ logGroupNames: [GROUP] }, 'InvalidParameterException', 'Exactly one of logGroupName, logGroupNames'],
    [{ logGroupName: undefined }, 'InvalidParameterException', 'Exactly one of logGroupName, logGroupNames'],
    [
      { logGroupName: undefined, logGroupNames: [] },
      'InvalidParameterException',
      'A query reads 1 to 50 log groups, got 0',
    ],
    [{ endTime: 0 }, 'InvalidParameterException', 'endTime must not be before startTime'],
    [{ limit: 10_001 }, 'InvalidParameterException', "at 'limit'"],
    [{ queryLanguage: 'SQL' }, 'NotImplemented', 'queries in SQL'],
    [{ queryString: 'x'.repeat(10_001) }, 'InvalidParameterException', "at 'queryString'"],
  ])('%j is refused', (input, code, text) => {
    const error = errorOf(() => ask(world(), 'fields a', input));
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  it('take a permission on each of their groups', () => {
    const it = world();
    it.createGroup('/secret');
    it.deny = ({ action, resource }) => action === 'logs:StartQuery' && resource.includes('/secret');
    const start = () =>
      it.logs.call('StartQuery', roleCaller('arn:aws:iam::123456789012:role/Reader'), {
        logGroupNames: [GROUP, '/secret'],
        startTime: 0,
        endTime: 1,
        queryString: 'fields a',
      });
    expect(errorOf(start).code).toBe('AccessDeniedException');
  });

  it('are kept under a name', () => {
    const it = world();
    const put = (name: string, input: object = {}) =>
      it.call('PutQueryDefinition', { name, queryString: 'fields a', ...input }).queryDefinitionId;
    const second = put('deliveries/by cause', { logGroupNames: [GROUP] });
    put('a first one');
    const list = (input: object = {}) => it.call('DescribeQueryDefinitions', input).queryDefinitions ?? [];
    expect(list().map(({ name }) => name)).toEqual(['a first one', 'deliveries/by cause']);
    expect(put('deliveries/by status', { queryDefinitionId: second, queryString: 'fields b' })).toBe(second);
    expect(list({ queryDefinitionNamePrefix: 'deliveries/' })).toEqual([
      { queryDefinitionId: second, name: 'deliveries/by status', queryString: 'fields b', lastModified: START_MS },
    ]);
    expect(it.call('DeleteQueryDefinition', { queryDefinitionId: second })).toEqual({ success: true });
    expect(list()).toHaveLength(1);
    for (const act of [
      () => it.call('DeleteQueryDefinition', { queryDefinitionId: second }),
      () => put('x', { queryDefinitionId: second }),
    ]) {
      expect(errorOf(act).code).toBe('ResourceNotFoundException');
    }
  });
});

test('CloudWatch is shown every event, to read metrics out of it', () => {
  const it = world();
  it.put(GROUP, 'one', [0, 'by the API']);
  it.write(GROUP, 'one', 'by a service');
  expect(it.seenByCloudWatch).toEqual(['by the API', 'by a service']);
});
