import { ADMIN, SqsFixture } from './sqs-fixture';

/** A queue with poison, delays, changed visibility and two waiting consumers, for a day. */
async function story(): Promise<string> {
  const aws = new SqsFixture();
  const dlq = aws.createQueue('dlq', { MessageRetentionPeriod: '43200' });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount: 2 });
  const url = aws.createQueue('orders', { RedrivePolicy, VisibilityTimeout: '40' });
  for (const consumer of [0, 1]) {
    aws.sqs.whenReceivable(aws.arnOf(url), () => {
      for (const { Body = '', ReceiptHandle } of aws.receive(url)) {
        if (Body.includes('poison')) continue;
        if (consumer === 1) {
          const seconds = Body.length * 7;
          aws.sqs.call('ChangeMessageVisibility', ADMIN, { QueueUrl: url, ReceiptHandle, VisibilityTimeout: seconds });
        } else aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: url, ReceiptHandle });
      }
    });
  }
  for (let i = 0; i < 50; i += 1) {
    aws.timeline.after(i * 11_000, () => void aws.send(url, i % 7 === 0 ? 'poison' : 'x'.repeat(i), i % 5));
  }
  await aws.goTo(86_400);
  return aws.trace.toJsonLines() + JSON.stringify(aws.measured);
}

/** Orders of many groups, poison and repeated ones among them, with two consumers, for a day. */
async function fifoStory(): Promise<string> {
  const aws = new SqsFixture();
  const dlq = aws.createFifoQueue('dlq', { MessageRetentionPeriod: '43200' });
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount: 2 });
  const url = aws.createFifoQueue('orders', { RedrivePolicy, VisibilityTimeout: '40' });
  for (const consumer of [1, 2]) {
    aws.sqs.whenReceivable(aws.arnOf(url), () => {
      for (const message of aws.receive(url, undefined, consumer)) {
        if (!message.Body?.includes('poison')) aws.delete(url, message);
      }
    });
  }
  for (let i = 0; i < 60; i += 1) {
    const body = i % 7 === 0 ? `poison ${i}` : `order ${i % 25}`;
    aws.timeline.after(i * 11_000, () => void aws.sendTo(url, `g${i % 4}`, body));
  }
  await aws.goTo(86_400);
  return aws.trace.toJsonLines() + JSON.stringify(aws.measured);
}

it('the same calls on a FIFO queue are traced and measured byte for byte alike', async () => {
  const [first, second] = [await fifoStory(), await fifoStory()];
  expect(first).toBe(second);
  for (const type of [
    'sqs.sent',
    'sqs.deduplicated',
    'sqs.received',
    'sqs.deleted',
    'sqs.dead-lettered',
    'sqs.expired',
  ]) {
    expect(first).toContain(`"type":"${type}"`);
  }
});

it('the same calls on the same seed are traced and measured byte for byte alike', async () => {
  const [first, second] = [await story(), await story()];
  expect(first).toBe(second);
  for (const type of ['sqs.sent', 'sqs.received', 'sqs.deleted', 'sqs.dead-lettered', 'sqs.expired']) {
    expect(first).toContain(`"type":"${type}"`);
  }
});
