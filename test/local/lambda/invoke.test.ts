import { SessionCredentialStore } from '../../../local/iam/session-credentials';
import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { ADMIN, errorOf, LambdaFixture } from './lambda-fixture';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:f';
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:Rental-Orders';

describe('Invoke', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.deploy('f', {
      code: 'exports.handler = async (event, context) => ({ event, arn: context.invokedFunctionArn });',
    });
  });
  afterEach(() => world.close());

  test.each(['f', ARN, '123456789012:function:f', 'function:f'])('finds a function as %s', async name => {
    expect((await world.invoke(name, [1])).value).toEqual({ event: [1], arn: ARN });
  });

  test.each(['f:$LATEST', `${ARN}:$LATEST`])('the handler sees by what it was invoked: %s', async name => {
    expect((await world.invoke(name)).value).toMatchObject({ arn: `${ARN}:$LATEST` });
  });

  test('gives the handler its context', async () => {
    world.deploy('c', {
      code: 'exports.handler = async (event, context) => ({ ...context, left: context.getRemainingTimeInMillis() });',
    });
    const { value, response } = await world.invoke('c');
    expect(value).toMatchObject({
      awsRequestId: response.$metadata.requestId,
      functionName: 'c',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:c',
      memoryLimitInMB: '128',
      logGroupName: '/aws/lambda/c',
      logStreamName: expect.stringContaining('[$LATEST]'),
      callbackWaitsForEmptyEventLoop: true,
      left: 3000,
    });
  });

  test('an empty payload is an empty object', async () => {
    const answer = world.lambda.call('Invoke', ADMIN, { FunctionName: 'f' });
    await world.timeline.runUntilIdle();
    expect(JSON.parse(Buffer.from((await answer).Payload ?? []).toString())).toMatchObject({ event: {} });
  });

  test('as an event it is answered 202 at once, and as a dry run 204 without a run', async () => {
    const call = (InvocationType: 'Event' | 'DryRun') =>
      world.lambda.call('Invoke', ADMIN, { FunctionName: 'f', InvocationType, Payload: '{}' });
    expect(call('Event')).toEqual({ StatusCode: 202, $metadata: { requestId: expect.any(String) } });
    expect(call('DryRun')).toEqual({ StatusCode: 204, $metadata: { requestId: expect.any(String) } });
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.invoked')).toHaveLength(1);
  });

  test.each([
    [
      { FunctionName: 'g' },
      'ResourceNotFoundException',
      404,
      'Function not found: arn:aws:lambda:us-east-1:123456789012:function:g',
    ],
    [{ FunctionName: 'f', Qualifier: 'live' }, 'ResourceNotFoundException', 404, `Function not found: ${ARN}:live`],
    [
      { FunctionName: 'f', Payload: '{"half' },
      'InvalidRequestContentException',
      400,
      // Our own text: that of JSON.parse changes with the version of Node.js.
      'Could not parse request body into json: Unexpected end-of-input: was expecting closing quote for a string value, or what a string may hold at line 1, column 7',
    ],
    [
      // The limit is 1 MB, and the two quotes exceed it by two bytes. Users have published this error code.
      { FunctionName: 'f', InvocationType: 'Event', Payload: JSON.stringify('x'.repeat(2 ** 20)) },
      'RequestEntityTooLargeException',
      413,
      '1048578 byte payload is too large for the Event invocation type (limit 1048576 bytes)',
    ],
    [
      { FunctionName: 'f', Payload: JSON.stringify('x'.repeat(6 * 2 ** 20)) },
      'RequestEntityTooLargeException',
      413,
      'Request must be smaller than 6291456 bytes for the InvokeFunction operation',
    ],
  ] as const)('refuses %#', (input, code, status, text) => {
    const error = errorOf(() => world.lambda.call('Invoke', ADMIN, input));
    expect(error).toMatchObject({ code, status });
    expect(error.message).toBe(text);
    expect(world.happened('lambda.refused')).toMatchObject([{ action: 'Invoke', code }]);
  });

  test('takes no other kind of invocation, or of log', () => {
    const input = { FunctionName: 'f', InvocationType: 'Later' as 'Event', LogType: 'Head' as 'Tail' };
    expect(errorOf(() => world.call('Invoke', input))).toEqual({
      code: 'ValidationException',
      status: 400,
      message:
        "2 validation errors detected: Value 'Later' at 'invocationType' failed to satisfy constraint: Member must satisfy enum value set: [RequestResponse, Event, DryRun]; Value 'Head' at 'logType' failed to satisfy constraint: Member must satisfy enum value set: [None, Tail]",
    });
  });

  test.each([
    ['no base64 at all', '{'],
    ['no JSON', Buffer.from('{half').toString('base64')],
  ])('takes no client context that is %s', (_, ClientContext) => {
    expect(errorOf(() => world.call('Invoke', { FunctionName: 'f', ClientContext }))).toMatchObject({
      code: 'InvalidRequestContentException',
      message: 'Client context must be a valid Base64-encoded JSON object.',
    });
  });

  test('answers the last 4 KB of the log of that run, its init phase included', async () => {
    world.deploy('chatty', {
      code: "console.log('loading'); exports.handler = async event => { console.log('x'.repeat(event.length)); };",
    });
    const log = async (length: number) => {
      const { response } = await world.invoke('chatty', { length }, { LogType: 'Tail' });
      return Buffer.from(response.LogResult ?? '', 'base64').toString();
    };
    const first = await log(1);
    expect(first).toMatch(/^2026-01-01T00:00:00\.000Z\tundefined\tINFO\tloading\nSTART RequestId/);
    expect(first).not.toContain('INIT_START');
    const second = await log(10_000);
    expect(second).toHaveLength(4096);
    expect(second).toMatch(/x\nEND RequestId: .*\nREPORT RequestId: .*\n$/);
    expect(second).not.toContain('loading');
  });

  test.each([
    [6_291_556 - 2, undefined],
    [6_291_556 - 1, 'Unhandled'],
  ])('an answer of %i characters and two quotes is an error: %s', async (length, functionError) => {
    world.deploy('large', { code: 'exports.handler = async length => "x".repeat(length);' });
    const answer = await world.invoke('large', length);
    expect(answer.functionError).toBe(functionError);
    if (functionError) {
      expect(answer.value).toEqual({
        errorType: 'Function.ResponseSizeTooLarge',
        errorMessage: 'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
      });
    }
    await world.invoke('large', 1);
    expect(world.happened('lambda.invoked').map(({ coldStart }) => coldStart)).toEqual([true, false]);
  });

  test('is a loop, too, where functions invoke each other through destinations', async () => {
    const code = 'exports.handler = async () => {};';
    const [ping, pong] = [world.deploy('ping', { code }), world.deploy('pong', { code })];
    const next = (FunctionName: string, Destination: string) =>
      world.call('PutFunctionEventInvokeConfig', { FunctionName, DestinationConfig: { OnSuccess: { Destination } } });
    next('ping', pong);
    next('pong', ping);
    world.queue('ping');
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.invoked')).toHaveLength(32);
    expect(world.happened('lambda.recursion-stopped')).toMatchObject([{ functionArn: ping, trigger: 'Event' }]);
    expect(world.total('RecursiveInvocationsDropped')).toBe(1);
  });

  test('asks for permission with the policy of the function', () => {
    const asked: unknown[] = [];
    world.decideAccess = request => {
      asked.push(request);
      return { allowed: false, reason: 'no resource-based policy allows the lambda:InvokeFunction action' };
    };
    world.lambda.functionNamed('f').addPermission({
      statementId: 'sns',
      action: 'lambda:InvokeFunction',
      principal: 'sns.amazonaws.com',
      sourceArn: TOPIC,
    });
    const caller = serviceCaller('sns.amazonaws.com', TOPIC, '123456789012');
    expect(errorOf(() => world.lambda.call('Invoke', caller, { FunctionName: ARN, InvocationType: 'Event' }))).toEqual({
      code: 'AccessDeniedException',
      status: 403,
      message: `User: sns.amazonaws.com is not authorized to perform: lambda:InvokeFunction on resource: ${ARN}`,
    });
    expect(world.happened('lambda.refused')).toMatchObject([
      { resource: ARN, reason: 'no resource-based policy allows the lambda:InvokeFunction action' },
    ]);
    expect(asked).toEqual([
      {
        caller,
        action: 'lambda:InvokeFunction',
        resource: ARN,
        resourcePolicy: {
          Version: '2012-10-17',
          Id: 'default',
          Statement: [
            {
              Sid: 'sns',
              Effect: 'Allow',
              Principal: { Service: 'sns.amazonaws.com' },
              Action: 'lambda:InvokeFunction',
              Resource: ARN,
              Condition: { ArnLike: { 'AWS:SourceArn': TOPIC } },
            },
          ],
        },
      },
    ]);
  });

  test('a fault set on Lambda meets every caller', () => {
    world.faults.set({ service: 'lambda', httpStatus: 500, code: 'ServiceException' });
    const caller = roleCaller('arn:aws:iam::123456789012:role/other');
    expect(errorOf(() => world.lambda.call('Invoke', caller, { FunctionName: 'f' }))).toMatchObject({
      code: 'ServiceException',
      status: 500,
    });
  });

  test('is throttled, and the trace says why, where more functions run at once than there may be threads', async () => {
    await world.close();
    world = new LambdaFixture({ maxThreads: 2 });
    world.deploy('slow', { code: 'exports.handler = () => new Promise(resolve => setTimeout(resolve, 1000));' });
    const ids = [1, 2, 3].map(n => world.queue('slow', { n }));
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.throttled')).toMatchObject([{ requestId: ids[2], reason: 'maxThreads' }]);
    expect(world.times('lambda.invoked')).toEqual([0, 0, 1]);
    expect(world.happened('lambda.finished')).toHaveLength(3);
  });

  test('takes no concurrency where no environment can be made', async () => {
    await world.close();
    world = new LambdaFixture({ accountConcurrency: 1 });
    world.deploy('worker', { code: 'exports.handler = async () => "ran";' });
    const breaks = jest.spyOn(SessionCredentialStore.prototype, 'issue').mockImplementationOnce(() => {
      throw new RangeError('no credentials today');
    });
    world.queue('worker');
    await expect(world.timeline.runUntilIdle()).rejects.toThrow('no credentials today');
    breaks.mockRestore();
    expect((await world.invoke('worker')).value).toBe('ran');
    expect(world.total('Invocations')).toBe(1);
  });

  test('is throttled beyond the concurrency of the function, and of the account', async () => {
    const slow = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 1000));';
    await world.close();
    world = new LambdaFixture({ accountConcurrency: 3 });
    world.deploy('reserved', { code: slow, reservedConcurrentExecutions: 1 });
    world.deploy('shared', { code: slow });
    const names = ['reserved', 'reserved', 'shared', 'shared', 'shared'];
    const answers = names.map(name => world.lambda.call('Invoke', ADMIN, { FunctionName: name }));
    const settled = Promise.allSettled(answers);
    await world.timeline.runUntilIdle();
    const throttled = (Reason: string) => ({
      status: 'rejected',
      reason: { code: 'TooManyRequestsException', httpStatus: 429, members: { Reason } },
    });
    const ran = { status: 'fulfilled', value: { StatusCode: 200 } };
    const ofFunction = throttled('ReservedFunctionConcurrentInvocationLimitExceeded');
    const ofAccount = throttled('ConcurrentInvocationLimitExceeded');
    expect(await settled).toMatchObject([ran, ofFunction, ran, ran, ofAccount]);
    expect(world.total('Throttles')).toBe(2);
    expect(world.total('Invocations')).toBe(3);
  });
});

