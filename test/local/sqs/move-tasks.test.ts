import { arn, RedriveFixture } from './move-tasks-fixture';
import { ADMIN, errorOf } from './sqs-fixture';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `message ${i}`);

/** @see aws-semantics section 9 */
describe('a message move task', () => {
  it('is known only to its queue: a moved message that fails again has that queue as its source', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'poison');
    aws.start();
    await aws.goTo(1);
    aws.receive(aws.orders, 0);
    aws.receive(aws.orders, 0);
    expect(aws.depth(aws.dlq)).toBe(1);
    aws.start();
    await aws.goTo(2);
    expect(aws.bodies(aws.orders)).toEqual(['poison']);
  });

  it('leaves messages in flight, and delayed ones, in their queue', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'held', 'free');
    const held = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: aws.dlq });
    expect(held).toMatchObject({ Messages: [{ Body: 'held' }] });
    aws.send(aws.dlq, 'delayed', 900);
    aws.start();
    await aws.goTo(1);
    expect(aws.task).toMatchObject({
      Status: 'COMPLETED',
      ApproximateNumberOfMessagesMoved: 1,
      ApproximateNumberOfMessagesToMove: 1,
    });
    expect(aws.bodies(aws.orders)).toEqual(['free']);
    expect(aws.attributes(aws.dlq)).toMatchObject({
      ApproximateNumberOfMessagesNotVisible: '1',
      ApproximateNumberOfMessagesDelayed: '1',
    });
  });

  it('uses the default delay of the destination', async () => {
    const aws = new RedriveFixture();
    const late = aws.createQueue('late', { DelaySeconds: '60' });
    aws.deadLetter(aws.orders, 'x');
    aws.start({ DestinationArn: arn('late') });
    await aws.goTo(59);
    expect(aws.bodies(late)).toEqual([]);
    await aws.goTo(60);
    expect(aws.bodies(late)).toEqual(['x']);
  });

  it('is over at once if there is no message to move', async () => {
    const aws = new RedriveFixture();
    aws.start();
    await aws.timeline.runUntilIdle();
    expect(aws.seconds).toBe(0);
    expect(aws.task).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesToMove: 0 });
  });

  it('counts as received and deleted on the source and as sent on the destination', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, 'a', 'b');
    aws.measured.length = 0;
    aws.start({ DestinationArn: arn('other') });
    await aws.goTo(1);
    const sum = (QueueName: string, metric: string) =>
      aws.measured
        .filter(({ name, dimensions }) => name === metric && dimensions['QueueName'] === QueueName)
        .reduce((total, { value }) => total + value, 0);
    expect(sum('dlq', 'NumberOfMessagesReceived')).toBe(2);
    expect(sum('dlq', 'NumberOfMessagesDeleted')).toBe(2);
    expect(sum('other', 'NumberOfMessagesSent')).toBe(2);
    expect(sum('dlq', 'NumberOfMessagesSent')).toBe(0);
  });
});

