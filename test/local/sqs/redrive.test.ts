import { DAY_SECONDS } from '../../../policy/time-units';
import { ADMIN, errorOf, SqsFixture, START_MS } from './sqs-fixture';

const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;
const policy = (maxReceiveCount: unknown, deadLetterTargetArn = arn('dlq')) =>
  JSON.stringify({ deadLetterTargetArn, maxReceiveCount });

function withDeadLetterQueue(maxReceiveCount: number, dlqAttributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const dlq = aws.createQueue('dlq', dlqAttributes);
  const url = aws.createQueue('orders', { RedrivePolicy: policy(maxReceiveCount), VisibilityTimeout: '10' });
  return { aws, url, dlq };
}

/** @see aws-semantics section 7, DLQ move */
describe('a redrive policy', () => {
  it('returns the next message to the receiver instead of the one that it moves', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    aws.send(url, 'poison');
    aws.receive(url);
    aws.send(url, 'fresh', 10);
    await aws.goTo(10);
    expect(aws.bodies(url)).toEqual(['fresh']);
    expect(aws.bodies(dlq)).toEqual(['poison']);
  });

  it('moves messages along a chain of dead-letter queues, each of which returns them as often as its own policy says', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(3);
    const last = aws.createQueue('last');
    aws.sqs.call('SetQueueAttributes', ADMIN, {
      QueueUrl: dlq,
      Attributes: { RedrivePolicy: policy(3, arn('last')) },
    });
    aws.send(url, 'poison');
    for (let i = 0; i < 4; i += 1) aws.receive(url, 0);
    const counts = [1, 2, 3].map(() => aws.receive(dlq, 0)[0]?.Attributes?.ApproximateReceiveCount);
    expect(counts).toEqual(['4', '5', '6']);
    expect(aws.bodies(dlq)).toEqual([]);
    expect(aws.receive(last)).toMatchObject([{ Body: 'poison', Attributes: { ApproximateReceiveCount: '7' } }]);
  });

  it('of two queues that are each other’s dead-letter queue moves a message once a receive, not in an endless loop', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    aws.sqs.call('SetQueueAttributes', ADMIN, {
      QueueUrl: dlq,
      Attributes: { RedrivePolicy: policy(1, arn('orders')) },
    });
    aws.send(url, 'poison');
    aws.receive(url, 2);
    const answers: unknown[] = [];
    for (const [name, QueueUrl] of [['orders', url] as const, ['dlq', dlq] as const]) {
      const answer = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl, WaitTimeSeconds: 20, VisibilityTimeout: 60 });
      aws.timeline.whenSettled(Promise.resolve(answer), result => {
        if (result.status === 'rejected') throw result.reason;
        answers.push([name, aws.seconds, (result.value.Messages ?? []).map(({ Body }) => Body)]);
      });
    }
    await aws.goTo(60);
    expect(answers).toEqual([
      ['dlq', 2, ['poison']],
      ['orders', 20, []],
    ]);
    expect(aws.happened('sqs.dead-lettered')).toHaveLength(1);
  });

  it('whose queue does not exist leaves the message in place (assumption SQS-11)', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    aws.send(url, 'poison');
    aws.receive(url);
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: dlq });
    await aws.goTo(10);
    expect(aws.bodies(url)).toEqual(['poison']);
  });

  it.each([
    [policy('many'), 'Invalid value for maxReceiveCount: many, valid values are from 1 to 1000 both inclusive.'],
    ['not JSON', 'must be a JSON map'],
    [
      JSON.stringify({ deadLetterTargetArn: arn('dlq'), maxReceiveCount: 3, maxRecieveCount: 5 }),
      'Unknown member maxRecieveCount. Its members are deadLetterTargetArn and maxReceiveCount.',
    ],
    [policy(3, 'dummy'), 'Invalid value for deadLetterTargetArn.'],
    [
      JSON.stringify({ deadLetterTargetArn: [arn('dlq')], maxReceiveCount: 3 }),
      'Invalid value for deadLetterTargetArn.',
    ],
    [policy([[2]]), 'Invalid value for maxReceiveCount: not a number, valid values are from 1 to 1000 both inclusive.'],
    [policy(null), 'Invalid value for maxReceiveCount: not a number, valid values are from 1 to 1000 both inclusive.'],
    [policy(true), 'Invalid value for maxReceiveCount: true, valid values are from 1 to 1000 both inclusive.'],
    [policy(' 2 '), 'Invalid value for maxReceiveCount:  2 , valid values are from 1 to 1000 both inclusive.'],
    [policy('0x2'), 'Invalid value for maxReceiveCount: 0x2, valid values are from 1 to 1000 both inclusive.'],
    [policy(2.5), 'Invalid value for maxReceiveCount: 2.5, valid values are from 1 to 1000 both inclusive.'],
    [policy(3, arn('orders')), 'Dead letter target does not exist.'],
  ])('is refused with %s', (text, message) => {
    const aws = new SqsFixture();
    aws.createQueue('dlq');
    const error = errorOf(() => aws.createQueue('orders', { RedrivePolicy: text }));
    expect(error.code).toBe('InvalidParameterValue');
    expect(error.message).toContain(message);
    expect(aws.sqs.queues().map(({ name }) => name)).toEqual(['dlq']);
  });

  it('may name its own queue (recorded), which then keeps its messages (assumption SQS-11)', async () => {
    const { aws, url } = withDeadLetterQueue(1);
    const RedrivePolicy = policy(1, arn('orders'));
    aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { RedrivePolicy } });
    expect(aws.attributes(url)['RedrivePolicy']).toBe(RedrivePolicy);
    aws.send(url, 'poison');
    for (const at of [0, 10, 20]) {
      await aws.goTo(at);
      expect(aws.bodies(url)).toEqual(['poison']);
    }
    expect(aws.happened('sqs.dead-lettered')).toEqual([]);
  });

  it.each([
    ['maxReceiveCount', 'of nested arrays'],
    ['deadLetterTargetArn', 'of nested arrays'],
  ])('whose %s is made %s is refused, at any depth', member => {
    const aws = new SqsFixture();
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    const whole = policy(3, arn('dlq')).replace(/}$/, `,"${member}":${deep}}`);
    expect(errorOf(() => aws.createQueue('orders', { RedrivePolicy: whole }))).toMatchObject({
      code: 'InvalidParameterValue',
      status: 400,
    });
  });

  it('is shown and compared in normalized form (assumption SQS-2)', () => {
    const aws = new SqsFixture();
    aws.createQueue('dlq');
    const RedrivePolicy = `{ "maxReceiveCount": "3", "deadLetterTargetArn": "${arn('dlq')}" }`;
    const url = aws.createQueue('orders', { RedrivePolicy });
    expect(aws.attributes(url)['RedrivePolicy']).toBe(policy(3));
    expect(aws.createQueue('orders', { RedrivePolicy: policy(3) })).toBe(url);
    expect(errorOf(() => aws.createQueue('orders', { RedrivePolicy: policy(4) })).code).toBe('QueueAlreadyExists');
    aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { RedrivePolicy: policy('5') } });
    expect(aws.attributes(url)['RedrivePolicy']).toBe(policy(5));
  });
});

