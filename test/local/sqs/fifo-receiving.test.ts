import type { Message } from '@aws-sdk/client-sqs';
import { Message as StoredMessage } from '../../../local/sqs/message/message';
import { ScanWindow } from '../../../local/sqs/message-store/fifo';
import { MessageList } from '../../../local/sqs/message-store/message-collections';
import { ADMIN, errorOf, SqsFixture } from './sqs-fixture';

const bodiesOf = (messages: readonly Message[] = []) => messages.map(({ Body }) => Body);

function queueOf(bodies: readonly string[], attributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const url = aws.createFifoQueue('orders', attributes);
  for (const body of bodies) aws.sendTo(url, body.slice(0, 2), body);
  return { aws, url };
}

/** @see aws-semantics section 7 */
describe('a receipt handle of a FIFO queue', () => {
  it('does not change the visibility timeout after its end (assumption SQS-6)', async () => {
    const { aws, url } = queueOf(['g1-m1'], { VisibilityTimeout: '1' });
    const [message] = aws.receive(url);
    await aws.goTo(1);
    expect(errorOf(() => aws.hide(url, message, 5))).toMatchObject({
      code: 'InvalidParameterValue',
      message: expect.stringContaining('Message does not exist or is not available for visibility timeout change.'),
    });
    expect(aws.bodies(url)).toEqual(['g1-m1']);
  });
});

describe('a receive with a receive request attempt id', () => {
  const attempt = (aws: SqsFixture, QueueUrl: string, ReceiveRequestAttemptId: string, VisibilityTimeout?: number) => {
    const answer = aws.sqs.call('ReceiveMessage', ADMIN, {
      QueueUrl,
      MaxNumberOfMessages: 10,
      WaitTimeSeconds: 0,
      ReceiveRequestAttemptId,
      VisibilityTimeout,
    });
    if (answer instanceof Promise) throw new Error('a short poll must answer at once');
    return answer.Messages ?? [];
  };

  it('that is repeated returns the same messages with the same handles, and hides them again', async () => {
    const { aws, url } = queueOf(['g1-m1', 'g1-m2', 'g2-m1']);
    const first = attempt(aws, url, 'a');
    expect(bodiesOf(first)).toEqual(['g1-m1', 'g1-m2', 'g2-m1']);
    await aws.goTo(20);
    expect(attempt(aws, url, 'a')).toEqual(first);
    expect(aws.receive(url)).toEqual([]);
    await aws.goTo(49.999);
    expect(aws.receive(url)).toEqual([]);
    await aws.goTo(50);
    expect(aws.receive(url)).toMatchObject([{ Attributes: { ApproximateReceiveCount: '2' } }, {}, {}]);
  });

  it('that is repeated with a visibility timeout of 0 makes its messages visible and answers a long poll', async () => {
    const { aws, url } = queueOf(['g1-m1']);
    attempt(aws, url, 'a', 30);
    const answers: unknown[] = [];
    const answer = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: url, WaitTimeSeconds: 20 });
    aws.timeline.whenSettled(Promise.resolve(answer), () => void answers.push(aws.seconds));
    await aws.goTo(5);
    attempt(aws, url, 'a', 0);
    await aws.goTo(6);
    expect(answers).toEqual([5]);
  });

  it('that returned nothing, because its message was a dead letter, returns later messages when repeated', async () => {
    const aws = new SqsFixture();
    const deadLetterTargetArn = aws.arnOf(aws.createFifoQueue('dlq'));
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
    const url = aws.createFifoQueue('orders', { RedrivePolicy });
    aws.sendTo(url, 'g1', 'poison');
    aws.receive(url, 0);
    expect(attempt(aws, url, 'a')).toEqual([]);
    expect(aws.happened('sqs.dead-lettered')).toHaveLength(1);
    aws.sendTo(url, 'g1', 'good');
    expect(bodiesOf(attempt(aws, url, 'a'))).toEqual(['good']);
  });

  it('by another caller returns other messages', () => {
    const { aws, url } = queueOf(['g1-m1']);
    attempt(aws, url, 'a');
    expect(attempt(aws, url, 'b')).toEqual([]);
  });

  it.each<[string, (aws: SqsFixture, url: string, message: Message | undefined) => void]>([
    ['deleted', (aws, url, message) => aws.delete(url, message)],
    ['hidden for another time', (aws, url, message) => aws.hide(url, message, 100)],
  ])('that is repeated returns nothing once one of its messages was %s', (_, modify) => {
    const { aws, url } = queueOf(['g1-m1', 'g1-m2']);
    modify(aws, url, attempt(aws, url, 'a')[0]);
    expect(attempt(aws, url, 'a')).toEqual([]);
  });

  it('that is repeated returns nothing if another receive has the message now, even if it is hidden until the same instant', async () => {
    const { aws, url } = queueOf(['g1-m1']);
    const [message] = attempt(aws, url, 'a', 10);
    await aws.goTo(5);
    aws.hide(url, message, 0);
    expect(aws.bodies(url, 5)).toEqual(['g1-m1']);
    expect(attempt(aws, url, 'a')).toEqual([]);
  });

  it('is a new receive once the visibility timeout or five minutes are over', async () => {
    const { aws, url } = queueOf(['g1-m1'], { VisibilityTimeout: '400' });
    const [first] = attempt(aws, url, 'a', 10);
    await aws.goTo(10);
    const [second] = attempt(aws, url, 'a');
    expect(second?.ReceiptHandle).not.toBe(first?.ReceiptHandle);
    await aws.goTo(309.999);
    expect(attempt(aws, url, 'a')).toEqual([second]);
    await aws.goTo(609.999);
    expect(attempt(aws, url, 'a')).toEqual([]);
  });

  it('that returned nothing returns messages that have arrived since', () => {
    const { aws, url } = queueOf([]);
    expect(attempt(aws, url, 'a')).toEqual([]);
    aws.sendTo(url, 'g1', 'g1-m1');
    expect(bodiesOf(attempt(aws, url, 'a'))).toEqual(['g1-m1']);
  });

  it('is refused on a standard queue, and with an invalid id', () => {
    const { aws, url } = queueOf([]);
    expect(errorOf(() => attempt(aws, aws.createQueue('standard'), 'a')).message).toBe(
      'Value a for parameter ReceiveRequestAttemptId is invalid. Reason: The request include parameter that is not valid for this queue type.',
    );
    expect(errorOf(() => attempt(aws, url, 'a b')).message).toContain('ReceiveRequestAttemptId can only include');
  });
});

