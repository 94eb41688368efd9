import { ADMIN, errorOf, SqsFixture } from './sqs-fixture';

const HOUR = 3_600;

/** A queue with one message that has just been received. */
function received(attributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const url = aws.createQueue('orders', attributes);
  aws.send(url, 'letter');
  const [message] = aws.receive(url);
  const handle = message?.ReceiptHandle ?? '';
  const change = (VisibilityTimeout: number, ReceiptHandle = handle) =>
    aws.sqs.call('ChangeMessageVisibility', ADMIN, { QueueUrl: url, ReceiptHandle, VisibilityTimeout });
  const remove = (ReceiptHandle = handle) => aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: url, ReceiptHandle });
  return { aws, url, handle, change, remove };
}

/** @see aws-semantics section 7, row by row */
describe('visibility', () => {
  it('ends 30 s after the receive by default, to the millisecond', async () => {
    const { aws, url } = received();
    await aws.goTo(29.999);
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(30);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it.each([0, 1, 43_200])('can be %d s, by the queue or by the receive', async seconds => {
    const byQueue = received({ VisibilityTimeout: String(seconds) });
    await byQueue.aws.goTo(seconds);
    expect(byQueue.aws.bodies(byQueue.url)).toEqual(['letter']);
    const { aws, url } = received();
    await aws.goTo(30);
    expect(aws.bodies(url, seconds)).toEqual(['letter']);
    await aws.goTo(30 + seconds);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it('of 0 s does not give the same message twice in one receive', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'one');
    aws.send(url, 'two');
    expect(aws.bodies(url, 0)).toEqual(['one', 'two']);
    expect(aws.bodies(url, 0)).toEqual(['one', 'two']);
  });

  it('counts a change from the call, not from the receive', async () => {
    const { aws, url, change } = received();
    await aws.goTo(20);
    change(30);
    await aws.goTo(49.999);
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(50);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it('of a change holds for that receipt only: the next receive has the queue’s', async () => {
    const { aws, url, change } = received();
    change(100);
    await aws.goTo(100);
    expect(aws.bodies(url)).toEqual(['letter']);
    await aws.goTo(130);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it('cannot exceed 12 hours from the receive, however it is extended', async () => {
    const { aws, url, change } = received();
    change(12 * HOUR - 1);
    await aws.goTo(1);
    expect(errorOf(() => change(43_200))).toEqual({
      code: 'InvalidParameterValue',
      message:
        'Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
      status: 400,
    });
    change(12 * HOUR - 1);
    await aws.goTo(12 * HOUR - 1);
    expect(errorOf(() => change(2)).code).toBe('InvalidParameterValue');
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(12 * HOUR);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it('cannot be changed to the full 12 hours, not even at the instant of the receive', () => {
    const { change } = received();
    expect(errorOf(() => change(43_200))).toEqual({
      code: 'InvalidParameterValue',
      message:
        'Value 43200 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
      status: 400,
    });
    change(43_199);
  });

  it('can still be ended, when its 12 hours are over, by a change to 0, which extends nothing', async () => {
    const { aws, url, change, handle } = received({ VisibilityTimeout: '43200' });
    await aws.goTo(17 * HOUR);
    expect(change(0)).toBeUndefined();
    expect(errorOf(() => change(1)).message).toBe(
      'Value 1 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
    );
    expect(aws.receive(url)).toMatchObject([{ Body: 'letter' }]);
    expect(change(0, handle)).toBeUndefined();
    expect(aws.receive(url)).toMatchObject([{ Body: 'letter', Attributes: { ApproximateReceiveCount: '3' } }]);
  });

  it('counts its 12 hours from the last receive', async () => {
    const { aws, url } = received();
    await aws.goTo(2 * HOUR);
    const [again] = aws.receive(url);
    const change = () =>
      aws.sqs.call('ChangeMessageVisibility', ADMIN, {
        QueueUrl: url,
        ReceiptHandle: again?.ReceiptHandle,
        VisibilityTimeout: 12 * HOUR - 1,
      });
    expect(change).not.toThrow();
  });

  it('leaves no work behind for a message that is deleted', async () => {
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

  it('changed to 0 gives the message back at once', () => {
    const { aws, url, change } = received();
    change(0);
    expect(aws.bodies(url)).toEqual(['letter']);
    expect(aws.happened('sqs.visibility-changed')).toMatchObject([{ receiveCount: 1, visibilityTimeoutSeconds: 0 }]);
  });

  it('can be changed after it ended, as long as nobody received the message again (recorded: 200 OK)', async () => {
    const { aws, url, change } = received();
    await aws.goTo(31);
    change(60);
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(91);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it('can be changed with an older handle after a second receive, and 0 gives the message back (recorded)', async () => {
    const { aws, url, change } = received();
    await aws.goTo(30);
    expect(aws.bodies(url)).toEqual(['letter']);
    change(0);
    expect(aws.bodies(url)).toEqual(['letter']);
  });

  it('cannot be changed after the message was deleted (recorded text)', () => {
    const { change, remove, handle } = received();
    remove();
    expect(errorOf(() => change(10))).toEqual({
      code: 'InvalidParameterValue',
      message: `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
      status: 400,
    });
  });

  it('ends before a receive at the very same instant, whichever was asked for first', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.send(url, 'letter');
    const seen: unknown[] = [];
    aws.timeline.after(30_000, () => void seen.push(aws.bodies(url)));
    aws.receive(url);
    await aws.goTo(30);
    expect(seen).toEqual([['letter']]);
  });
});

describe('a receipt handle', () => {
  it.each(['garbage', 'AQEB', `AQEB${Buffer.from('nothing of ours').toString('base64')}`])(
    'that is none of ours (%s) is refused (recorded text)',
    handle => {
      const { remove, change } = received();
      const error = {
        code: 'ReceiptHandleIsInvalid',
        message: `The input receipt handle "${handle}" is not a valid receipt handle.`,
        status: 404,
      };
      expect(errorOf(() => remove(handle))).toEqual(error);
      expect(errorOf(() => change(0, handle))).toEqual(error);
    },
  );

  it('of another queue is refused', () => {
    const { aws, handle } = received();
    const other = aws.createQueue('other');
    const remove = () => aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: other, ReceiptHandle: handle });
    expect(errorOf(remove).code).toBe('ReceiptHandleIsInvalid');
  });

  it('deletes after its timeout, when nobody received the message again (recorded)', async () => {
    const { aws, url, remove } = received();
    await aws.goTo(31);
    remove();
    expect(aws.bodies(url)).toEqual([]);
  });

  it('deletes again and again (recorded: idempotent), each of which is counted', () => {
    const { aws, remove } = received();
    remove();
    remove();
    expect(aws.happened('sqs.deleted')).toHaveLength(1);
    expect(aws.total('NumberOfMessagesDeleted')).toBe(2);
  });

  it('of an earlier receive is answered well and deletes nothing: our choice where AWS says “may not”', async () => {
    const { aws, url, remove } = received();
    await aws.goTo(30);
    aws.receive(url);
    remove();
    await aws.goTo(60);
    expect(aws.bodies(url)).toEqual(['letter']);
  });
});
