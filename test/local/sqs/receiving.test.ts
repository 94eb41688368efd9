import type { ReceiveMessageResult } from '@aws-sdk/client-sqs';
import { HOUR_SECONDS } from '../../../policy/time-units';
import { ADMIN, errorOf, SqsFixture, START_MS } from './sqs-fixture';

/** A long poll whose answer is noted with the second at which it came. */
function poll(aws: SqsFixture, url: string, WaitTimeSeconds?: number, MaxNumberOfMessages = 10) {
  const noted: { at: number; bodies: unknown[] | string }[] = [];
  const answer = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: url, WaitTimeSeconds, MaxNumberOfMessages });
  aws.timeline.whenSettled(Promise.resolve(answer), result => {
    const at = aws.seconds;
    if (result.status === 'fulfilled')
      noted.push({ at, bodies: (result.value.Messages ?? []).map(({ Body }) => Body) });
    else noted.push({ at, bodies: String(result.reason.message) });
  });
  return noted;
}

describe('a short poll', () => {
  it('returns one message unless it requests more, and nothing at all if there is none', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    expect(aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl })).toEqual({});
    aws.send(QueueUrl, 'one');
    aws.send(QueueUrl, 'two');
    const answer = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl });
    expect((answer as ReceiveMessageResult).Messages?.map(({ Body }) => Body)).toEqual(['one']);
  });

  it('returns system attributes by name, or all of them', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    const ask = (name: string) =>
      aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl, AttributeNames: [name as 'All'], MaxNumberOfMessages: 1 });
    expect(errorOf(() => ask('Colour'))).toMatchObject({
      code: 'InvalidAttributeName',
      message: 'Unknown Attribute Colour.',
    });
    aws.send(QueueUrl, 'x');
    expect((ask('SenderId') as ReceiveMessageResult).Messages?.[0]?.Attributes).toEqual({ SenderId: '123456789012' });
  });
});

it.each([
  ['by itself, as long as AWS allows', {}, 900, 900],
  ['by its queue', { DelaySeconds: '20' }, undefined, 20],
  ['by itself, against its queue', { DelaySeconds: '20' }, 0, 0],
])('A delayed message %s', async (_, attributes, delaySeconds, visibleAt) => {
  const aws = new SqsFixture();
  const url = aws.createQueue('orders', attributes);
  aws.send(url, 'order', delaySeconds);
  if (visibleAt > 0) {
    await aws.goTo(visibleAt - 0.001);
    expect(aws.bodies(url)).toEqual([]);
    expect(aws.attributes(url)['ApproximateNumberOfMessagesDelayed']).toBe('1');
  }
  await aws.goTo(visibleAt);
  expect(aws.bodies(url)).toEqual(['order']);
  expect(aws.attributes(url)['ApproximateNumberOfMessagesDelayed']).toBe('0');
});

describe('a long poll', () => {
  it('is answered at the instant at which a message is sent', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const answers = poll(aws, url, 20);
    aws.timeline.after(7_000, () => void aws.send(url, 'order'));
    await aws.goTo(60);
    expect(answers).toEqual([{ at: 7, bodies: ['order'] }]);
    expect(aws.total('NumberOfEmptyReceives')).toBe(0);
  });

  it('is answered at once if there is a message', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'order');
    const answers = poll(aws, url, 20);
    await aws.goTo(0);
    expect(answers).toEqual([{ at: 0, bodies: ['order'] }]);
  });

  it('returns nothing after its wait time, by default that of the queue', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { ReceiveMessageWaitTimeSeconds: '5' });
    const [byQueue, byItself] = [poll(aws, url), poll(aws, url, 20)];
    await aws.goTo(60);
    expect(byQueue).toEqual([{ at: 5, bodies: [] }]);
    expect(byItself).toEqual([{ at: 20, bodies: [] }]);
    expect(aws.total('NumberOfEmptyReceives')).toBe(2);
  });

  it('gets a message that becomes visible again, and one whose delay ends', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { VisibilityTimeout: '3' });
    aws.send(url, 'again');
    aws.receive(url);
    aws.send(url, 'late', 8);
    const [first, second] = [poll(aws, url, 20, 1), poll(aws, url, 20, 1)];
    await aws.goTo(60);
    expect(first).toEqual([{ at: 3, bodies: ['again'] }]);
    expect(second.map(({ at }) => at)).toEqual([6]);
  });

  it('is answered in the order in which the polls came', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const [first, second] = [poll(aws, url, 20, 1), poll(aws, url, 20, 1)];
    aws.send(url, 'one');
    aws.send(url, 'two');
    await aws.goTo(1);
    expect([first, second]).toEqual([[{ at: 0, bodies: ['one'] }], [{ at: 0, bodies: ['two'] }]]);
  });

  it('gets the fault that applies when it is answered, and no message is lost', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const [first, second] = [poll(aws, url, 20), poll(aws, url, 10)];
    const alone = poll(aws, aws.createQueue('other'), 6);
    aws.faults.set({
      service: 'sqs',
      action: 'ReceiveMessage',
      fromMs: START_MS + 5_000,
      untilMs: START_MS + 15_000,
    });
    const text = 'sqs answers ServiceUnavailable: a fault set by this scenario';
    aws.timeline.after(7_000, () => void aws.send(url, 'order'));
    await aws.goTo(15);
    expect(alone).toEqual([{ at: 6, bodies: text }]);
    expect([first, second]).toEqual([[{ at: 7, bodies: text }], [{ at: 7, bodies: text }]]);
    expect(aws.happened('sqs.refused').map(({ action, code }) => `${action} ${code}`)).toEqual(
      Array.from({ length: 3 }, () => 'ReceiveMessage ServiceUnavailable'),
    );
    expect(aws.receive(url)).toMatchObject([{ Attributes: { ApproximateReceiveCount: '1' } }]);
  });

  it('ends when the queue is deleted', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const answers = poll(aws, url, 20);
    aws.timeline.after(2_000, () => aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl: url }));
    await aws.goTo(60);
    expect(answers).toEqual([{ at: 2, bodies: 'The specified queue does not exist.' }]);
  });
});

