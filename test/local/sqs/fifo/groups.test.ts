import type { Message } from '@aws-sdk/client-sqs';
import { SqsFixture } from '../sqs-fixture';

const bodiesOf = (messages: readonly Message[]) => messages.map(({ Body }) => Body);

/** A FIFO queue with these messages, each named by its group and its place there: `g1-m1`. */
function queueOf(bodies: readonly string[], attributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const url = aws.createFifoQueue('orders', attributes);
  for (const body of bodies) aws.sendTo(url, body.slice(0, 2), body);
  const receive = (most: number, visibilityTimeout?: number) => aws.receive(url, visibilityTimeout, most);
  return { aws, url, receive };
}

/** @see aws-semantics section 7, FIFO message group lock: every order here is on record from AWS */
describe('message groups', () => {
  it('are received one after the other, as much of each as there is room for', () => {
    const { receive } = queueOf(['g1-m1', 'g2-m1', 'g1-m2', 'g1-m3']);
    expect(bodiesOf(receive(10))).toEqual(['g1-m1', 'g1-m2', 'g1-m3', 'g2-m1']);
  });

  it('stand still while a message of theirs is in flight, whatever is sent, until it is deleted', () => {
    const { aws, url, receive } = queueOf(['g1-m1']);
    const [first] = receive(1);
    aws.sendTo(url, 'g1', 'g1-m2');
    expect(receive(10)).toEqual([]);
    aws.delete(url, first);
    expect(bodiesOf(receive(10))).toEqual(['g1-m2']);
  });

  it('give the same messages in the same order after their timeout', async () => {
    const { aws, receive } = queueOf(['g1-m1', 'g1-m2', 'g1-m3'], { VisibilityTimeout: '1' });
    expect(bodiesOf(receive(10))).toEqual(['g1-m1', 'g1-m2', 'g1-m3']);
    await aws.goTo(2);
    expect(bodiesOf(receive(10))).toEqual(['g1-m1', 'g1-m2', 'g1-m3']);
  });

  it('take turns by when their first message became visible, at first or again', async () => {
    const bodies = ['g1-m1', 'g1-m2', 'g1-m3', 'g1-m4', 'g2-m1', 'g3-m1'];
    const { aws, receive } = queueOf(bodies, { VisibilityTimeout: '1' });
    expect(bodiesOf(receive(2))).toEqual(['g1-m1', 'g1-m2']);
    expect(bodiesOf(receive(1))).toEqual(['g2-m1']);
    await aws.goTo(2);
    expect(bodiesOf(receive(10, 0))).toEqual(['g3-m1', 'g1-m1', 'g1-m2', 'g1-m3', 'g1-m4', 'g2-m1']);
  });

  it('are free again at once after a receive with a visibility timeout of 0, behind the others', () => {
    const { receive } = queueOf(['g1-m1', 'g2-m1', 'g2-m2', 'g3-m1', 'g1-m2']);
    expect(bodiesOf(receive(3, 0))).toEqual(['g1-m1', 'g1-m2', 'g2-m1']);
    expect(bodiesOf(receive(10, 0))).toEqual(['g3-m1', 'g1-m1', 'g1-m2', 'g2-m1', 'g2-m2']);
  });

  it.each([
    ['0', 0, 0],
    ['1, which ends', 1, 2],
  ])('give back just the message whose timeout was changed to %s, behind the others', async (_, timeout, at) => {
    const { aws, url, receive } = queueOf(['g1-m1', 'g1-m2', 'g2-m1']);
    const [first] = receive(2);
    aws.hide(url, first, timeout);
    await aws.goTo(at);
    expect(bodiesOf(receive(3))).toEqual(['g2-m1', 'g1-m1']);
  });

  it.each([
    [0, []],
    [1, ['g1-m1']],
    [2, ['g1-m1', 'g1-m2']],
  ])('of which message %i is hidden for longer give only those before it', async (position, expected) => {
    const { aws, url, receive } = queueOf(['g1-m1', 'g1-m2', 'g1-m3'], { VisibilityTimeout: '1' });
    aws.hide(url, receive(5)[position], 4);
    await aws.goTo(2.5);
    expect(bodiesOf(receive(5))).toEqual(expected);
  });

  it('do not give a later message whose timeout ends while the first is hidden', () => {
    const { aws, url, receive } = queueOf(['g1-m1', 'g1-m2']);
    const [, second] = receive(2);
    aws.hide(url, second, 0);
    expect(receive(10)).toEqual([]);
  });

  const DELETED = ['g1-m1', 'g2-m1', 'g1-m2', 'g2-m2', 'g1-m3', 'g1-m4', 'g3-m1'];

  it('are free when all that was received is deleted, and come by the age of what is first now', () => {
    const { aws, url, receive } = queueOf(DELETED);
    for (const message of receive(2)) aws.delete(url, message);
    expect(bodiesOf(receive(10))).toEqual(['g2-m1', 'g2-m2', 'g1-m3', 'g1-m4', 'g3-m1']);
  });

  it('are not free when only some of it is deleted', () => {
    const { aws, url, receive } = queueOf(DELETED);
    aws.delete(url, receive(2)[0]);
    expect(bodiesOf(receive(10))).toEqual(['g2-m1', 'g2-m2', 'g3-m1']);
  });

  it('stay usable after they were empty (recorded)', () => {
    const { aws, url, receive } = queueOf(['g1-m1']);
    aws.delete(url, receive(1)[0]);
    expect(receive(1)).toEqual([]);
    aws.sendTo(url, 'g1', 'g1-m2');
    expect(bodiesOf(receive(1))).toEqual(['g1-m2']);
  });

  it('are counted as if nothing stood still: 4 visible, 2 not (recorded)', () => {
    const { aws, url, receive } = queueOf(['g1-m1', 'g1-m2', 'g1-m3', 'g1-m4', 'g2-m1', 'g3-m1']);
    receive(2);
    expect(aws.attributes(url)).toMatchObject({
      ApproximateNumberOfMessages: '4',
      ApproximateNumberOfMessagesNotVisible: '2',
    });
  });
});
