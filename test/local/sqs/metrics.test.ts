import { ADMIN, SqsFixture, START_MS } from './sqs-fixture';

const MINUTE = 60;
const HOUR = 3_600;

const age = 'ApproximateAgeOfOldestMessage';

/** The values of one gauge of one queue, by the minute at which they were measured. */
function gauge(aws: SqsFixture, queueName: string, metric: string): [number, number][] {
  return aws.measured
    .filter(({ name, dimensions }) => name === metric && dimensions['QueueName'] === queueName)
    .map(({ atMs, value }) => [(atMs - START_MS) / 60_000, value]);
}

/** @see aws-semantics section 6 */
describe('what SQS reports to CloudWatch', () => {
  it('counts what is sent, with its size, received, deleted, and found empty (recorded: Sent 1, SentMessageSize 5)', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    aws.send(QueueUrl, 'hello');
    const [message] = aws.receive(QueueUrl);
    aws.receive(QueueUrl);
    aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl, ReceiptHandle: message?.ReceiptHandle });
    const dimensions = { QueueName: 'orders' };
    expect(aws.measured).toEqual([
      { namespace: 'AWS/SQS', name: 'NumberOfMessagesSent', dimensions, value: 1, unit: 'Count', atMs: START_MS },
      { namespace: 'AWS/SQS', name: 'SentMessageSize', dimensions, value: 5, unit: 'Bytes', atMs: START_MS },
      { namespace: 'AWS/SQS', name: 'NumberOfMessagesReceived', dimensions, value: 1, unit: 'Count', atMs: START_MS },
      { namespace: 'AWS/SQS', name: 'NumberOfEmptyReceives', dimensions, value: 1, unit: 'Count', atMs: START_MS },
      { namespace: 'AWS/SQS', name: 'NumberOfMessagesDeleted', dimensions, value: 1, unit: 'Count', atMs: START_MS },
    ]);
  });

  it('measures depths at every full minute', async () => {
    const aws = new SqsFixture();
    await aws.goTo(10);
    const url = aws.createQueue('orders');
    aws.send(url, 'in flight');
    aws.receive(url, 100);
    aws.send(url, 'delayed', 200);
    aws.send(url, 'visible');
    await aws.goTo(4 * MINUTE);
    expect(gauge(aws, 'orders', 'ApproximateNumberOfMessagesVisible')).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 3],
    ]);
    expect(gauge(aws, 'orders', 'ApproximateNumberOfMessagesNotVisible')).toEqual([
      [1, 1],
      [2, 0],
      [3, 0],
      [4, 0],
    ]);
    expect(gauge(aws, 'orders', 'ApproximateNumberOfMessagesDelayed')).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 0],
    ]);
  });

  it('counts what the pollers of a mapping find empty, of a group that is locked too, and not where they take nothing', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    const stop = aws.sqs.whenReceivable(aws.arnOf(url), () => undefined);
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'first', MessageGroupId: 'g' });
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'behind it', MessageGroupId: 'g' });
    await aws.goTo(MINUTE);
    aws.receive(url, 150);
    await aws.goTo(4 * MINUTE);
    stop();
    await aws.goTo(6 * MINUTE);
    const empty = gauge(aws, 'orders.fifo', 'NumberOfEmptyReceives');
    expect(empty).toEqual([
      [2, 15],
      [3, 15],
    ]);
  });

  it('stops six hours after the last call when the queue is empty, and begins again with the next', async () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    await aws.goTo(30 * 24 * HOUR);
    expect(gauge(aws, 'orders', age)).toHaveLength(6 * 60);
    aws.measured.length = 0;
    aws.sqs.call('GetQueueUrl', ADMIN, { QueueName: 'orders' });
    aws.receive(QueueUrl);
    await aws.goTo(30 * 24 * HOUR + 2 * MINUTE);
    expect(gauge(aws, 'orders', age)).toHaveLength(2);
  });

  it('goes on as long as there are messages', async () => {
    const aws = new SqsFixture();
    aws.send(aws.createQueue('orders'), 'letter');
    await aws.goTo(24 * HOUR);
    expect(gauge(aws, 'orders', age)).toHaveLength(24 * 60);
    expect(gauge(aws, 'orders', age).at(-1)).toEqual([24 * 60, 24 * HOUR]);
  });

  it('ends with the queue', async () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    aws.send(QueueUrl, 'letter');
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl });
    aws.measured.length = 0;
    await aws.goTo(HOUR);
    expect(aws.measured).toEqual([]);
  });

  it('gives the age of the oldest message, in flight or not, without those received three times', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { VisibilityTimeout: '1' });
    aws.send(url, 'poison');
    await aws.goTo(30);
    aws.send(url, 'second', 900);
    for (let receive = 0; receive < 3; receive += 1) {
      await aws.goTo(MINUTE + receive * MINUTE + 1);
      aws.receive(url, 1);
    }
    await aws.goTo(5 * MINUTE);
    expect(gauge(aws, 'orders', age)).toEqual([
      [1, 60],
      [2, 120],
      [3, 180],
      [4, 210],
      [5, 270],
    ]);
  });

  it('sends such a message to the back of the queue', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { VisibilityTimeout: '1' });
    aws.send(url, 'poison');
    for (const at of [0, 1, 2]) {
      await aws.goTo(at);
      aws.receive(url);
    }
    aws.send(url, 'fresh');
    await aws.goTo(3);
    expect(aws.bodies(url)).toEqual(['fresh', 'poison']);
  });

  it('counts the age in a dead-letter queue from the move', async () => {
    const aws = new SqsFixture();
    const dlq = aws.createQueue('dlq');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount: 3 });
    const url = aws.createQueue('orders', { RedrivePolicy, VisibilityTimeout: '0' });
    aws.send(url, 'poison');
    await aws.goTo(7 * HOUR);
    for (let receive = 0; receive < 4; receive += 1) aws.receive(url);
    await aws.goTo(7 * HOUR + 2 * MINUTE);
    expect(gauge(aws, 'dlq', age).slice(-2)).toEqual([
      [7 * 60 + 1, 60],
      [7 * 60 + 2, 120],
    ]);
    expect(gauge(aws, 'dlq', 'ApproximateNumberOfMessagesVisible').at(-1)).toEqual([7 * 60 + 2, 1]);
    aws.receive(dlq, 10);
    await aws.goTo(7 * HOUR + 3 * MINUTE);
    expect(gauge(aws, 'dlq', age).at(-1)).toEqual([7 * 60 + 3, 180]);
  });
});
