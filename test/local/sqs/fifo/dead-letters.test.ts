import { ADMIN, SqsFixture, START_MS } from '../sqs-fixture';

const DAY = 86_400;

function withDeadLetterQueue(maxReceiveCount: number, dlqAttributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const dlq = aws.createFifoQueue('dlq', dlqAttributes);
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount });
  const url = aws.createFifoQueue('orders', { RedrivePolicy, VisibilityTimeout: '10' });
  return { aws, url, dlq };
}

/** @see aws-semantics section 7, DLQ move */
describe('a FIFO queue’s dead letter', () => {
  it('moves at the receive after maxReceiveCount, and its group stays usable (recorded)', () => {
    const { aws, url, dlq } = withDeadLetterQueue(2);
    const { MessageId, SequenceNumber } = aws.sendTo(url, 'g1', 'foobar');
    expect(aws.bodies(url, 0)).toEqual(['foobar']);
    expect(aws.bodies(url, 0)).toEqual(['foobar']);
    expect(aws.bodies(url, 0)).toEqual([]);
    const [sent] = aws.receive(dlq);
    expect(sent).toMatchObject({
      MessageId,
      Body: 'foobar',
      Attributes: {
        MessageGroupId: 'g1',
        ApproximateReceiveCount: '3',
        SentTimestamp: String(START_MS),
        DeadLetterQueueSourceArn: aws.arnOf(url),
      },
    });
    expect(SequenceNumber).toMatch(/^\d{20}$/);
    aws.sendTo(url, 'g1', 'foobar2');
    expect(aws.bodies(url)).toEqual(['foobar2']);
  });

  it('has its message id for deduplication id, so that two of the same id can lie there', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    const ids: unknown[] = [];
    for (const at of [0, 300]) {
      await aws.goTo(at);
      ids.push(aws.sendTo(url, 'g1', 'same', 'd').MessageId);
      aws.receive(url, 0);
      aws.receive(url, 0);
    }
    const messages = aws.receive(dlq);
    expect(messages.map(({ MessageId }) => MessageId)).toEqual(ids);
    expect(messages.map(({ Attributes }) => Attributes?.MessageDeduplicationId)).toEqual(ids);
  });

  it('gives way to the rest of its group in the same receive', () => {
    const { aws, url } = withDeadLetterQueue(1);
    aws.sendTo(url, 'g1', 'poison');
    aws.receive(url, 0);
    aws.sendTo(url, 'g1', 'fresh');
    expect(aws.bodies(url)).toEqual(['fresh']);
  });

  it('blocks its group before, and is not sent to the back however often it is received', async () => {
    const { aws, url } = withDeadLetterQueue(1000);
    aws.sendTo(url, 'g1', 'poison');
    aws.sendTo(url, 'g1', 'fresh');
    for (let i = 0; i < 5; i += 1) {
      await aws.goTo(i * 10);
      expect(aws.receive(url, undefined, 1)).toMatchObject([{ Body: 'poison' }]);
    }
    await aws.goTo(60);
    const ages = aws.measured.filter(({ name }) => name === 'ApproximateAgeOfOldestMessage');
    expect(ages.at(-1)).toMatchObject({ value: 60, dimensions: { QueueName: 'orders.fifo' } });
  });

  it('is kept anew in the dead-letter queue from the move on: the retention clock is reset', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    aws.sendTo(url, 'g1', 'poison');
    await aws.goTo(3 * DAY);
    aws.receive(url, 0);
    aws.receive(url, 0);
    await aws.goTo(7 * DAY - 1);
    expect(aws.attributes(dlq)['ApproximateNumberOfMessages']).toBe('1');
    await aws.goTo(7 * DAY);
    expect(aws.attributes(dlq)['ApproximateNumberOfMessages']).toBe('0');
    expect(aws.happened('sqs.expired')).toMatchObject([{ atMs: START_MS + 7 * DAY * 1000 }]);
  });

  it('that expires in flight frees its group', async () => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders', { MessageRetentionPeriod: '60', VisibilityTimeout: '1000' });
    aws.sendTo(url, 'g1', 'old');
    aws.receive(url);
    await aws.goTo(30);
    aws.sendTo(url, 'g1', 'new');
    await aws.goTo(59);
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(60);
    expect(aws.bodies(url)).toEqual(['new']);
  });
});

describe('a message move task', () => {
  it('brings dead letters back in order, though their source has taken their first ids just now', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    for (const body of ['one', 'two', 'three']) aws.sendTo(url, 'g1', body);
    for (let i = 0; i < 2; i += 1) aws.receive(url, 0);
    expect(aws.attributes(dlq)).toMatchObject({ ApproximateNumberOfMessages: '3' });
    aws.sqs.call('StartMessageMoveTask', ADMIN, { SourceArn: aws.arnOf(dlq) });
    await aws.goTo(1);
    expect(aws.attributes(dlq)).toMatchObject({ ApproximateNumberOfMessages: '0' });
    expect(aws.bodies(url)).toEqual(['one', 'two', 'three']);
    expect(aws.happened('sqs.deduplicated')).toEqual([]);
  });
});

describe('a FIFO queue’s gauges', () => {
  it('tell in how many groups something is in flight', async () => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders', { VisibilityTimeout: '90' });
    for (const [group, body] of [
      ['g1', 'a'],
      ['g1', 'b'],
      ['g2', 'c'],
      ['g3', 'd'],
    ] as const)
      aws.sendTo(url, group, body);
    const [a, b] = aws.receive(url, undefined, 3);
    await aws.goTo(60);
    aws.delete(url, a);
    aws.delete(url, b);
    await aws.goTo(180);
    const groups = aws.measured.filter(({ name }) => name === 'ApproximateNumberOfGroupsWithInflightMessages');
    expect(groups.map(({ value }) => value)).toEqual([2, 0, 0]);
  });
});
