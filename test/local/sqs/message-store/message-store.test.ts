import fc from 'fast-check';
import { Timeline } from '../../../../local/kernel/timeline';
import { Message } from '../../../../local/sqs/message/message';
import { MessageStore } from '../../../../local/sqs/message-store/message-store';
import { StandardOrder } from '../../../../local/sqs/message-store/standard-order';
import { Receivers } from '../../../../local/sqs/queue/receivers';
import { HOUR_SECONDS, MINUTE_SECONDS } from '../../../../policy/time-units';
import { ADMIN, SqsFixture, START_MS } from '../sqs-fixture';

const MAX_IN_FLIGHT = 2;

const messageSentAt = (id: number, sentAtMs: number): Message =>
  new Message({
    id: String(id),
    body: '',
    attributes: {},
    traceHeader: undefined,
    groupId: undefined,
    senderId: '',
    sizeBytes: 0,
    sentAtMs,
  });

/** What a queue of a few messages is, without any heap: the truth to hold the store against. */
class PlainQueue {
  readonly messages: { message: Message; turn: number; visibleAtMs: number; receives: number }[] = [];
  turns = 0;

  visible(nowMs: number) {
    return this.messages.filter(m => m.visibleAtMs <= nowMs).sort((a, b) => a.turn - b.turn);
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), delay: fc.nat({ max: 5 }), back: fc.nat({ max: 3 }) }),
  fc.record({ kind: fc.constant('receive' as const), timeout: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ kind: fc.constant('hide' as const), which: fc.nat(), timeout: fc.nat({ max: 6 }) }),
  fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4 }) }),
);

it('The message store does what a plain list would, and notifies whenever a message becomes receivable, after any steps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      let reported = 0;
      const whenReceivable = () => {
        reported += 1;
      };
      const store = new MessageStore(new StandardOrder({ nowMs: 0 }), whenReceivable, MAX_IN_FLIGHT);
      const plain = new PlainQueue();
      let now = 100;
      for (const it of steps) {
        const before = { reported, isReceivable: store.isReceivable };
        const known = 'which' in it ? plain.messages[it.which % Math.max(plain.messages.length, 1)] : undefined;
        if (it.kind === 'send') {
          const message = messageSentAt(plain.turns, now - it.back);
          plain.turns += 1;
          plain.messages.push({ message, turn: plain.turns, visibleAtMs: now + it.delay, receives: 0 });
          store.add(message, now, now + it.delay);
        } else if (it.kind === 'receive') {
          const [next] = plain.visible(now);
          expect(store.nextVisible()).toBe(next?.message);
          if (!next || !store.isReceivable) continue;
          store.receive(next.message, now, now + it.timeout);
          next.visibleAtMs = now + it.timeout;
          next.receives += 1;
        } else if (it.kind === 'hide' && known && known.receives < 3) {
          store.hideUntil(known.message, now, now + it.timeout);
          known.visibleAtMs = now + it.timeout;
        } else if (it.kind === 'remove' && known) {
          store.remove(known.message);
          plain.messages.splice(plain.messages.indexOf(known), 1);
        } else if (it.kind === 'pass') {
          const until = now + it.ms;
          const back = plain.messages.filter(m => m.visibleAtMs > now && m.visibleAtMs <= until);
          for (const poison of back
            .filter(m => m.receives >= 3)
            .sort((a, b) => a.visibleAtMs - b.visibleAtMs || a.turn - b.turn)) {
            plain.turns += 1;
            poison.turn = plain.turns;
          }
          now = until;
          store.returnDue(now);
        }
        const inFlight = plain.messages.filter(({ message }) => message.place === 'in-flight').length;
        expect(store.isReceivable).toBe(plain.visible(now).length > 0 && inFlight < MAX_IN_FLIGHT);
        if (store.isReceivable && !before.isReceivable) expect(reported).toBeGreaterThan(before.reported);
        expect(store.size).toBe(plain.messages.length);
        expect(store.visibleCount).toBe(plain.visible(now).length);
        expect(store.nextVisible()).toBe(plain.visible(now)[0]?.message);
        const sent = plain.messages.map(({ message }) => message.sentAtMs);
        expect(store.firstToExpire()?.sentAtMs).toBe(sent.length > 0 ? Math.min(...sent) : undefined);
        const hidden = plain.messages.filter(m => m.visibleAtMs > now).map(m => m.visibleAtMs);
        expect(store.nextReturnMs()).toBe(hidden.length > 0 ? Math.min(...hidden) : undefined);
      }
    }),
    { numRuns: 500 },
  );
});

