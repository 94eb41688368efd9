import { PublishCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { Queue, redrivePolicy } from './queue';
import { numbered, Redrive } from './redrive';
import { embeddedRow, OPEN_TO_TOPICS, row, Target } from './target';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

describe('section 9: StartMessageMoveTask', () => {
  const aws = new Target();

  row('answers a handle that is base64 of the JSON of its id and its source', async () => {
    const redrive = await Redrive.of(aws);
    const handle: unknown = JSON.parse(Buffer.from(await redrive.start(), 'base64').toString());
    expect(handle).toEqual({ taskId: expect.stringMatching(/^[0-9a-f-]{36}$/), sourceArn: redrive.messages.arn });
  });

  row("moves each message to its own source queue by default, of several queues' dead letters", async () => {
    const redrive = await Redrive.of(aws);
    const returns = await Queue.of(aws, { RedrivePolicy: redrivePolicy(redrive.messages.arn) });
    await redrive.deadLetter(['order']);
    await redrive.deadLetter(['return'], returns);
    expect(await redrive.run()).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 2 });
    expect([await redrive.orders.bodies(), await returns.bodies()]).toEqual([['order'], ['return']]);
  });

  row('moves all of them to the destination it names', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    await redrive.run({ DestinationArn: redrive.other.arn });
    expect(await redrive.other.bodies()).toEqual(['order']);
    expect(await redrive.messages.bodies()).toEqual([]);
  });

  row('makes new messages: another id, another enqueue time, a count of its own', async () => {
    const redrive = await Redrive.of(aws);
    const { MessageId } = await redrive.orders.send('order');
    await redrive.orders.receiveTooOften(1);
    const [message] = await redrive.messages.receive({ VisibilityTimeout: 0 });
    await aws.pass(5);
    await redrive.run();
    const [moved] = await redrive.orders.receive();
    expect(message).toMatchObject({ MessageId, Attributes: { DeadLetterQueueSourceArn: redrive.orders.arn } });
    expect(moved).toMatchObject({ Body: 'order', Attributes: { ApproximateReceiveCount: '1' } });
    expect(moved?.MessageId).not.toBe(MessageId);
    expect(moved?.Attributes).not.toHaveProperty('DeadLetterQueueSourceArn');
    expect(Number(moved?.Attributes?.SentTimestamp)).toBeGreaterThan(Number(message?.Attributes?.SentTimestamp));
  });

  row('at 1 message a second takes at least 3 seconds for 4 messages', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(4));
    await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(2);
    expect(await redrive.task()).toMatchObject({ Status: 'RUNNING', MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(20);
    expect(await redrive.task()).toMatchObject({ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 4 });
    expect(await redrive.other.depths()).toEqual([4, 0, 0]);
  });

  row.each([0, 501])('at %i messages a second is refused: 1 to 500', async MaxNumberOfMessagesPerSecond => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.start({ MaxNumberOfMessagesPerSecond })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
  });
});

describe('section 9: CancelMessageMoveTask', () => {
  const aws = new Target();

  row(
    'is asynchronous: the task goes on for a moment, ends CANCELLED, and nothing is rolled back',
    async () => {
      const redrive = await Redrive.of(aws);
      await redrive.deadLetter(numbered(10));
      const handle = await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
      await aws.pass(3);
      const movedThen = (await redrive.cancel(handle)) ?? Number.NaN;
      expect(await redrive.task()).toMatchObject({ Status: expect.stringMatching(/^CANCELL(ING|ED)$/) });
      await aws.pass(60);
      const task = await redrive.task();
      const { ApproximateNumberOfMessagesMoved: moved = 0 } = task;
      expect(task).toMatchObject({ Status: 'CANCELLED', ApproximateNumberOfMessagesToMove: 10 });
      expect(movedThen).toBeLessThanOrEqual(moved);
      expect(await redrive.other.depths()).toEqual([moved, 0, 0]);
      expect(await redrive.messages.depths()).toEqual([10 - moved, 0, 0]);
    },
    90_000,
  );

  embeddedRow('counts late: a task says it has moved fewer than it has, and the truth when it is over', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(10));
    const handle = await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(6);
    const movedThen = await redrive.cancel(handle);
    const [arrivedThen] = await redrive.other.depths();
    expect(movedThen).toBeLessThan(arrivedThen);
    await aws.pass(60);
    const [arrived] = await redrive.other.depths();
    expect(arrived).toBeGreaterThan(arrivedThen);
    expect(arrived).toBeLessThan(10);
    expect(await redrive.task()).toMatchObject({ Status: 'CANCELLED', ApproximateNumberOfMessagesMoved: arrived });
  });
});