describe('a redrive-allow policy', () => {
  const byQueue = (...sourceQueueArns: string[]) => JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns });

  it.each([
    ['{"redrivePermission":"allowAll"}', true],
    ['{"redrivePermission":"denyAll"}', false],
  ])('of %s admits the queue orders: %s', (RedriveAllowPolicy, allowed) => {
    const aws = new SqsFixture();
    aws.createQueue('dlq', { RedriveAllowPolicy });
    const create = () => aws.createQueue('orders', { RedrivePolicy: policy(3) });
    if (allowed) expect(create()).toContain('/orders');
    else expect(errorOf(create).code).toBe('InvalidParameterValue');
  });

  it.each([
    '{"redrivePermission":"sometimes"}',
    '{"redrivePermission":"allowAll","sourceQueueArn":[]}',
    '{"redrivePermission":"allowAll","sourceQueueArns":[]}',
    byQueue('junk'),
    byQueue('arn:aws:sns:us-east-1:123456789012:orders'),
    `{"redrivePermission":"byQueue","sourceQueueArns":[["${arn('orders')}"]]}`,
  ])('of %s is refused', RedriveAllowPolicy => {
    const aws = new SqsFixture();
    expect(errorOf(() => aws.createQueue('dlq', { RedriveAllowPolicy })).code).toBe('InvalidParameterValue');
  });
});