it('Each long poll of a queue is offered an answer: one that does not take it does not delay the others', async () => {
  const timeline = new Timeline(0);
  const receivers = new Receivers(timeline);
  const answers: string[] = [];
  const wait = (name: string, attempt: () => string | undefined) =>
    timeline.whenSettled(
      receivers.wait(20_000, attempt, () => 'nothing'),
      result =>
        void answers.push(`${name} ${result.status === 'fulfilled' ? result.value : 'failed'} ${timeline.nowMs}`),
    );
  wait('first', () => undefined);
  wait('second', () => 'a message');
  timeline.after(5_000, () => receivers.announce());
  await timeline.advanceTo(30_000);
  expect(answers).toEqual(['second a message 5000', 'first nothing 20000']);
});

const age = 'ApproximateAgeOfOldestMessage';

/** The values of one gauge of one queue, by the minute at which they were measured. */
function gauge(aws: SqsFixture, queueName: string, metric: string): [number, number][] {
  return aws.measured
    .filter(({ name, dimensions }) => name === metric && dimensions['QueueName'] === queueName)
    .map(({ atMs, value }) => [(atMs - START_MS) / 60_000, value]);
}

/** @see aws-semantics section 6 */
describe('the metrics that SQS reports to CloudWatch', () => {
  it('count messages sent, with their size, received, deleted, and empty receives (recorded: Sent 1, SentMessageSize 5)', () => {
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

  it('measure depths at every full minute', async () => {
    const aws = new SqsFixture();
    await aws.goTo(10);
    const url = aws.createQueue('orders');
    aws.send(url, 'in flight');
    aws.receive(url, 100);
    aws.send(url, 'delayed', 200);
    aws.send(url, 'visible');
    await aws.goTo(4 * MINUTE_SECONDS);
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

  it('count empty receives by the pollers of a mapping, also of a locked group, and not where they receive nothing', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders.fifo', { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    const stop = aws.sqs.whenReceivable(aws.arnOf(url), () => undefined);
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'first', MessageGroupId: 'g' });
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'behind it', MessageGroupId: 'g' });
    await aws.goTo(MINUTE_SECONDS);
    aws.receive(url, 150);
    await aws.goTo(4 * MINUTE_SECONDS);
    stop();
    await aws.goTo(6 * MINUTE_SECONDS);
    const empty = gauge(aws, 'orders.fifo', 'NumberOfEmptyReceives');
    expect(empty).toEqual([
      [2, 15],
      [3, 15],
    ]);
  });

  it('stop six hours after the last call if the queue is empty, and start again with the next', async () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    await aws.goTo(30 * 24 * HOUR_SECONDS);
    expect(gauge(aws, 'orders', age)).toHaveLength(6 * 60);
    aws.measured.length = 0;
    aws.sqs.call('GetQueueUrl', ADMIN, { QueueName: 'orders' });
    aws.receive(QueueUrl);
    await aws.goTo(30 * 24 * HOUR_SECONDS + 2 * MINUTE_SECONDS);
    expect(gauge(aws, 'orders', age)).toHaveLength(2);
  });

  it('continue while a mapping polls, even if that starts later (assumption SQS-27)', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    await aws.goTo(24 * HOUR_SECONDS);
    aws.measured.length = 0;
    const stop = aws.sqs.whenReceivable(aws.arnOf(url), () => undefined);
    await aws.goTo(48 * HOUR_SECONDS);
    expect(gauge(aws, 'orders', age)).toHaveLength(24 * 60);
    expect(gauge(aws, 'orders', age).at(-1)).toEqual([48 * 60, 0]);
    expect(gauge(aws, 'orders', 'NumberOfEmptyReceives').at(-1)).toEqual([48 * 60, 15]);
    stop();
    await aws.goTo(72 * HOUR_SECONDS);
    expect(gauge(aws, 'orders', age)).toHaveLength(30 * 60);
  });

  it('continue while there are messages (assumption SQS-25)', async () => {
    const aws = new SqsFixture();
    aws.send(aws.createQueue('orders'), 'order');
    await aws.goTo(24 * HOUR_SECONDS);
    expect(gauge(aws, 'orders', age)).toHaveLength(24 * 60);
    expect(gauge(aws, 'orders', age).at(-1)).toEqual([24 * 60, 24 * HOUR_SECONDS]);
  });

  it('end with the queue', async () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    aws.send(QueueUrl, 'order');
    aws.sqs.call('DeleteQueue', ADMIN, { QueueUrl });
    aws.measured.length = 0;
    await aws.goTo(HOUR_SECONDS);
    expect(aws.measured).toEqual([]);
  });

  it('show the age of the oldest message, in flight or not, without those received three times', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { VisibilityTimeout: '1' });
    aws.send(url, 'poison');
    await aws.goTo(30);
    aws.send(url, 'second', 900);
    for (let receive = 0; receive < 3; receive += 1) {
      await aws.goTo(MINUTE_SECONDS + receive * MINUTE_SECONDS + 1);
      aws.receive(url, 1);
    }
    await aws.goTo(5 * MINUTE_SECONDS);
    expect(gauge(aws, 'orders', age)).toEqual([
      [1, 60],
      [2, 120],
      [3, 180],
      [4, 210],
      [5, 270],
    ]);
  });

  it('no longer show the age of a message that was received three times and moved to the back', async () => {
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

  it('count the age in a dead-letter queue from the move', async () => {
    const aws = new SqsFixture();
    const dlq = aws.createQueue('dlq');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: aws.arnOf(dlq), maxReceiveCount: 3 });
    const url = aws.createQueue('orders', { RedrivePolicy, VisibilityTimeout: '0' });
    aws.send(url, 'poison');
    await aws.goTo(7 * HOUR_SECONDS);
    for (let receive = 0; receive < 4; receive += 1) aws.receive(url);
    await aws.goTo(7 * HOUR_SECONDS + 2 * MINUTE_SECONDS);
    expect(gauge(aws, 'dlq', age).slice(-2)).toEqual([
      [7 * 60 + 1, 60],
      [7 * 60 + 2, 120],
    ]);
    expect(gauge(aws, 'dlq', 'ApproximateNumberOfMessagesVisible').at(-1)).toEqual([7 * 60 + 2, 1]);
    aws.receive(dlq, 10);
    await aws.goTo(7 * HOUR_SECONDS + 3 * MINUTE_SECONDS);
    expect(gauge(aws, 'dlq', age).at(-1)).toEqual([7 * 60 + 3, 180]);
  });
});

describe('determinism', () => {
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
            aws.sqs.call('ChangeMessageVisibility', ADMIN, {
              QueueUrl: url,
              ReceiptHandle,
              VisibilityTimeout: seconds,
            });
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

  it('the same calls on a FIFO queue give the same trace and metrics, byte for byte', async () => {
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

  it('the same calls with the same seed give the same trace and metrics, byte for byte', async () => {
    const [first, second] = [await story(), await story()];
    expect(first).toBe(second);
    for (const type of ['sqs.sent', 'sqs.received', 'sqs.deleted', 'sqs.dead-lettered', 'sqs.expired']) {
      expect(first).toContain(`"type":"${type}"`);
    }
  });
});
