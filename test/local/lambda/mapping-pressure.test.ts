import { SessionCredentialStore } from '../../../local/iam/session-credentials';
import type { MappingConfiguration } from '../../../local/lambda/event-source/mapping-configuration';
import { provisionedBatches } from '../../../local/lambda/event-source/scaling';
import { ADMIN, type FunctionProps, LambdaFixture, START_MS } from './lambda-fixture';

const SLOW = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 5000));';
const FAST = 'exports.handler = async () => {};';

describe('event source mappings under pressure (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  const build = (options: ConstructorParameters<typeof LambdaFixture>[0] = {}): void => {
    world = new LambdaFixture(options);
    queue = world.createQueue('orders', { VisibilityTimeout: '60' });
  };
  beforeEach(() => build());
  afterEach(() => world.close());

  const map = (
    name: string,
    { code = FAST, ...props }: FunctionProps,
    configuration: Partial<MappingConfiguration>,
  ) => {
    world.deploy(name, { code, timeoutSeconds: 10, ...props });
    return world.lambda.createEventSourceMapping(name, { queueArn: queue.arn, ...configuration });
  };
  const sendAll = (count: number, url = queue.url): string[] =>
    Array.from({ length: count }, (_, i) => world.send(url, `order ${i}`));

  describe('with fewer threads than batches', () => {
    beforeEach(async () => {
      await world.close();
      build({ maxThreads: 3 });
    });

    test('scales no further, loses nothing, and says so once', async () => {
      map('worker', { code: SLOW }, { batchSize: 1 });
      sendAll(10);
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.invoked')).toEqual([0, 0, 0, 5, 5, 5, 10, 10, 10, 15]);
      expect(world.happened('lambda.scaling-limited')).toMatchObject([{ reason: 'maxThreads', queueArn: queue.arn }]);
      expect(world.happened('sqs.deleted')).toHaveLength(10);
      expect(world.happened('sqs.received')).toHaveLength(10);
      expect(world.happened('lambda.throttled')).toEqual([]);
    });

    test('scales to hundreds of batches a minute later, and still takes no more threads', async () => {
      map('worker', { code: SLOW }, { batchSize: 1 });
      sendAll(60);
      await world.goTo(120);
      expect(Math.max(...world.values('ConcurrentExecutions'))).toBe(3);
      expect(world.happened('lambda.finished')).toHaveLength(60);
    });

    test('several mappings take turns', async () => {
      const other = world.createQueue('invoices', { VisibilityTimeout: '60' });
      sendAll(6);
      sendAll(6, other.url);
      map('orders', { code: SLOW }, { batchSize: 1 });
      map('invoices', { code: SLOW }, { batchSize: 1, queueArn: other.arn });
      await world.goTo(9);
      const names = world.happened('lambda.invoked').map(({ functionArn }) => functionArn.split(':').at(-1));
      expect(names).toEqual(['orders', 'orders', 'orders', 'orders', 'invoices', 'orders']);
      await world.timeline.runUntilIdle();
      expect(world.happened('lambda.finished')).toHaveLength(12);
    });

    test('a batch that was received when the last thread went to somebody else waits for one', async () => {
      map('worker', { code: SLOW }, { batchSize: 1 });
      const [id] = sendAll(1);
      for (const n of [1, 2, 3]) world.queue('worker', { n });
      await world.timeline.runUntilIdle();
      const batch = world.happened('lambda.batch-finished');
      expect(batch).toMatchObject([{ outcome: 'success', deleted: 1 }]);
      expect(world.happened('sqs.received')).toMatchObject([{ messageId: id, receiveCount: 1 }]);
    });
  });

  test.each([
    [0, 2, 200, 20],
    [59_999, 3, 200, 30],
    [60_000, 2, 200, 1020],
    [60_000, 2, 50, 500],
    [600_000, 200, 2000, 12_000],
  ])(
    'after %i ms of backlog, from %i to %i event pollers have %i batches at once',
    (busyMs, minimum, maximum, batches) => {
      expect(provisionedBatches(busyMs, { minimum, maximum })).toBe(batches);
    },
  );

  test('has as many batches at once as its own event pollers take', async () => {
    map('worker', { code: SLOW }, { batchSize: 1, provisionedPollers: { minimum: 2, maximum: 2 } });
    sendAll(25);
    await world.goTo(4);
    expect(world.happened('lambda.invoked')).toHaveLength(20);
  });

  test('a batch no environment can be made for gives its place back', async () => {
    map('worker', {}, { batchSize: 1, maximumConcurrency: 2 });
    const breaks = jest.spyOn(SessionCredentialStore.prototype, 'issue').mockImplementation(() => {
      throw new RangeError('no credentials today');
    });
    for (let batch = 0; batch < 3; batch += 1) {
      sendAll(1);
      await expect(world.timeline.advanceTo(START_MS + 1000)).rejects.toThrow('no credentials today');
    }
    breaks.mockRestore();
    await world.goTo(100);
    expect(world.happened('lambda.batch-finished').map(({ deleted }) => deleted)).toEqual([1, 1, 1]);
  });

  test('a function that stays throttled sends healthy messages to the dead-letter queue', async () => {
    const dead = world.createQueue('dead');
    world.sqs.call('SetQueueAttributes', ADMIN, {
      QueueUrl: queue.url,
      Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 5 }) },
    });
    map('worker', { reservedConcurrentExecutions: 0 }, {});
    const [id] = sendAll(1);
    await world.goTo(1000);
    expect(world.times('lambda.throttled')).toEqual([0, 60, 120, 180, 240]);
    expect(world.happened('sqs.dead-lettered')).toMatchObject([{ messageId: id }]);
    expect(world.times('sqs.dead-lettered')).toEqual([300]);
  });

  test.each([
    [503, 'error'],
    [429, 'throttled'],
  ])(
    'while Lambda itself answers %i, a batch waits for its visibility timeout, and runs later',
    async (httpStatus, outcome) => {
      map('worker', {}, {});
      const [id] = sendAll(1);
      world.faults.set({ service: 'lambda', action: 'Invoke', httpStatus, forMs: 90_000 });
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.refused')).toEqual([0, 60]);
      expect(world.times('lambda.invoked')).toEqual([120]);
      expect(world.happened('lambda.batch-finished')).toMatchObject([
        { outcome, deleted: 0, failedMessageIds: [id] },
        { outcome, deleted: 0, failedMessageIds: [id] },
        { outcome: 'success', deleted: 1 },
      ]);
    },
  );

  describe('of a function that is gone', () => {
    test('receives nothing, and says so once', async () => {
      map('worker', {}, {});
      world.call('DeleteFunction', { FunctionName: 'worker' });
      sendAll(2);
      await world.goTo(10);
      sendAll(1);
      await world.goTo(30 * 86_400);
      expect(world.happened('lambda.mapping-without-function')).toMatchObject([{ queueArn: queue.arn }]);
      expect(world.happened('lambda.queue-refused')).toEqual([]);
      expect(world.happened('sqs.received')).toEqual([]);
    });

    test('goes on once the alias it names is back', async () => {
      world.deploy('worker', { code: FAST });
      world.call('PublishVersion', { FunctionName: 'worker' });
      const alias = { FunctionName: 'worker', Name: 'live', FunctionVersion: '1' };
      world.call('CreateAlias', alias);
      world.call('CreateEventSourceMapping', { FunctionName: 'worker:live', EventSourceArn: queue.arn });
      await world.goTo(20);
      world.call('DeleteAlias', alias);
      sendAll(1);
      await world.goTo(50);
      expect(world.times('lambda.mapping-without-function')).toEqual([20]);
      world.call('CreateAlias', alias);
      await world.goTo(60);
      expect(world.times('lambda.invoked')).toEqual([50]);
      expect(world.happened('sqs.deleted')).toHaveLength(1);
    });
  });

  test('a queue that stays gone is told of once', async () => {
    map('worker', { code: SLOW }, {});
    sendAll(1);
    await world.goTo(1);
    world.sqs.call('DeleteQueue', ADMIN, { QueueUrl: queue.url });
    await world.goTo(86_400);
    const code = 'AWS.SimpleQueueService.NonExistentQueue';
    expect(world.happened('lambda.queue-refused')).toMatchObject([
      { action: 'DeleteMessageBatch', code },
      { action: 'ReceiveMessage', code },
    ]);
  });

  describe('of a slow queue', () => {
    test('finishes a batch when its messages are deleted', async () => {
      map('worker', {}, {});
      world.faults.set({ service: 'sqs', action: 'DeleteMessageBatch', latencyMs: 3000 });
      sendAll(1);
      await world.goTo(100);
      expect(world.times('lambda.invoked')).toEqual([0]);
      expect(world.times('lambda.batch-finished')).toEqual([3]);
    });

    test('waits for the attributes it asks for as well', async () => {
      map('worker', {}, { batchSize: 10, maximumBatchingWindowSeconds: 1 });
      world.faults.set({ service: 'sqs', action: 'GetQueueAttributes', latencyMs: 3000 });
      world.faults.set({ service: 'sqs', action: 'ReceiveMessage', latencyMs: 2000 });
      sendAll(1);
      await world.goTo(100);
      expect(world.times('lambda.batch-received')).toEqual([6]);
    });
  });

  test('messages that match no filter do not make it scale', async () => {
    map('worker', { code: SLOW }, { batchSize: 1, filters: ['{"body":{"wanted":[true]}}'] });
    const drops = setDrops();
    await world.goTo(90);
    for (let i = 0; i < 10; i += 1) world.send(queue.url, '{"wanted":true}');
    await world.goTo(91);
    drops();
    expect(world.happened('lambda.invoked')).toHaveLength(5);
  });

  /** Sends an unwanted message each second for 90 seconds. */
  function setDrops(): () => void {
    const due = Array.from({ length: 90 }, (_, second) =>
      world.timeline.after(second * 1000, () => void world.send(queue.url, '{"wanted":false}')),
    );
    return () => {
      for (const it of due) it.cancel();
    };
  }
});
