import { LambdaFixture } from './lambda-fixture';

const METRICS = [
  'PolledEventCount',
  'FilteredOutEventCount',
  'InvokedEventCount',
  'FailedInvokeEventCount',
  'DeletedEventCount',
];

describe('EventCount metrics of an event source mapping', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('orders', { VisibilityTimeout: '60' });
  });
  afterEach(() => world.close());

  function map(code: string, more: object = {}, configuration: object = {}): string {
    world.deploy('worker', { code, ...more });
    const { uuid } = world.lambda.createEventSourceMapping('worker', {
      queueArn: queue.arn,
      reportBatchItemFailures: true,
      countsEvents: true,
      ...configuration,
    });
    for (const body of ['a', 'b', 'c']) world.send(queue.url, body);
    return uuid;
  }

  /** The sums of all of them. */
  const counted = () => Object.fromEntries(METRICS.map(name => [name, world.total(name)]));

  test('a batch that succeeds', async () => {
    const uuid = map('exports.handler = async () => {};');
    await world.timeline.runUntilIdle();
    expect(counted()).toEqual({
      PolledEventCount: 3,
      FilteredOutEventCount: 0,
      InvokedEventCount: 3,
      FailedInvokeEventCount: 0,
      DeletedEventCount: 3,
    });
    expect(world.measured.find(({ name }) => name === 'DeletedEventCount')).toEqual({
      namespace: 'AWS/Lambda',
      name: 'DeletedEventCount',
      dimensions: { EventSourceMappingUUID: uuid },
      value: 3,
    });
    // An empty poll is a 0.
    expect(world.values('PolledEventCount')).toEqual([3, 0, 0]);
  });

  test('a batch of which one fails, then succeeds', async () => {
    map(`exports.handler = async event => ({ batchItemFailures: event.Records
      .filter(({ body, attributes }) => body === 'b' && attributes.ApproximateReceiveCount === '1')
      .map(({ messageId }) => ({ itemIdentifier: messageId })) });`);
    await world.timeline.runUntilIdle();
    expect(counted()).toMatchObject({
      PolledEventCount: 4,
      InvokedEventCount: 4,
      FailedInvokeEventCount: 1,
      DeletedEventCount: 3,
    });
  });

  test('a batch that fails as a whole', async () => {
    map('exports.handler = async () => { throw new Error("no"); };');
    await world.goTo(59);
    expect(counted()).toMatchObject({ InvokedEventCount: 3, FailedInvokeEventCount: 3, DeletedEventCount: 0 });
  });

  test('a batch that is throttled', async () => {
    map('exports.handler = async () => {};', { reservedConcurrentExecutions: 0 });
    await world.goTo(59);
    expect(counted()).toMatchObject({
      PolledEventCount: 3,
      InvokedEventCount: 3,
      FailedInvokeEventCount: 3,
      DeletedEventCount: 0,
    });
  });

  test('a batch that meets a system error of Lambda has invoked nobody', async () => {
    map('exports.handler = async () => {};');
    world.faults.set({ service: 'lambda', action: 'Invoke', httpStatus: 500 });
    await world.goTo(59);
    expect(counted()).toMatchObject({ PolledEventCount: 3, InvokedEventCount: 0, FailedInvokeEventCount: 3 });
  });

  test('a batch whose function is gone by then has invoked nobody', async () => {
    map('exports.handler = async () => {};', {}, { maximumBatchingWindowSeconds: 5 });
    await world.goTo(1);
    world.call('DeleteFunction', { FunctionName: 'worker' });
    await world.goTo(59);
    expect(counted()).toMatchObject({ PolledEventCount: 3, InvokedEventCount: 0, FailedInvokeEventCount: 3 });
  });

  test('events that cannot be deleted are a 0', async () => {
    map('exports.handler = async () => {};');
    world.faults.set({ service: 'sqs', action: 'DeleteMessageBatch' });
    await world.goTo(59);
    expect(world.values('DeletedEventCount')).toEqual([0]);
  });

  test('none, where nobody asked for them', async () => {
    world.deploy('worker', { code: 'exports.handler = async () => {};' });
    world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn });
    world.send(queue.url, 'a');
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.batch-finished')).toHaveLength(1);
    expect(world.measured.filter(({ name }) => METRICS.includes(name))).toEqual([]);
  });
});