it('A redrive-allow policy in another spelling is the same (assumption SQS-2)', () => {
  const aws = new SqsFixture();
  const sourceQueueArns = [arn('orders')];
  const RedriveAllowPolicy = JSON.stringify({ sourceQueueArns, redrivePermission: 'byQueue' }, undefined, 2);
  const url = aws.createQueue('dlq', { RedriveAllowPolicy });
  const reported = JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns });
  expect(aws.attributes(url)['RedriveAllowPolicy']).toBe(reported);
  expect(aws.createQueue('dlq', { RedriveAllowPolicy: reported })).toBe(url);
});

describe('the retention of messages', () => {
  it('ends four days after the send by default, to the millisecond, in flight or not', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'order');
    await aws.goTo(4 * DAY_SECONDS - 1);
    const [message] = aws.receive(url, 0);
    expect(message?.Body).toBe('order');
    await aws.goTo(4 * DAY_SECONDS - 0.001);
    expect(aws.bodies(url)).toEqual(['order']);
    await aws.goTo(4 * DAY_SECONDS);
    expect(aws.attributes(url)['ApproximateNumberOfMessagesNotVisible']).toBe('0');
    expect(aws.happened('sqs.expired')).toMatchObject([
      { atMs: START_MS + 4 * DAY_SECONDS * 1000, receiveCount: 2, retentionSeconds: 4 * DAY_SECONDS },
    ]);
  });

  it('does not keep the simulation busy while a message only waits to expire', async () => {
    const aws = new SqsFixture();
    aws.send(aws.createQueue('orders'), 'order');
    await aws.timeline.runUntilIdle();
    expect(aws.seconds).toBe(0);
  });

  it('ends at its time for an old message that is moved next to a new one', async () => {
    const { aws, url, dlq } = withDeadLetterQueue(1);
    aws.send(url, 'poison');
    await aws.goTo(DAY_SECONDS);
    aws.send(dlq, 'fresh');
    aws.receive(url);
    await aws.goTo(DAY_SECONDS + 10);
    aws.receive(url);
    await aws.goTo(10 * DAY_SECONDS);
    expect(aws.happened('sqs.expired').map(({ atMs }) => (atMs - START_MS) / 1000)).toEqual([
      4 * DAY_SECONDS,
      5 * DAY_SECONDS,
    ]);
  });

  it('applies to existing messages when it is changed', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'order');
    await aws.goTo(100);
    aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { MessageRetentionPeriod: '60' } });
    expect(aws.happened('sqs.expired')).toHaveLength(1);
    expect(aws.bodies(url)).toEqual([]);
  });
});

describe('dead letters', () => {
  function withDeadLetterQueue(maxReceiveCount: number, dlqAttributes: Record<string, string> = {}) {
    const aws = new SqsFixture();
    const dlq = aws.createFifoQueue('dlq', dlqAttributes);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount });
    const url = aws.createFifoQueue('orders', { RedrivePolicy, VisibilityTimeout: '10' });
    return { aws, url, dlq };
  }

  /** @see aws-semantics section 7, DLQ move */
  describe('a FIFO queue’s dead letter', () => {
    it('is replaced by the next message of its group in the same receive', () => {
      const { aws, url } = withDeadLetterQueue(1);
      aws.sendTo(url, 'g1', 'poison');
      aws.receive(url, 0);
      aws.sendTo(url, 'g1', 'fresh');
      expect(aws.bodies(url)).toEqual(['fresh']);
    });

    it('blocks its group before it is moved, and stays at the front however often it is received', async () => {
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

    it('frees its group if it expires in flight', async () => {
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

  it('A move task returns a FIFO queue’s dead letters in order, even if their source has used their first ids just now', async () => {
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

  it('The gauges of a FIFO queue report the number of groups with messages in flight', async () => {
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