describe('section 9: a move task that fails', () => {
  const aws = new Target();

  row(
    'does so when its destination is deleted',
    async () => {
      const redrive = await Redrive.of(aws);
      await redrive.deadLetter(numbered(10));
      await redrive.start({ DestinationArn: redrive.other.arn, MaxNumberOfMessagesPerSecond: 1 });
      await aws.pass(2);
      await redrive.delete(redrive.other);
      await aws.pass(60);
      expect(await redrive.task()).toMatchObject({
        Status: 'FAILED',
        FailureReason: 'AWS.SimpleQueueService.NonExistentQueue',
      });
    },
    90_000,
  );

  row(
    'does so at a message sent by hand, unless a destination is named',
    async () => {
      const redrive = await Redrive.of(aws);
      await redrive.messages.send('by hand');
      expect(await redrive.run()).toMatchObject({ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' });
      expect(await redrive.run({ DestinationArn: redrive.other.arn })).toMatchObject({ Status: 'COMPLETED' });
      expect(await redrive.other.bodies()).toEqual(['by hand']);
    },
    90_000,
  );
});

describe('section 9: a move task, in the long run', () => {
  const aws = new Target();

  embeddedRow('gives what it moves a retention of its own', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    await aws.pass(3 * DAY_SECONDS);
    await redrive.start();
    await aws.pass(4 * DAY_SECONDS - 1);
    expect(await redrive.orders.depths()).toEqual([1, 0, 0]);
    await aws.pass(1);
    expect(await redrive.orders.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow('fails after 36 hours', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    await aws.control('PUT', 'faults', {
      service: 'sqs',
      action: 'SendMessage',
      resource: redrive.other.arn,
      status: 503,
    });
    await redrive.start({ DestinationArn: redrive.other.arn });
    await aws.pass(36 * HOUR_SECONDS - 1);
    expect(await redrive.task()).toMatchObject({ Status: 'RUNNING' });
    await aws.pass(1);
    expect(await redrive.task()).toMatchObject({ Status: 'FAILED', ApproximateNumberOfMessagesMoved: 0 });
    await aws.control('DELETE', 'faults');
  });
});

describe("section 9: a subscription's dead-letter queue", () => {
  const aws = new Target();

  /** A letter of SNS's: it may not send to the queue that is subscribed. */
  async function messageOfSns(): Promise<Redrive> {
    const redrive = await Redrive.of(aws, { messages: { Policy: OPEN_TO_TOPICS } });
    const TopicArn = await aws.topic();
    await aws.sns.send(
      new SubscribeCommand({
        TopicArn,
        Protocol: 'sqs',
        Endpoint: redrive.other.arn,
        Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: redrive.messages.arn }) },
      }),
    );
    await aws.sns.send(new PublishCommand({ TopicArn, Message: 'order' }));
    await aws.pass(1);
    return redrive;
  }

  row('is no source unless a queue names it too', async () => {
    const redrive = await messageOfSns();
    await redrive.orders.set({ RedrivePolicy: '' });
    await expect(redrive.start({ DestinationArn: redrive.other.arn })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Source queue must be configured as a Dead Letter Queue.',
    });
  });

  row('that a queue names too is a source for a named destination only', async () => {
    const redrive = await messageOfSns();
    expect(await redrive.run()).toMatchObject({ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' });
    const DestinationArn = redrive.other.arn;
    expect(await redrive.run({ DestinationArn })).toMatchObject({ Status: 'COMPLETED', DestinationArn });
    expect(await redrive.other.receive()).toMatchObject([{ Body: expect.stringContaining('"Message" : "order"') }]);
  });
});
