import { ADMIN, errorOf, LambdaFixture } from './lambda-fixture';

/** Logs the bodies it gets, waits a second, and fails on those that begin with an exclamation mark the first time. */
const CODE = `exports.handler = async event => {
  console.log('batch ' + event.Records.map(record => record.body).join());
  await new Promise(resolve => setTimeout(resolve, 1000));
  const first = event.Records.findIndex(({ body, attributes }) => body[0] === '!' && attributes.ApproximateReceiveCount === '1');
  const failed = first < 0 ? [] : event.Records.slice(first);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};`;

describe('an event source mapping of a FIFO queue (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('orders.fifo', {
      FifoQueue: 'true',
      ContentBasedDeduplication: 'true',
      VisibilityTimeout: '30',
    });
    world.deploy('worker', { code: CODE });
  });
  afterEach(() => world.close());

  const map = (more: object = {}) =>
    world.lambda.createEventSourceMapping('worker', { queueArn: queue.arn, reportBatchItemFailures: true, ...more });

  function send(MessageGroupId: string, ...bodies: readonly string[]): void {
    for (const MessageBody of bodies) {
      world.sqs.call('SendMessage', ADMIN, { QueueUrl: queue.url, MessageBody, MessageGroupId });
    }
  }

  /** When each batch began, and what was in it. */
  const batches = () =>
    world.logged
      .filter(({ message }) => message.includes('batch '))
      .map(({ message, atMs }) => [(atMs - Date.UTC(2026, 0, 1)) / 1000, message.trim().split('batch ')[1]]);

  test('hands over the messages of a group in their order, one batch after the other', async () => {
    map({ batchSize: 2 });
    send('a', '1', '2', '3', '4', '5');
    await world.timeline.runUntilIdle();
    expect(batches()).toEqual([
      [0, '1,2'],
      [1, '3,4'],
      [2, '5'],
    ]);
    expect(world.happened('sqs.deleted')).toHaveLength(5);
  });

  test('fills a batch from several groups, each in its order, as the queue gives them', async () => {
    map();
    send('a', 'a1', 'a2');
    send('b', 'b1');
    await world.timeline.runUntilIdle();
    expect(batches()).toEqual([[0, 'a1,a2,b1']]);
  });

  test('runs as many batches at once as there are groups', async () => {
    map({ batchSize: 1 });
    for (const group of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) send(group, `${group}1`, `${group}2`);
    await world.timeline.runUntilIdle();
    const started = batches().map(([second]) => second);
    // No ramp of five: eight groups run at once, and each is blocked while it does.
    expect(started).toEqual([...Array<number>(8).fill(0), ...Array<number>(8).fill(1)]);
    expect(Math.max(...world.values('ConcurrentExecutions'))).toBe(8);
  });

  test('runs no more at once than MaximumConcurrency', async () => {
    map({ batchSize: 1, maximumConcurrency: 2 });
    for (const group of ['a', 'b', 'c', 'd']) send(group, group);
    await world.timeline.runUntilIdle();
    expect(batches().map(([second]) => second)).toEqual([0, 0, 1, 1]);
  });

  test('a failure stops its group, and not the others, until the visibility timeout is over', async () => {
    map({ batchSize: 3 });
    send('a', 'a1', '!a2', 'a3', 'a4');
    await world.goTo(0.5);
    send('b', 'b1');
    await world.timeline.runUntilIdle();
    // The function gives back !a2 and all that come after it in its batch.
    expect(batches()).toEqual([
      [0, 'a1,!a2,a3'],
      [0.5, 'b1'],
      [30, '!a2,a3,a4'],
    ]);
    expect(world.happened('lambda.batch-finished').map(({ deleted }) => deleted)).toEqual([1, 1, 3]);
  });

  test('the event says group, sequence and deduplication', async () => {
    world.deploy('logs', { code: 'exports.handler = async event => console.log(JSON.stringify(event.Records[0]));' });
    world.lambda.createEventSourceMapping('logs', { queueArn: queue.arn });
    send('a', 'hello');
    await world.timeline.runUntilIdle();
    const line = world.messages.find(message => message.includes('MessageGroupId')) ?? '';
    expect(JSON.parse(line.split('\t').at(-1) ?? '')).toMatchObject({
      body: 'hello',
      attributes: {
        MessageGroupId: 'a',
        SequenceNumber: expect.stringMatching(/^\d{20}$/),
        MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      eventSourceARN: queue.arn,
    });
  });

  test.each([
    [{ batchSize: 11 }, 'Batch size must not exceed 10 for FIFO queues'],
    [{ maximumBatchingWindowSeconds: 1 }, 'Batching window is not supported for FIFO queues'],
  ])('has no %j', (more, message) => {
    expect(errorOf(() => map(more))).toMatchObject({ code: 'InvalidParameterValueException', message });
  });
});
