import { Queue } from './queue';
import { row, Target } from './target';

/** Every order here is on record from AWS. A message is named by its group and its place there: `g1-m2`. */
describe('section 7: a FIFO message group', () => {
  const aws = new Target();

  async function fifoOf(bodies: readonly string[], attributes = {}): Promise<Queue> {
    const queue = await Queue.fifo(aws, attributes);
    await queue.sendAll(bodies);
    return queue;
  }

  row('is blocked while a message of it is in flight, and sending more does not unblock it', async () => {
    const queue = await fifoOf(['g1-m1', 'g1-m2']);
    const [first] = await queue.receive({ MaxNumberOfMessages: 1 });
    expect(await queue.bodies()).toEqual([]);
    await queue.sendAll(['g1-m3']);
    expect(await queue.bodies()).toEqual([]);
    await queue.remove(first);
    expect(await queue.bodies()).toEqual(['g1-m2', 'g1-m3']);
  });

  row('is received as far as there is room before the next one', async () => {
    const queue = await fifoOf(['g1-m1', 'g2-m1', 'g1-m2', 'g2-m2', 'g1-m3']);
    expect(await queue.bodies({ MaxNumberOfMessages: 4 })).toEqual(['g1-m1', 'g1-m2', 'g1-m3', 'g2-m1']);
  });

  row('is free once all of it in flight is deleted', async () => {
    const queue = await fifoOf(['g1-m1', 'g1-m2', 'g1-m3']);
    for (const message of await queue.receive({ MaxNumberOfMessages: 2 })) await queue.remove(message);
    expect(await queue.bodies()).toEqual(['g1-m3']);
  });

  row('is not free when some of it in flight is deleted', async () => {
    const queue = await fifoOf(['g1-m1', 'g1-m2', 'g1-m3', 'g2-m1']);
    const [first] = await queue.receive({ MaxNumberOfMessages: 2 });
    await queue.remove(first);
    expect(await queue.bodies()).toEqual(['g2-m1']);
  });

  row.each([
    ['a timeout of 0', 0, 0],
    ['a short timeout that ends', 1, 2],
  ])('whose first message has %s gives that message only, behind the other groups', async (_, timeout, seconds) => {
    const queue = await fifoOf(['g1-m1', 'g1-m2', 'g2-m1']);
    const [first] = await queue.receive({ MaxNumberOfMessages: 2 });
    await queue.change(first, timeout);
    await aws.pass(seconds);
    expect(await queue.bodies()).toEqual(['g2-m1', 'g1-m1']);
  });

  row.each([
    [1, []],
    [2, ['g1-m1']],
    [3, ['g1-m1', 'g1-m2']],
  ])('whose message %i of three is extended gives only those before it', async (position, expected) => {
    const queue = await fifoOf(['g1-m1', 'g1-m2', 'g1-m3'], { VisibilityTimeout: '2' });
    const messages = await queue.receive();
    await queue.change(messages[position - 1], 10);
    await aws.pass(3);
    expect(await queue.bodies()).toEqual(expected);
  });

  row('is free at once after a receive with a timeout of 0, and goes to the back of the rotation', async () => {
    const queue = await fifoOf(['g1-m1', 'g2-m1', 'g2-m2', 'g3-m1', 'g1-m2']);
    const first = await queue.bodies({ MaxNumberOfMessages: 3, VisibilityTimeout: 0 });
    expect(first).toEqual(['g1-m1', 'g1-m2', 'g2-m1']);
    expect(await queue.bodies()).toEqual(['g3-m1', 'g1-m1', 'g1-m2', 'g2-m1', 'g2-m2']);
  });

  row('does not change what is counted: 4 visible, 2 not', async () => {
    const queue = await fifoOf(['g1-m1', 'g1-m2', 'g1-m3', 'g1-m4', 'g2-m1', 'g3-m1']);
    await queue.receive({ MaxNumberOfMessages: 2 });
    expect(await queue.depths()).toEqual([4, 2, 0]);
  });
});
