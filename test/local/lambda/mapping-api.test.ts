import { ADMIN, errorOf, LambdaFixture, START_MS } from './lambda-fixture';

const WORKER = 'arn:aws:lambda:us-east-1:123456789012:function:worker';
const UNSUPPORTED = (name: string) => `Unsupported ${name} parameter for given event source mapping type.`;

describe('the API for event source mappings (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('orders', { VisibilityTimeout: '60' });
    world.deploy('worker', {
      code: 'exports.handler = async event => console.log(event.Records.length);',
      timeoutSeconds: 10,
    });
  });
  afterEach(() => world.close());

  const create = (input: object = {}) =>
    world.call('CreateEventSourceMapping', { FunctionName: 'worker', EventSourceArn: queue.arn, ...input });
  const get = (UUID: string | undefined) => world.call('GetEventSourceMapping', { UUID });
  const update = (UUID: string | undefined, input: object) =>
    world.call('UpdateEventSourceMapping', { UUID, ...input });

  /** A mapping that has come to rest. */
  async function settled(input: object = {}): Promise<string> {
    const { UUID = '' } = create(input);
    await world.timeline.runUntilIdle();
    return UUID;
  }

  describe('CreateEventSourceMapping', () => {
    test('answers what it will be, and is Creating for ten seconds', async () => {
      const created = create();
      // As recorded. AWS has added the ARN since then.
      expect(created).toEqual({
        UUID: expect.stringMatching(/^[0-9a-f-]{36}$/),
        EventSourceMappingArn: `arn:aws:lambda:us-east-1:123456789012:event-source-mapping:${created.UUID}`,
        EventSourceArn: queue.arn,
        FunctionArn: WORKER,
        BatchSize: 10,
        MaximumBatchingWindowInSeconds: 0,
        FunctionResponseTypes: [],
        LastModified: new Date(START_MS),
        State: 'Creating',
        StateTransitionReason: 'USER_INITIATED',
      });
      world.send(queue.url, 'x');
      await world.goTo(9.999);
      expect(get(created.UUID)).toEqual(created);
      expect(world.happened('lambda.batch-received')).toEqual([]);
      await world.goTo(10);
      expect(get(created.UUID)).toEqual({ ...created, State: 'Enabled' });
      expect(world.times('lambda.batch-received')).toEqual([10]);
    });

    test('returns every given setting', async () => {
      const said = {
        BatchSize: 100,
        MaximumBatchingWindowInSeconds: 5,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
        FilterCriteria: { Filters: [{ Pattern: '{"body":{"kind":["order"]}}' }] },
        MetricsConfig: { Metrics: ['EventCount'] },
      };
      const { UUID = '', EventSourceMappingArn: Resource = '' } = create({
        ...said,
        Enabled: false,
        Tags: { team: 'rentals' },
      });
      await world.timeline.runUntilIdle();
      expect(get(UUID)).toMatchObject({ ...said, State: 'Disabled' });
      expect(world.call('ListTags', { Resource })).toEqual({ Tags: { team: 'rentals' } });
    });

    test.each([
      ['a version', '1', `${WORKER}:1`],
      ['an alias', 'live', `${WORKER}:live`],
    ])('feeds %s', async (_, qualifier, arn) => {
      world.call('PublishVersion', { FunctionName: 'worker' });
      world.call('CreateAlias', { FunctionName: 'worker', Name: 'live', FunctionVersion: '1' });
      expect(create({ FunctionName: arn })).toMatchObject({ FunctionArn: arn });
      world.send(queue.url, 'x');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.invoked')).toMatchObject([{ qualifier, version: '1' }]);
      expect(world.happened('sqs.deleted')).toHaveLength(1);
    });

    test.each([
      [{ EventSourceArn: undefined }, 'InvalidParameterValueException', 'Unrecognized event source.'],
      [
        { EventSourceArn: 'arn:aws:sns:us-east-1:123456789012:t' },
        'InvalidParameterValueException',
        'Unrecognized event source.',
      ],
      [
        { EventSourceArn: 'arn:aws:kinesis:us-east-1:123456789012:stream/s/consumer/c:1' },
        'NotImplemented',
        'The embedded AWS does not implement event sources other than queues and streams: arn:aws:kinesis:us-east-1:123456789012:stream/s/consumer/c:1. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      ],
      [{ FunctionName: 'nobody' }, 'InvalidParameterValueException', 'Function does not exist'],
      [
        { EventSourceArn: 'arn:aws:sqs:us-east-1:123456789012:none' },
        'InvalidParameterValueException',
        'Error occurred while ReceiveMessage. SQS Error Code: AWS.SimpleQueueService.NonExistentQueue. SQS Error Message: The specified queue does not exist.',
      ],
      [
        { BatchSize: 11 },
        'InvalidParameterValueException',
        'Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10',
      ],
      [
        { BatchSize: 0, MaximumBatchingWindowInSeconds: 301, ScalingConfig: { MaximumConcurrency: 1 } },
        'ValidationException',
        "3 validation errors detected: Value '0' at 'batchSize' failed to satisfy constraint: Member must have value greater than or equal to 1; Value '301' at 'maximumBatchingWindowInSeconds' failed to satisfy constraint: Member must have value less than or equal to 300; Value '1' at 'scalingConfig.maximumConcurrency' failed to satisfy constraint: Member must have value greater than or equal to 2",
      ],
      [
        { BatchSize: 10_001, ScalingConfig: { MaximumConcurrency: 1001 } },
        'ValidationException',
        "2 validation errors detected: Value '10001' at 'batchSize' failed to satisfy constraint: Member must have value less than or equal to 10000; Value '1001' at 'scalingConfig.maximumConcurrency' failed to satisfy constraint: Member must have value less than or equal to 1000",
      ],
      [
        { FunctionResponseTypes: ['Other'] },
        'ValidationException',
        "1 validation error detected: Value '[Other]' at 'functionResponseTypes' failed to satisfy constraint: Member must satisfy constraint: [Member must satisfy enum value set: [ReportBatchItemFailures], Member must not be null]",
      ],
      [
        { FilterCriteria: { Filters: [{ Pattern: '{"body":"order"}' }] } },
        'InvalidParameterValueException',
        'Invalid filter pattern definition.',
      ],
      [
        { FilterCriteria: { Filters: Array.from({ length: 6 }, () => ({ Pattern: '{"body":["x"]}' })) } },
        'InvalidParameterValueException',
        'The number of filters must not exceed 5, got 6.',
      ],
      [{ DestinationConfig: { OnFailure: {} } }, 'InvalidParameterValueException', UNSUPPORTED('DestinationConfig')],
      [{ MaximumRetryAttempts: 1 }, 'InvalidParameterValueException', UNSUPPORTED('MaximumRetryAttempts')],
      [{ StartingPosition: 'LATEST' }, 'InvalidParameterValueException', UNSUPPORTED('StartingPosition')],
      [
        { ProvisionedPollerConfig: { MinimumPollers: 2 }, ScalingConfig: { MaximumConcurrency: 2 } },
        'InvalidParameterValueException',
        'MaximumConcurrency and ProvisionedPollerConfig exclude each other.',
      ],
      [
        { ProvisionedPollerConfig: { MinimumPollers: 20, MaximumPollers: 10 } },
        'InvalidParameterValueException',
        'MinimumPollers must not exceed MaximumPollers, got 20 and 10.',
      ],
      [
        { ProvisionedPollerConfig: { MinimumPollers: 1, MaximumPollers: 2001 } },
        'ValidationException',
        "2 validation errors detected: Value '1' at 'provisionedPollerConfig.minimumPollers' failed to satisfy constraint: Member must have value greater than or equal to 2; Value '2001' at 'provisionedPollerConfig.maximumPollers' failed to satisfy constraint: Member must have value less than or equal to 2000",
      ],
      [
        { ProvisionedPollerConfig: { PollerGroupName: 'shared' } },
        'InvalidParameterValueException',
        UNSUPPORTED('PollerGroupName'),
      ],
      [
        { KMSKeyArn: 'arn:aws:kms:us-east-1:123456789012:key/k' },
        'NotImplemented',
        'The embedded AWS does not implement KMSKeyArn of lambda:CreateEventSourceMapping. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      ],
    ])('refuses %j', (input, code, message) => {
      expect(errorOf(() => create(input))).toMatchObject({ code, message });
      expect(world.lambda.eventSourceMappings()).toEqual([]);
    });

    test('takes event pollers of its own, and gives them up', async () => {
      const { UUID, ProvisionedPollerConfig } = create({ ProvisionedPollerConfig: { MinimumPollers: 3 } });
      expect(ProvisionedPollerConfig).toEqual({ MinimumPollers: 3, MaximumPollers: 200 });
      const update = (said: object) => world.call('UpdateEventSourceMapping', { UUID, ...said });
      await world.goTo(20);
      const wrong = errorOf(() => update({ ScalingConfig: { MaximumConcurrency: 2 } }));
      expect(wrong.message).toBe('MaximumConcurrency and ProvisionedPollerConfig exclude each other.');
      const changed = update({ ProvisionedPollerConfig: {}, ScalingConfig: { MaximumConcurrency: 2 } });
      expect(changed.ProvisionedPollerConfig).toBeUndefined();
      expect(changed.ScalingConfig).toEqual({ MaximumConcurrency: 2 });
    });

    test('takes ten filters where the account may have them', async () => {
      await world.close();
      world = new LambdaFixture({ filtersPerMapping: 10 });
      queue = world.createQueue('orders', { VisibilityTimeout: '60' });
      world.deploy('worker', { code: 'exports.handler = async () => {};' });
      const filters = (length: number) => ({
        FilterCriteria: { Filters: Array.from({ length }, () => ({ Pattern: '{"body":["x"]}' })) },
      });
      expect(errorOf(() => create(filters(11))).message).toBe('The number of filters must not exceed 10, got 11.');
      expect(create(filters(10)).FilterCriteria?.Filters).toHaveLength(10);
    });

    test('refuses a queue that hides messages for less time than the function has, and a role that may not receive', () => {
      const quick = world.createQueue('quick', { VisibilityTimeout: '9' });
      expect(errorOf(() => create({ EventSourceArn: quick.arn }))).toMatchObject({
        code: 'InvalidParameterValueException',
        message: 'Queue visibility timeout: 9 seconds is less than Function timeout: 10 seconds',
      });
      for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes']) {
        world.decideAccess = request => ({
          allowed: request.action !== `sqs:${action}`,
          reason: 'no statement allows it',
        });
        expect(errorOf(() => create())).toMatchObject({
          code: 'InvalidParameterValueException',
          message: `The provided execution role does not have permissions to call ${action} on SQS`,
        });
      }
    });
  });

  describe('UpdateEventSourceMapping', () => {
    test('switches off at once and lets what runs end, and switches on after ten seconds', async () => {
      world.deploy('slow', {
        code: 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 5000));',
        timeoutSeconds: 10,
      });
      const UUID = await settled({ FunctionName: 'slow', BatchSize: 1 });
      const ids = [world.send(queue.url, 'a'), world.send(queue.url, 'b')];
      await world.goTo(12);
      expect(update(UUID, { Enabled: false })).toMatchObject({
        State: 'Disabling',
        LastModified: new Date(START_MS + 12_000),
      });
      world.send(queue.url, 'c');
      await world.goTo(21.999);
      expect(get(UUID).State).toBe('Disabling');
      await world.goTo(22);
      expect(get(UUID).State).toBe('Disabled');
      expect(world.happened('lambda.batch-finished').flatMap(({ deleted }) => deleted)).toEqual([1, 1]);
      expect(world.happened('lambda.batch-received').flatMap(({ messageIds }) => messageIds)).toEqual(ids);
      expect(update(UUID, { Enabled: true }).State).toBe('Enabling');
      await world.goTo(31.999);
      expect(world.happened('lambda.batch-received')).toHaveLength(2);
      await world.goTo(32);
      expect(get(UUID).State).toBe('Enabled');
      expect(world.times('lambda.batch-received')).toEqual([10, 10, 32]);
      expect(world.times('lambda.mapping-disabled')).toEqual([12]);
      expect(world.times('lambda.mapping-enabled')).toEqual([10, 32]);
    });

    test('changes what it says once ten seconds are over, and leaves the rest', async () => {
      const UUID = await settled({ BatchSize: 5, FunctionResponseTypes: ['ReportBatchItemFailures'] });
      expect(update(UUID, { BatchSize: 2 })).toMatchObject({
        State: 'Updating',
        BatchSize: 2,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      for (const body of ['a', 'b', 'c', 'd']) world.send(queue.url, body);
      await world.goTo(15);
      for (const body of ['e', 'f', 'g', 'h']) world.send(queue.url, body);
      await world.timeline.runUntilIdle();
      for (const body of ['i', 'j', 'k']) world.send(queue.url, body);
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.batch-received').map(({ messageIds }) => messageIds.length)).toEqual([4, 4, 2, 1]);
      expect(get(UUID).State).toBe('Enabled');
      expect(world.times('lambda.mapping-updated')).toEqual([20]);
      expect(world.happened('lambda.mapping-disabled')).toEqual([]);
      expect(world.happened('lambda.mapping-enabled')).toHaveLength(1);
    });

    test('takes filters, concurrency and metrics away', async () => {
      const UUID = await settled({
        ScalingConfig: { MaximumConcurrency: 2 },
        FilterCriteria: { Filters: [{ Pattern: '{"body":["x"]}' }] },
        MetricsConfig: { Metrics: ['EventCount'] },
      });
      const after = update(UUID, { ScalingConfig: {}, FilterCriteria: {}, MetricsConfig: { Metrics: [] } });
      for (const member of ['ScalingConfig', 'FilterCriteria', 'MetricsConfig'])
        expect(after).not.toHaveProperty(member);
    });

    test('has no more batches at once than it says from then on, those that run already among them', async () => {
      world.deploy('slow', {
        code: 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 8000));',
        timeoutSeconds: 10,
      });
      const UUID = await settled({ FunctionName: 'slow', BatchSize: 1, ScalingConfig: { MaximumConcurrency: 5 } });
      for (let i = 0; i < 40; i += 1) world.send(queue.url, String(i));
      await world.goTo(11);
      expect(update(UUID, { ScalingConfig: { MaximumConcurrency: 2 } }).State).toBe('Updating');
      await world.goTo(45);
      // Five at a time until 20 s, when the change takes effect. Those that began at 18 s end at 26 s, then two at a time follow.
      const begun = world.times('lambda.batch-received');
      expect(begun).toEqual([...Array(5).fill(10), ...Array(5).fill(18), 26, 26, 34, 34, 42, 42]);
      update(UUID, { ScalingConfig: { MaximumConcurrency: 4 } });
      await world.goTo(60);
      expect(world.times('lambda.batch-received').slice(begun.length)).toEqual([50, 50, 55, 55, 58, 58]);
    });

    test('feeds another function', async () => {
      world.deploy('other', { code: 'exports.handler = async () => {};' });
      const UUID = await settled();
      update(UUID, { FunctionName: 'other' });
      await world.timeline.runUntilIdle();
      world.send(queue.url, 'x');
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.invoked')).toMatchObject([{ functionArn: WORKER.replace('worker', 'other') }]);
    });

    test('is refused while another change is under way, and by the rules of a new mapping', async () => {
      const { UUID } = create();
      const inUse = { code: 'ResourceInUseException', status: 400 };
      expect(errorOf(() => update(UUID, { Enabled: false }))).toEqual({
        ...inUse,
        message: 'Cannot update the event source mapping because it is in use.',
      });
      expect(errorOf(() => world.call('DeleteEventSourceMapping', { UUID }))).toEqual({
        ...inUse,
        message: 'Cannot delete the event source mapping because it is in use.',
      });
      await world.timeline.runUntilIdle();
      expect(errorOf(() => update(UUID, { BatchSize: 100 })).message).toContain('Maximum batch window in seconds');
      expect(errorOf(() => update(UUID, { DestinationConfig: {} })).message).toBe(UNSUPPORTED('DestinationConfig'));
      expect(errorOf(() => update(UUID, { FunctionName: 'nobody' })).message).toBe('Function does not exist');
      expect(get(UUID)).toMatchObject({ State: 'Enabled', BatchSize: 10 });
    });
  });

  test('DeleteEventSourceMapping stops at once, and is Deleting for ten seconds', async () => {
    const UUID = await settled();
    expect(world.call('DeleteEventSourceMapping', { UUID }).State).toBe('Deleting');
    world.send(queue.url, 'x');
    await world.goTo(19.999);
    expect(get(UUID).State).toBe('Deleting');
    await world.goTo(20);
    expect(errorOf(() => get(UUID))).toEqual({
      code: 'ResourceNotFoundException',
      status: 404,
      message: 'The resource you requested does not exist.',
    });
    expect(world.happened('lambda.batch-received')).toEqual([]);
    expect(world.happened('lambda.mapping-deleted')).toMatchObject([{ mappingId: UUID }]);
    expect(create().State).toBe('Creating');
  });

  test('ListEventSourceMappings returns all, or those of a queue or a function, in pages', async () => {
    const other = world.createQueue('other', { VisibilityTimeout: '60' });
    world.deploy('second', { code: 'exports.handler = async () => {};' });
    const uuids = [create(), create({ EventSourceArn: other.arn }), create({ FunctionName: 'second' })].map(
      it => it.UUID,
    );
    const list = (input: object) =>
      world.call('ListEventSourceMappings', input).EventSourceMappings?.map(({ UUID }) => UUID);
    expect(list({})).toEqual(uuids);
    expect(list({ FunctionName: 'worker' })).toEqual([uuids[0], uuids[1]]);
    expect(list({ EventSourceArn: queue.arn })).toEqual([uuids[0], uuids[2]]);
    expect(list({ FunctionName: WORKER, EventSourceArn: other.arn })).toEqual([uuids[1]]);
    expect(list({ FunctionName: 'nobody' })).toEqual([]);
    const { NextMarker } = world.call('ListEventSourceMappings', { MaxItems: 2 });
    expect(list({ Marker: NextMarker })).toEqual([uuids[2]]);
  });

  test('each needs its permission', () => {
    world.decideAccess = ({ action }) => ({ allowed: !action.startsWith('lambda:'), reason: 'no statement allows it' });
    expect(errorOf(() => create())).toEqual({
      code: 'AccessDeniedException',
      status: 403,
      message:
        'User: arn:aws:iam::123456789012:root is not authorized to perform: lambda:CreateEventSourceMapping on resource: *',
    });
    const mapping = world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn });
    const call = () => world.lambda.call('UpdateEventSourceMapping', ADMIN, { UUID: mapping.uuid, Enabled: false });
    expect(errorOf(call).message).toContain(`lambda:UpdateEventSourceMapping on resource: ${mapping.arn}`);
  });

  test('gives policies the function that the mapping invokes, or will invoke', () => {
    world.deploy('other', { code: 'exports.handler = async () => {};' });
    const asked: unknown[] = [];
    world.decideAccess = ({ action, caller }) => {
      if (action.endsWith('EventSourceMapping')) asked.push([action, caller.context['lambda:FunctionArn']]);
      return { allowed: true, reason: 'the test allows it' };
    };
    create({ FunctionName: 'other' });
    const { uuid: UUID } = world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn });
    get(UUID);
    update(UUID, { Enabled: false });
    const other = world.createQueue('another', { VisibilityTimeout: '60' });
    const { uuid } = world.lambda.createEventSourceMapping('worker', { queueArn: other.arn });
    update(uuid, { FunctionName: 'other' });
    const last = world.lambda.createEventSourceMapping('other', { queueArn: world.createQueue('third').arn });
    world.call('DeleteEventSourceMapping', { UUID: last.uuid });
    const OTHER = WORKER.replace('worker', 'other');
    expect(asked).toEqual([
      ['lambda:CreateEventSourceMapping', OTHER],
      ['lambda:GetEventSourceMapping', WORKER],
      ['lambda:UpdateEventSourceMapping', WORKER],
      ['lambda:UpdateEventSourceMapping', OTHER],
      ['lambda:DeleteEventSourceMapping', OTHER],
    ]);
  });
});