describe('a receiver that waits for messages of a FIFO queue', () => {
  it('is notified when a blocked group is free, after a delete or a timeout (recorded)', async () => {
    const { aws, url } = queueOf(['g1-m1', 'g1-m2']);
    const heard: unknown[] = [];
    const [first] = aws.receive(url, 10, 1);
    aws.sqs.whenReceivable(aws.arnOf(url), () => void heard.push([aws.seconds, ...aws.bodies(url, 20)]));
    await aws.goTo(3);
    expect(heard).toEqual([]);
    aws.delete(url, first);
    await aws.goTo(60);
    expect(heard.slice(0, 2)).toEqual([
      [3, 'g1-m2'],
      [23, 'g1-m2'],
    ]);
  });

  it('gets an answer to its long poll, and no message goes to two of three receivers (recorded)', async () => {
    const { aws, url } = queueOf([], { VisibilityTimeout: '60' });
    const answers: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const answer = aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: url, WaitTimeSeconds: 10 });
      aws.timeline.whenSettled(Promise.resolve(answer), result => {
        if (result.status === 'fulfilled') answers.push([aws.seconds, ...bodiesOf(result.value.Messages)]);
      });
    }
    aws.timeline.after(1_000, () => void aws.sendTo(url, 'g1', 'one'));
    aws.timeline.after(2_000, () => void aws.sendTo(url, 'g1', 'two'));
    await aws.goTo(60);
    expect(answers).toEqual([[1, 'one'], [10], [10]]);
  });
});

it('The scan window covers the oldest messages, even if others leave the queue', () => {
  const window = new ScanWindow(2);
  const list = new MessageList('earlier', 'later');
  const messages = [1, 2, 3, 4].map(arrival => {
    const message = new StoredMessage({
      id: String(arrival),
      body: '',
      attributes: {},
      traceHeader: undefined,
      groupId: undefined,
      senderId: '',
      sizeBytes: 0,
      sentAtMs: 0,
    });
    message.arrival = arrival;
    list.append(message);
    window.arrived(message);
    return message;
  });
  const covered = () => messages.filter(message => window.covers(message)).map(({ arrival }) => arrival);
  const leave = (arrival: number) => {
    const message = messages.find(it => it.arrival === arrival);
    if (!message) throw new Error(`no message ${arrival}`);
    const opened = window.left(message)?.arrival;
    list.remove(message);
    messages.splice(messages.indexOf(message), 1);
    return opened;
  };
  expect(covered()).toEqual([1, 2]);
  expect(leave(4)).toBeUndefined();
  expect(leave(2)).toBe(3);
  expect(covered()).toEqual([1, 3]);
  expect(leave(3)).toBeUndefined();
  expect(covered()).toEqual([1]);
  expect(leave(1)).toBeUndefined();
  expect(covered()).toEqual([]);
});

describe('the message groups of a FIFO queue', () => {
  const bodiesOf = (messages: readonly Message[]) => messages.map(({ Body }) => Body);

  /** A FIFO queue with these messages, each named by its group and its place there: `g1-m1`. */
  function queueOf(bodies: readonly string[], attributes: Record<string, string> = {}) {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders', attributes);
    for (const body of bodies) aws.sendTo(url, body.slice(0, 2), body);
    const receive = (most: number, visibilityTimeout?: number) => aws.receive(url, visibilityTimeout, most);
    return { aws, url, receive };
  }

  const DELETED = ['g1-m1', 'g2-m1', 'g1-m2', 'g2-m2', 'g1-m3', 'g1-m4', 'g3-m1'];

  it('are free when all received messages are deleted, and are ordered by their first message', () => {
    const { aws, url, receive } = queueOf(DELETED);
    for (const message of receive(2)) aws.delete(url, message);
    expect(bodiesOf(receive(10))).toEqual(['g2-m1', 'g2-m2', 'g1-m3', 'g1-m4', 'g3-m1']);
  });

  it('can be used again after they were empty (recorded)', () => {
    const { aws, url, receive } = queueOf(['g1-m1']);
    aws.delete(url, receive(1)[0]);
    expect(receive(1)).toEqual([]);
    aws.sendTo(url, 'g1', 'g1-m2');
    expect(bodiesOf(receive(1))).toEqual(['g1-m2']);
  });
});
