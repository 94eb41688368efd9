import { Queue } from './queue';
import { embeddedRow, row, Target } from './target';

const BEYOND =
  'Value 43200 for parameter VisibilityTimeout is invalid. ' +
  'Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]';

const GONE = 'Message does not exist or is not available for visibility timeout change.';

const aboutHandle = (handle: string | undefined, reason: string) => ({
  name: 'InvalidParameterValue',
  message: `Value ${handle} for parameter ReceiptHandle is invalid. Reason: ${reason}`,
});

/** A queue with one message, received once. */
async function received(aws: Target, attributes = {}) {
  const queue = await Queue.of(aws, attributes);
  await queue.send('order');
  const [message] = await queue.receive();
  return { queue, message, handle: message?.ReceiptHandle };
}

async function receivedFromFifo(aws: Target, attributes = {}) {
  const queue = await Queue.fifo(aws, attributes);
  await queue.sendAll(['g1-m1']);
  const [message] = await queue.receive();
  return { queue, message, handle: message?.ReceiptHandle };
}

describe('section 7: visibility', () => {
  const aws = new Target();

  row('30 seconds by default', async () => {
    const { queue } = await received(aws);
    await aws.pass(25);
    expect(await queue.bodies()).toEqual([]);
    await aws.pass(5);
    expect(await queue.bodies()).toEqual(['order']);
  });

  row.each(['0', '43200'])('%s seconds is a timeout a queue may have', async VisibilityTimeout => {
    const queue = await Queue.of(aws, { VisibilityTimeout });
    expect(await queue.attributes()).toMatchObject({ VisibilityTimeout });
  });

  row.each(['-1', '43201'])('%s seconds is none', async VisibilityTimeout => {
    const queue = await Queue.of(aws);
    await expect(queue.set({ VisibilityTimeout })).rejects.toMatchObject({ name: 'InvalidAttributeValue' });
  });

  row('12 hours in all, counted from the receive', async () => {
    const { queue, message } = await received(aws);
    await aws.pass(1);
    await expect(queue.change(message, 43_200)).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: BEYOND,
    });
  });

  embeddedRow('extending does not begin the 12 hours anew', async () => {
    const { queue, message } = await received(aws);
    await queue.change(message, 40_000);
    await aws.pass(39_999);
    await queue.change(message, 3_000);
    await expect(queue.change(message, 3_300)).rejects.toMatchObject({
      message: expect.stringContaining('is beyond the limit [43200 seconds]'),
    });
    await aws.pass(3_000);
    expect(await queue.bodies()).toEqual(['order']);
  });

  row('a new timeout counts from the call that sets it', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '5' });
    await aws.pass(3);
    await queue.change(message, 4);
    await aws.pass(3);
    expect(await queue.bodies()).toEqual([]);
    await aws.pass(2);
    expect(await queue.bodies()).toEqual(['order']);
  });

  row('a new timeout holds for that receipt only', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '2' });
    await queue.change(message, 10);
    await queue.change(message, 0);
    expect(await queue.bodies()).toEqual(['order']);
    await aws.pass(3);
    expect(await queue.bodies()).toEqual(['order']);
  });
});

describe('section 7: a receipt handle', () => {
  const aws = new Target();

  row(
    'of a standard queue still changes the timeout when it has ended and nobody has received the message',
    async () => {
      const { queue, message } = await received(aws, { VisibilityTimeout: '1' });
      await aws.pass(2);
      await expect(queue.change(message, 2)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
    },
  );

  row('of an earlier receive changes the timeout too: 0 makes the message visible again', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '1' });
    await aws.pass(2);
    expect(await queue.bodies({ VisibilityTimeout: 60 })).toEqual(['order']);
    await queue.change(message, 0);
    expect(await queue.bodies()).toEqual(['order']);
  });

  row('of a deleted message changes nothing', async () => {
    const { queue, message, handle } = await received(aws);
    await queue.remove(message);
    await expect(queue.change(message, 10)).rejects.toMatchObject(aboutHandle(handle, GONE));
  });

  row.each(['change', 'remove'] as const)('that is none is refused: %s', async call => {
    const { queue } = await received(aws);
    await expect(queue[call]('garbage', 0)).rejects.toMatchObject({
      name: 'ReceiptHandleIsInvalid',
      message: 'The input receipt handle "garbage" is not a valid receipt handle.',
    });
  });

  row('of a standard queue deletes after its timeout, if nobody has received the message', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '1' });
    await aws.pass(2);
    await queue.remove(message);
    expect(await queue.bodies()).toEqual([]);
  });

  row('of an earlier receive is answered success when it deletes, whether or not it does', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '1' });
    await aws.pass(2);
    await queue.receive();
    await expect(queue.remove(message)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  row('deletes once and again: it is idempotent', async () => {
    const { queue, message } = await received(aws);
    await queue.remove(message);
    await expect(queue.remove(message)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });

  row('of a FIFO queue does not delete after its timeout', async () => {
    const { queue, message, handle } = await receivedFromFifo(aws, { VisibilityTimeout: '1' });
    await aws.pass(2);
    await expect(queue.remove(message)).rejects.toMatchObject(aboutHandle(handle, 'The receipt handle has expired.'));
    expect(await queue.bodies()).toEqual(['g1-m1']);
  });

  row('of a FIFO queue deletes after its first timeout if that was extended in time', async () => {
    const { queue, message } = await receivedFromFifo(aws, { VisibilityTimeout: '2' });
    await queue.change(message, 8);
    await aws.pass(3);
    await queue.remove(message);
    await aws.pass(6);
    expect(await queue.bodies()).toEqual([]);
  });
});