describe('a move task between FIFO queues', () => {
  it('keeps the order of each group, the groups, and the sender', async () => {
    const aws = new RedriveFixture(true);
    const ids = ['a1', 'b1', 'a2'].map(body => {
      const { MessageId } = aws.sendTo(aws.orders, body.charAt(0), body);
      aws.receive(aws.orders, 0);
      aws.receive(aws.orders, 0);
      return MessageId;
    });
    aws.start();
    await aws.goTo(1);
    expect(aws.task).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 3 });
    const found = aws.receive(aws.orders);
    expect(found.map(({ Body }) => Body)).toEqual(['a1', 'a2', 'b1']);
    expect(found.map(({ Attributes }) => Attributes?.MessageGroupId)).toEqual(['a', 'a', 'b']);
    expect(found.map(({ Attributes }) => Attributes?.MessageDeduplicationId)).toEqual([ids[0], ids[2], ids[1]]);
    for (const { MessageId } of found) expect(ids).not.toContain(MessageId);
  });

  it('loses no message to deduplication, even if its id was used in the dead-letter queue', async () => {
    const aws = new RedriveFixture(true);
    aws.sendTo(aws.other, 'g', 'first', 'same');
    aws.sendTo(aws.dlq, 'g', 'second', 'same');
    aws.start({ DestinationArn: aws.arn('other') });
    await aws.goTo(1);
    expect(aws.bodies(aws.other)).toEqual(['first', 'second']);
    expect(aws.happened('sqs.deduplicated')).toEqual([]);
  });

  it('loses no message even if its destination has just received a copy by hand with the id of the old message', async () => {
    const aws = new RedriveFixture(true);
    const [id] = aws.deadLetter(aws.orders, 'one');
    aws.sendTo(aws.other, 'group', 'copy', id);
    aws.start({ DestinationArn: aws.arn('other') });
    await aws.timeline.runUntilIdle();
    expect(aws.task).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 });
    const moved = aws.receive(aws.other);
    expect(moved.map(({ Body }) => Body)).toEqual(['copy', 'one']);
    expect(aws.happened('sqs.moved')).toMatchObject([{ messageId: id, newMessageId: moved[1]?.MessageId }]);
  });

  it('stores the deduplication id at its destination: a later copy by hand is a duplicate', async () => {
    const aws = new RedriveFixture(true);
    const [id] = aws.deadLetter(aws.orders, 'one');
    aws.start({ DestinationArn: aws.arn('other') });
    await aws.timeline.runUntilIdle();
    const { MessageId } = aws.sendTo(aws.other, 'group', 'copy', id);
    expect(aws.receive(aws.other)).toMatchObject([{ MessageId, Body: 'one' }]);
  });

  it('leaves the messages of a group that is blocked', async () => {
    const aws = new RedriveFixture(true);
    for (const [group, body] of [
      ['held', 'h1'],
      ['free', 'f1'],
      ['held', 'h2'],
    ] as const) {
      aws.sendTo(aws.dlq, group, body);
    }
    aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: aws.dlq });
    aws.start({ DestinationArn: aws.arn('other') });
    await aws.goTo(1);
    expect(aws.task.Status).toBe('COMPLETED');
    expect(aws.bodies(aws.other)).toEqual(['f1']);
    expect(aws.depth(aws.dlq)).toBe(1);
  });

  it('cannot be between a FIFO and a standard queue', () => {
    const aws = new RedriveFixture(true);
    aws.createQueue('standard');
    expect(errorOf(() => aws.start({ DestinationArn: arn('standard') }))).toEqual({
      code: 'InvalidParameterValue',
      message: 'The source queue and destination queue must be of the same queue type.',
      status: 400,
    });
  });
});

describe('the rate of a move task', () => {
  it.each([
    [3, 30],
    [7, 100],
    [500, 1_200],
    [undefined, 1_200],
  ])('is never above %p, and reached', async (MaxNumberOfMessagesPerSecond, count) => {
    const aws = new RedriveFixture();
    for (let i = 0; i < count; i += 1) aws.send(aws.dlq, 'x');
    aws.start({
      DestinationArn: arn('other'),
      ...(MaxNumberOfMessagesPerSecond !== undefined && { MaxNumberOfMessagesPerSecond }),
    });
    await aws.timeline.runUntilIdle();
    const rate = MaxNumberOfMessagesPerSecond ?? 500;
    const at = aws.movedAt();
    expect(at).toHaveLength(count);
    const soonerThanAllowed = at.filter((seconds, i) => seconds < i / rate - 1e-9);
    expect(soonerThanAllowed).toEqual([]);
    expect(at.at(-1)).toBeLessThan((count - 1) / rate + 0.001 + 1e-9);
  });
});

describe('cancelling a move task', () => {
  it('keeps the source busy until the task has ended', async () => {
    const aws = new RedriveFixture();
    aws.deadLetter(aws.orders, ...numbered(10));
    const handle = aws.start({ MaxNumberOfMessagesPerSecond: 1 });
    aws.cancel(handle);
    expect(errorOf(() => aws.start()).message).toContain('There is already a task running.');
    await aws.goTo(3);
    expect(aws.start()).not.toBe(handle);
  });
});

test('The trace shows the whole course of a move task', async () => {
  const aws = new RedriveFixture();
  const [messageId] = aws.deadLetter(aws.orders, 'x');
  const handle = aws.start({ MaxNumberOfMessagesPerSecond: 1 });
  aws.cancel(handle);
  const before = aws.trace.events.length;
  await aws.goTo(10);
  const taskId = aws.happened('sqs.move-task-started')[0]?.taskId;
  expect(aws.happened('sqs.move-task-started')).toMatchObject([{ queueArn: arn('dlq'), messagesPerSecond: 1 }]);
  expect(aws.happened('sqs.move-task-cancelling')).toMatchObject([{ taskId }]);
  expect(aws.trace.events.slice(before)).toMatchObject([
    { type: 'sqs.sent', queueArn: arn('orders') },
    { type: 'sqs.moved', queueArn: arn('dlq'), messageId, receiveCount: 1, taskId, destinationArn: arn('orders') },
    { type: 'sqs.move-task-ended', taskId, status: 'CANCELLED', messagesMoved: 1 },
  ]);
});