/** Every invocation metric, and what it is measured under. */
const DIMENSIONS = ['FunctionName', 'FunctionName,Resource', 'FunctionName,Resource,ExecutedVersion', ''];

describe('metrics of functions (AWS/Lambda)', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.deploy('f', { code: 'exports.handler = async event => { if (event.fail) throw new Error("no"); };' });
    world.call('PublishVersion', { FunctionName: 'f' });
    world.call('CreateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '1' });
  });
  afterEach(() => world.close());

  /** How often a metric was measured under each set of dimensions. */
  const counts = (metric: string) =>
    DIMENSIONS.map(names => world.measuredUnder(metric, ...names.split(',').filter(name => name !== '')).length);

  test.each([
    ['the function', 'f', [1, 0, 0, 1]],
    ['a version', 'f:1', [1, 1, 0, 1]],
    ['an alias, with the version that ran', 'f:live', [1, 1, 1, 1]],
  ])('are reported for the name, for all functions, and for %s', async (_, name, expected) => {
    await world.invoke(name);
    for (const metric of ['Invocations', 'Errors', 'Duration']) expect(counts(metric)).toEqual(expected);
    expect(counts('ConcurrentExecutions')).toEqual([1, 0, 0, 1]);
  });

  test('name the resource as AWS does', async () => {
    await world.invoke('f:live');
    const dimensions = world.measured.filter(({ name }) => name === 'Invocations').map(it => it.dimensions);
    expect(dimensions).toEqual([
      { FunctionName: 'f' },
      { FunctionName: 'f', Resource: 'f:live' },
      {},
      { FunctionName: 'f', Resource: 'f:live', ExecutedVersion: '1' },
    ]);
  });

  test('count how many run at once, of the function and of all', async () => {
    const slow = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 1000));';
    world.deploy('one', { code: slow });
    world.deploy('other', { code: slow });
    for (const name of ['one', 'one', 'other']) world.queue(name);
    await world.timeline.runUntilIdle();
    expect(world.measuredUnder('ConcurrentExecutions', 'FunctionName')).toEqual([1, 2, 1]);
    expect(world.measuredUnder('ConcurrentExecutions')).toEqual([1, 2, 3]);
  });

  test('of events are reported for an alias, too', async () => {
    world.call('PutFunctionEventInvokeConfig', { FunctionName: 'f:live', MaximumRetryAttempts: 0 });
    world.queue('f:live', { fail: true });
    await world.timeline.runUntilIdle();
    for (const metric of ['AsyncEventsReceived', 'AsyncEventAge', 'AsyncEventsDropped']) {
      expect(counts(metric)).toEqual([1, 1, 0, 1]);
    }
    expect(world.measuredUnder('Errors', 'FunctionName')).toEqual([1]);
  });
});
