import { Reported } from './alarm';
import { DeployedFunction } from './deployed-function';
import { Queue, redrivePolicy } from './queue';
import { embeddedRow, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';

const HOUR_SECONDS = 3_600;
const AGE = 'ApproximateAgeOfOldestMessage';
const VISIBLE = 'ApproximateNumberOfMessagesVisible';

const of = (aws: Target, { name }: Queue) => new Reported(aws, 'AWS/SQS', { QueueName: name });

describe('section 6: AWS/SQS', () => {
  const aws = new Target();

  embeddedRow('counts what is sent, with the bytes of its body, received, found empty and deleted', async () => {
    const queue = await Queue.of(aws);
    await queue.send('hello');
    const [message] = await queue.receive();
    await queue.receive();
    await queue.remove(message);
    await aws.pass(60);
    expect(
      await of(aws, queue).sums(
        'NumberOfMessagesSent',
        'SentMessageSize',
        'NumberOfMessagesReceived',
        'NumberOfEmptyReceives',
        'NumberOfMessagesDeleted',
      ),
    ).toEqual({
      NumberOfMessagesSent: 1,
      SentMessageSize: 5,
      NumberOfMessagesReceived: 1,
      NumberOfEmptyReceives: 1,
      NumberOfMessagesDeleted: 1,
    });
  });

  embeddedRow('counts a repeated delete again in NumberOfMessagesDeleted', async () => {
    const queue = await Queue.of(aws);
    await queue.send('hello');
    const [message] = await queue.receive();
    await queue.remove(message);
    await queue.remove(message);
    await aws.pass(60);
    expect(await of(aws, queue).sum('NumberOfMessagesDeleted')).toBe(2);
  });

  embeddedRow('measures what is visible, in flight and delayed, and the age of the oldest, every minute', async () => {
    const queue = await Queue.of(aws, { VisibilityTimeout: '90' });
    await queue.sendAll(['in flight']);
    await queue.receive();
    await queue.sendAll(['one', 'two']);
    await queue.send('late', { DelaySeconds: 150 });
    await aws.pass(180);
    const reported = of(aws, queue);
    const minutes = (metric: string) => reported.values(metric, 'Maximum');
    expect(await minutes(VISIBLE)).toEqual([2, 3, 4]);
    expect(await minutes('ApproximateNumberOfMessagesNotVisible')).toEqual([1, 0, 0]);
    expect(await minutes('ApproximateNumberOfMessagesDelayed')).toEqual([1, 1, 0]);
    expect(await minutes(AGE)).toEqual([60, 120, 180]);
  });

  embeddedRow('measures for six hours after the last activity, and not before anything happens again', async () => {
    const queue = await Queue.of(aws);
    await aws.pass(24 * HOUR_SECONDS - 60);
    const values = await of(aws, queue).values(VISIBLE, 'Maximum');
    expect(values).toHaveLength(6 * 60);
    expect(new Set(values)).toEqual(new Set([0]));
  });
});

describe("section 6: a dead-letter queue's metrics", () => {
  const aws = new Target();

  embeddedRow(
    'count in NumberOfMessagesSent what a redrive policy moves not at all: what is visible tells',
    async () => {
      const messages = await Queue.of(aws);
      const orders = await Queue.of(aws, { RedrivePolicy: redrivePolicy(messages.arn) });
      await orders.send('poison');
      await orders.receiveTooOften(1);
      await aws.pass(60);
      expect(await of(aws, messages).sum('NumberOfMessagesSent')).toBe(0);
      expect(await of(aws, messages).values(VISIBLE, 'Maximum')).toEqual([1]);
    },
  );

  embeddedRow('count in NumberOfMessagesSent what is sent by hand', async () => {
    const messages = await Queue.of(aws);
    await messages.send('by hand');
    await aws.pass(60);
    expect(await of(aws, messages).sum('NumberOfMessagesSent')).toBe(1);
  });

  embeddedRow('count in NumberOfMessagesSent what SNS sends there', async () => {
    const messages = await openQueue(aws);
    const topic = await Topic.of(aws);
    await topic.subscribe('sqs', (await Queue.of(aws)).arn, redriveTo(messages));
    await topic.publish('order');
    await aws.pass(60);
    expect(await of(aws, messages).sum('NumberOfMessagesSent')).toBe(1);
  });

  embeddedRow('count in NumberOfMessagesSent what Lambda sends there', async () => {
    const messages = await Queue.of(aws);
    const DeadLetterConfig = { TargetArn: messages.arn };
    const mute = await DeployedFunction.of(aws, 'exports.handler = async () => {};', { DeadLetterConfig });
    await mute.reserve(0);
    await mute.invoke('order');
    await aws.pass(60);
    expect(await messages.bodies()).toEqual(['"order"']);
    expect(await of(aws, messages).sum('NumberOfMessagesSent')).toBe(1);
  });

  embeddedRow('count the age from the move, not from the first send', async () => {
    const messages = await Queue.of(aws);
    const orders = await Queue.of(aws, { RedrivePolicy: redrivePolicy(messages.arn) });
    await orders.send('poison');
    await aws.pass(10 * HOUR_SECONDS);
    await orders.receiveTooOften(1);
    await aws.pass(120);
    expect((await of(aws, messages).values(AGE, 'Maximum')).slice(-2)).toEqual([60, 120]);
  });
});

describe('section 6: a message received three times', () => {
  const aws = new Target();

  embeddedRow('goes to the back of a standard queue, and its age counts no more', async () => {
    const queue = await Queue.of(aws);
    await queue.send('poison');
    await aws.pass(60);
    for (let i = 0; i < 2; i += 1) await queue.receive({ VisibilityTimeout: 0 });
    await queue.send('fresh');
    await aws.pass(60);
    expect(await of(aws, queue).values(AGE, 'Maximum')).toEqual([60, 120]);
    expect(await queue.bodies({ MaxNumberOfMessages: 1, VisibilityTimeout: 0 })).toEqual(['poison']);
    await aws.pass(60);
    expect(await of(aws, queue).values(AGE, 'Maximum')).toEqual([60, 120, 120]);
    expect(await queue.bodies()).toEqual(['fresh', 'poison']);
  });
});