describe('whenReceivable', () => {
  /** Seconds at which the listener was called. */
  function listen(aws: SqsFixture, arn: string) {
    const calls: number[] = [];
    const stop = aws.sqs.whenReceivable(arn, () => void calls.push(aws.seconds));
    return { calls, stop };
  }

  it('notifies once of messages sent, visible again or no longer delayed, for any number of them', async () => {
    const aws = new SqsFixture();
    const { calls } = listen(aws, 'arn:aws:sqs:us-east-1:123456789012:orders');
    const url = aws.createQueue('orders');
    aws.send(url, 'one');
    aws.send(url, 'two');
    aws.send(url, 'late', 10);
    expect(calls).toEqual([]);
    await aws.goTo(1);
    aws.receive(url);
    await aws.goTo(60);
    expect(calls).toEqual([0, 10, 31]);
  });

  it('notifies of a message whose visibility timeout was set to 0', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'one');
    const { calls } = listen(aws, aws.arnOf(url));
    const [message] = aws.receive(url);
    await aws.goTo(5);
    aws.sqs.call('ChangeMessageVisibility', ADMIN, {
      QueueUrl: url,
      ReceiptHandle: message?.ReceiptHandle,
      VisibilityTimeout: 0,
    });
    await aws.goTo(6);
    expect(calls).toEqual([0, 5]);
  });

  it('notifies at once if messages are waiting, and not after it was stopped', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'one');
    const { calls, stop } = listen(aws, aws.arnOf(url));
    await aws.goTo(1);
    stop();
    aws.send(url, 'two');
    await aws.goTo(2);
    expect(calls).toEqual([0]);
  });

  it('does not notify of a message that a long poll received', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    poll(aws, url, 20);
    const heard: number[] = [];
    aws.sqs.whenReceivable(
      aws.arnOf(url),
      () => void heard.push(Number(aws.attributes(url)['ApproximateNumberOfMessages'])),
    );
    aws.send(url, 'one');
    await aws.goTo(1);
    expect(heard.every(visible => visible === 0)).toBe(true);
  });
});

/** A queue with one message that has just been received. */
function received(attributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const url = aws.createQueue('orders', attributes);
  aws.send(url, 'order');
  const [message] = aws.receive(url);
  const handle = message?.ReceiptHandle ?? '';
  const change = (VisibilityTimeout: number, ReceiptHandle = handle) =>
    aws.sqs.call('ChangeMessageVisibility', ADMIN, { QueueUrl: url, ReceiptHandle, VisibilityTimeout });
  const remove = (ReceiptHandle = handle) => aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: url, ReceiptHandle });
  return { aws, url, handle, change, remove };
}

/** @see aws-semantics section 7, row by row */
describe('the visibility timeout', () => {
  it.each([0, 1, 43_200])('can be %d s, of the queue or of the receive', async seconds => {
    const byQueue = received({ VisibilityTimeout: String(seconds) });
    await byQueue.aws.goTo(seconds);
    expect(byQueue.aws.bodies(byQueue.url)).toEqual(['order']);
    const { aws, url } = received();
    await aws.goTo(30);
    expect(aws.bodies(url, seconds)).toEqual(['order']);
    await aws.goTo(30 + seconds);
    expect(aws.bodies(url)).toEqual(['order']);
  });

  it('of 0 s does not return the same message twice in one receive', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'one');
    aws.send(url, 'two');
    expect(aws.bodies(url, 0)).toEqual(['one', 'two']);
    expect(aws.bodies(url, 0)).toEqual(['one', 'two']);
  });

  it('can be set to 0 after its 12 hours, because that extends nothing', async () => {
    const { aws, url, change, handle } = received({ VisibilityTimeout: '43200' });
    await aws.goTo(17 * HOUR_SECONDS);
    expect(change(0)).toBeUndefined();
    expect(errorOf(() => change(1)).message).toBe(
      'Value 1 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
    );
    expect(aws.receive(url)).toMatchObject([{ Body: 'order' }]);
    expect(change(0, handle)).toBeUndefined();
    expect(aws.receive(url)).toMatchObject([{ Body: 'order', Attributes: { ApproximateReceiveCount: '3' } }]);
  });

  it('leaves no scheduled work after the message is deleted', async () => {
    const { aws, remove } = received();
    remove();
    await aws.timeline.runUntilIdle();
    expect(aws.seconds).toBe(0);
  });

  it.each([-1, 43_201])('of %d s is out of range', seconds => {
    const { change, aws, url } = received();
    expect(errorOf(() => change(seconds)).message).toContain(`Value ${seconds} for parameter VisibilityTimeout`);
    expect(errorOf(() => aws.receive(url, seconds)).message).toContain('VisibilityTimeout');
  });

  it('ends before a receive at the same instant, whichever was scheduled first', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'order');
    const seen: unknown[] = [];
    aws.timeline.after(30_000, () => void seen.push(aws.bodies(url)));
    aws.receive(url);
    await aws.goTo(30);
    expect(seen).toEqual([['order']]);
  });
});

describe('a receipt handle', () => {
  it('of another queue is refused', () => {
    const { aws, handle } = received();
    const other = aws.createQueue('other');
    const remove = () => aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: other, ReceiptHandle: handle });
    expect(errorOf(remove).code).toBe('ReceiptHandleIsInvalid');
  });
});
