import { isDeepStrictEqual } from 'node:util';
import { errorOf, LambdaFixture, ROLE_ARN, START_MS } from './lambda-fixture';

const ARN = 'arn:aws:lambda:us-east-1:123456789012:function:f';
const QUEUE = 'arn:aws:sqs:us-east-1:123456789012:orders';
const BUS = 'arn:aws:events:us-east-1:123456789012:event-bus/results';

describe('what happens to the events of a function (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.deploy('f', {
      code: 'exports.handler = async event => { if (event.fail) throw new Error("no"); return { done: true }; };',
    });
  });
  afterEach(() => world.close());

  const put = (input: object) => world.call('PutFunctionEventInvokeConfig', { FunctionName: 'f', ...input });
  const update = (input: object) => world.call('UpdateFunctionEventInvokeConfig', { FunctionName: 'f', ...input });
  const get = (input: object = {}) => world.call('GetFunctionEventInvokeConfig', { FunctionName: 'f', ...input });

  test('is put as a whole, updated in part, got, listed and deleted', () => {
    const destinations = { OnSuccess: {}, OnFailure: { Destination: QUEUE } };
    const first = put({ MaximumRetryAttempts: 0, DestinationConfig: { OnFailure: { Destination: QUEUE } } });
    // Recorded: settings that were not given are not returned, and the ARN contains the version.
    expect(first).toEqual({
      LastModified: new Date(START_MS),
      FunctionArn: `${ARN}:$LATEST`,
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: undefined,
      DestinationConfig: destinations,
    });
    expect(update({ MaximumEventAgeInSeconds: 90 })).toEqual({ ...first, MaximumEventAgeInSeconds: 90 });
    expect(get()).toEqual({ ...first, MaximumEventAgeInSeconds: 90 });
    expect(put({ MaximumEventAgeInSeconds: 60 })).toEqual({
      ...first,
      MaximumRetryAttempts: undefined,
      MaximumEventAgeInSeconds: 60,
      DestinationConfig: { OnSuccess: {}, OnFailure: {} },
    });
    world.call('PublishVersion', { FunctionName: 'f' });
    put({ Qualifier: '1', MaximumRetryAttempts: 1 });
    const { FunctionEventInvokeConfigs = [] } = world.call('ListFunctionEventInvokeConfigs', { FunctionName: 'f' });
    expect(FunctionEventInvokeConfigs.map(({ FunctionArn }) => FunctionArn)).toEqual([`${ARN}:$LATEST`, `${ARN}:1`]);
    world.call('DeleteFunctionEventInvokeConfig', { FunctionName: 'f' });
    const missing = {
      code: 'ResourceNotFoundException',
      status: 404,
      message: `The function ${ARN}:$LATEST doesn't have an EventInvokeConfig`,
    };
    expect(errorOf(() => get())).toEqual(missing);
    expect(errorOf(() => update({ MaximumRetryAttempts: 1 }))).toEqual(missing);
    expect(errorOf(() => world.call('DeleteFunctionEventInvokeConfig', { FunctionName: 'f' }))).toEqual(missing);
    expect(get({ Qualifier: '1' })).toMatchObject({ MaximumRetryAttempts: 1 });
  });

  const invalid = (destination: string) =>
    `The provided destination config DestinationConfig(onSuccess=null, onFailure=OnFailure(destination=${destination})) is invalid.`;
  test.each([
    [{}, 'InvalidParameterValueException', 'You must specify at least one of error handling or destination setting.'],
    [{ FunctionName: 'g', MaximumRetryAttempts: 1 }, 'ResourceNotFoundException', "The function doesn't exist."],
    [{ Qualifier: 'live', MaximumRetryAttempts: 1 }, 'ResourceNotFoundException', "The function doesn't exist."],
    [
      { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 59 },
      'ValidationException',
      "2 validation errors detected: Value '3' at 'maximumRetryAttempts' failed to satisfy constraint: Member must have value less than or equal to 2; Value '59' at 'maximumEventAgeInSeconds' failed to satisfy constraint: Member must have value greater than or equal to 60",
    ],
    [
      { DestinationConfig: { OnFailure: { Destination: ARN } } },
      'InvalidParameterValueException',
      "You can't specify the function as a destination for itself.",
    ],
    [
      { DestinationConfig: { OnSuccess: { Destination: `${ARN}-other` } } },
      'InvalidParameterValueException',
      `The destination ARN ${ARN}-other is invalid.`,
    ],
    [
      { DestinationConfig: { OnFailure: { Destination: 'arn:aws:iam::123456789012:role/r' } } },
      'InvalidParameterValueException',
      invalid('arn:aws:iam::123456789012:role/r'),
    ],
    [
      { DestinationConfig: { OnFailure: { Destination: `${QUEUE}.fifo` } } },
      'InvalidParameterValueException',
      invalid(`${QUEUE}.fifo`),
    ],
    [
      { DestinationConfig: { OnFailure: { Destination: 'arn:aws:s3:::bucket' } } },
      'NotImplemented',
      'The embedded AWS does not implement an S3 bucket as a destination of a function: arn:aws:s3:::bucket. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
    ],
  ])('is refused: %j', (input, code, message) => {
    expect(errorOf(() => put(input))).toMatchObject({ code, message });
  });

  test.each([
    [QUEUE, 'sqs:SendMessage', 'SendMessage'],
    ['arn:aws:sns:us-east-1:123456789012:results', 'sns:Publish', 'Publish'],
    [`${ARN}-next`, 'lambda:InvokeFunction', 'InvokeFunction'],
    [BUS, 'events:PutEvents', 'PutEvents'],
  ])('is refused with the destination %s while the role may not %s', (destination, permission, name) => {
    world.deploy('f-next', { code: 'exports.handler = async () => {};' });
    world.decideAccess = ({ caller, action, resource }) => ({
      allowed:
        action !== permission ||
        resource !== destination ||
        !isDeepStrictEqual(caller.principal, { kind: 'role', arn: ROLE_ARN }),
      reason: 'no statement allows it',
    });
    const before = put({ MaximumRetryAttempts: 1 });
    const [OnFailure, OnSuccess] = [{ Destination: destination }, { Destination: destination }];
    const refusal = {
      code: 'InvalidParameterValueException',
      status: 400,
      message: `The function's execution role does not have permissions to call ${name} on ${destination}`,
    };
    for (const DestinationConfig of [{ OnFailure }, { OnSuccess }]) {
      expect(errorOf(() => put({ DestinationConfig }))).toMatchObject(refusal);
      expect(errorOf(() => update({ DestinationConfig }))).toMatchObject(refusal);
    }
    expect(get()).toEqual(before);
  });

  test('of a version is not that of the function', async () => {
    world.call('PublishVersion', { FunctionName: 'f' });
    put({ Qualifier: '1', MaximumRetryAttempts: 0 });
    world.queue('f:1', { fail: true });
    world.queue('f', { fail: true });
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.invoked').map(({ qualifier }) => qualifier)).toEqual([
      '1',
      undefined,
      undefined,
      undefined,
    ]);
    expect(world.measuredUnder('AsyncEventsDropped', 'FunctionName', 'Resource')).toEqual([1]);
  });

  describe('destinations', () => {
    test('that are a bus may answer by an entry that failed', async () => {
      world.eventsAnswer = { FailedEntryCount: 1, Entries: [{ ErrorCode: 'NotAuthorized', ErrorMessage: 'not you' }] };
      put({ DestinationConfig: { OnSuccess: { Destination: BUS } } });
      world.queue('f');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.destination-failed')).toMatchObject([
        { targetArn: BUS, code: 'NotAuthorized', reason: 'not you' },
      ]);
      expect(world.total('DestinationDeliveryFailures')).toBe(1);
    });

    test('that are a function which is gone, or may not be invoked, fail', async () => {
      const next = world.deploy('next', { code: 'exports.handler = async () => {};' });
      put({ DestinationConfig: { OnSuccess: { Destination: next } } });
      world.decideAccess = ({ resource }) => ({ allowed: resource !== next, reason: 'no statement allows it' });
      world.queue('f');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.destination-failed')).toMatchObject([
        { targetArn: next, code: 'AccessDeniedException' },
      ]);
    });
  });
});
