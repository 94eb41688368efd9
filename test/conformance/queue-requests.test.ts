import {
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { administrator } from '../../local/kernel/caller';
import { Queue } from './queue';
import { embeddedRow, row, Target } from './target';

const invalid = (value: number, parameter: string, reason: string) => ({
  name: 'InvalidParameterValue',
  message: `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`,
});

describe('section 7: receives', () => {
  const aws = new Target();

  row.each([0, 11])('MaxNumberOfMessages of %i is refused: 1 to 10', async MaxNumberOfMessages => {
    const queue = await Queue.of(aws);
    await expect(queue.receive({ MaxNumberOfMessages })).rejects.toMatchObject(
      invalid(MaxNumberOfMessages, 'MaxNumberOfMessages', 'Must be between 1 and 10, if provided.'),
    );
  });

  row.each([-1, 21])('WaitTimeSeconds of %i is refused: 0 to 20', async WaitTimeSeconds => {
    const queue = await Queue.of(aws);
    await expect(queue.receive({ WaitTimeSeconds })).rejects.toMatchObject(
      invalid(WaitTimeSeconds, 'WaitTimeSeconds', 'Must be >= 0 and <= 20, if provided.'),
    );
  });

  row('an empty answer omits Messages', async () => {
    const queue = await Queue.of(aws);
    expect(await queue.answer()).not.toHaveProperty('Messages');
  });

  row('a long poll is answered by the message that comes', async () => {
    const queue = await Queue.of(aws);
    const { answer } = await queue.longPoll(20);
    await queue.send('order');
    await aws.pass(0);
    expect(await answer).toMatchObject([{ Body: 'order' }]);
  });
});

describe('section 7: DelaySeconds', () => {
  const aws = new Target();

  row.each([-1, 901])('of %i is refused: 0 to 900', async DelaySeconds => {
    const queue = await Queue.of(aws);
    await expect(queue.send('order', { DelaySeconds })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: expect.stringContaining(`Value ${DelaySeconds} for parameter DelaySeconds is invalid.`),
    });
  });

  row('of a message is refused by a FIFO queue', async () => {
    const queue = await Queue.fifo(aws);
    await expect(queue.send('order', { DelaySeconds: 2, MessageGroupId: 'g1' })).rejects.toMatchObject(
      invalid(2, 'DelaySeconds', 'The request include parameter that is not valid for this queue type.'),
    );
  });

  row("of 0 leaves a FIFO queue's messages the delay of the queue", async () => {
    const queue = await Queue.fifo(aws, { DelaySeconds: '2' });
    await queue.send('order', { DelaySeconds: 0, MessageGroupId: 'g1' });
    expect(await queue.bodies({ WaitTimeSeconds: 0 })).toEqual([]);
    await aws.pass(3);
    expect(await queue.bodies()).toEqual(['order']);
  });
});

describe('section 7: a queue', () => {
  const aws = new Target();

  row.each([
    ['MessageRetentionPeriod', '345600'],
    ['MaximumMessageSize', '1048576'],
    ['VisibilityTimeout', '30'],
    ['DelaySeconds', '0'],
    ['ReceiveMessageWaitTimeSeconds', '0'],
  ])('has by default a %s of %s', async (attribute, value) => {
    const queue = await Queue.of(aws);
    expect(await queue.attributes()).toMatchObject({ [attribute]: value });
  });

  /**
   * The quotas: 20 statements, 7 actions per statement, 8,192 bytes. The texts are recorded: aws/aws-cdk#16303,
   * ministryofjustice/cloud-platform-environments#9082, BishopFox/cloudfoxable#29.
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-policies.html
   */
  row.each([
    ['20 statements', 20, {}, '21 statements were found in the submitted policy, max allowed is 20'],
    [
      '7 actions per statement',
      0,
      {
        Action: ['Send', 'Receive', 'Delete', 'Purge', 'GetQueue', 'SetQueue', 'ChangeMessage', 'ListQueue'].map(
          it => `sqs:${it}*`,
        ),
      },
      '8 actions were found in a statement from the submitted policy, max allowed is 7',
    ],
    [
      '8,192 bytes',
      0,
      { Condition: { ArnEquals: { 'aws:SourceArn': [`arn:aws:sns:us-east-1:123456789012:${'x'.repeat(8_000)}`] } } },
      'Submitted policy is over max allowed size.',
    ],
  ])('takes a policy of at most %s', async (_, count, more, message) => {
    const queue = await Queue.of(aws);
    const statement = { Effect: 'Deny', Principal: '*', Action: 'sqs:SendMessage', Resource: queue.arn };
    const policyOf = (statements: readonly object[]) => ({
      QueueUrl: queue.url,
      Attributes: { Policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }) },
    });
    const within = Array.from({ length: Math.max(count, 1) }, (__, i) => ({ Sid: `S${i}`, ...statement }));
    const set = (statements: readonly object[]) => aws.sqs.send(new SetQueueAttributesCommand(policyOf(statements)));
    await expect(set(within)).resolves.toBeDefined();
    const beyond = count > 0 ? [...within, { ...statement, Sid: 'More' }] : [{ ...statement, ...more }];
    await expect(set(beyond)).rejects.toMatchObject({
      name: 'OverLimit',
      message,
      $metadata: { httpStatusCode: 403 },
    });
  });

  /**
   * **Assumption SQS-23:** a list of 25 values is one condition. Reported to work: kapost/circuitry#86,
   * dapr/components-contrib#1780.
   */
  row('takes a statement with a list of 25 source ARNs', async () => {
    const queue = await Queue.of(aws);
    const topics = Array.from({ length: 25 }, (_, i) => `arn:aws:sns:us-east-1:123456789012:orders-${i}`);
    const Statement = {
      Effect: 'Allow',
      Principal: { Service: 'sns.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: queue.arn,
      Condition: { ArnEquals: { 'aws:SourceArn': topics } },
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [Statement] });
    const set = new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: { Policy } });
    await expect(aws.sqs.send(set)).resolves.toBeDefined();
  });

  row('takes ten messages in a batch, and not twenty', async () => {
    const { url: QueueUrl } = await Queue.of(aws);
    const batchOf = (length: number) => {
      const Entries = Array.from({ length }, (_, i) => ({ Id: `m${i}`, MessageBody: 'order' }));
      return aws.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    };
    expect((await batchOf(10)).Successful).toHaveLength(10);
    await expect(batchOf(20)).rejects.toMatchObject({
      name: 'TooManyEntriesInBatchRequest',
      Code: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
      message: 'Maximum number of entries per request are 10. You have sent 20.',
    });
  });

  const MISSING = {
    name: 'QueueDoesNotExist',
    Code: 'AWS.SimpleQueueService.NonExistentQueue',
    message: 'The specified queue does not exist.',
  };

  row('that is missing cannot be looked up', async () => {
    const asked = new GetQueueUrlCommand({ QueueName: aws.name('nowhere') });
    await expect(aws.sqs.send(asked)).rejects.toMatchObject(MISSING);
  });

  row('that is missing cannot be sent to', async () => {
    const { url } = await Queue.of(aws);
    const sent = new SendMessageCommand({ QueueUrl: `${url}-nowhere`, MessageBody: 'order' });
    await expect(aws.sqs.send(sent)).rejects.toMatchObject(MISSING);
  });

  row(
    'is purged once in 60 seconds',
    async () => {
      const queue = await Queue.of(aws);
      const purge = () => aws.sqs.send(new PurgeQueueCommand({ QueueUrl: queue.url }));
      await purge();
      await expect(purge()).rejects.toMatchObject({
        name: 'PurgeQueueInProgress',
        message: `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
        $metadata: { httpStatusCode: 403 },
      });
      await aws.pass(61);
      await expect(purge()).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
    },
    100_000,
  );
});

describe('section 7: messages in flight', () => {
  const aws = new Target();
  const MOST = 120_000;

  /** Sends and receives directly in the embedded AWS, because the test is about the next call. */
  function fill({ url: QueueUrl }: Queue, messages: number, groupOf?: (index: number) => string): void {
    const { sqs } = aws.embedded.services;
    const owner = administrator(aws.embedded.place.account);
    for (let first = 0; first < messages; first += 10) {
      const Entries = Array.from({ length: Math.min(10, messages - first) }, (_, i) => {
        const fifo = groupOf && { MessageGroupId: groupOf(first + i), MessageDeduplicationId: `d${first + i}` };
        return { Id: `m${i}`, MessageBody: 'order', ...fifo };
      });
      sqs.call('SendMessageBatch', owner, { QueueUrl, Entries });
    }
  }

  /** Returns the receipt handle of one of the messages. */
  function receiveWithoutWire({ url: QueueUrl }: Queue, messages: number): string | undefined {
    const { sqs } = aws.embedded.services;
    const owner = administrator(aws.embedded.place.account);
    let last: string | undefined;
    for (let received = 0; received < messages; received += 10) {
      const answer = sqs.call('ReceiveMessage', owner, {
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 43_200,
      });
      if (!(answer instanceof Promise)) last = answer.Messages?.[0]?.ReceiptHandle;
    }
    return last;
  }

  embeddedRow('of a standard queue are 120,000: a short poll is refused, a long poll is answered none', async () => {
    const queue = await Queue.of(aws, { MessageRetentionPeriod: '60' });
    fill(queue, MOST + 1);
    const handle = receiveWithoutWire(queue, MOST);
    expect(await queue.depths()).toEqual([1, MOST, 0]);
    await expect(queue.receive()).rejects.toMatchObject({ name: 'OverLimit' });
    const { answer } = await queue.longPoll(20);
    await aws.pass(20);
    expect(await answer).toEqual([]);
    await queue.remove(handle);
    expect(await queue.bodies({ VisibilityTimeout: 43_200 })).toEqual(['order']);
    // A long poll is answered at the instant at which messages in flight expire and make room.
    await aws.pass(35);
    await queue.send('late');
    const { answer: next } = await queue.longPoll(20);
    await aws.pass(4);
    expect(await queue.depths()).toEqual([1, MOST, 0]);
    await aws.pass(1);
    expect(await next).toMatchObject([{ Body: 'late' }]);
  });

  embeddedRow('of a FIFO queue are 120,000: a poll is no error, and is answered none', async () => {
    const queue = await Queue.fifo(aws);
    fill(queue, MOST + 1, index => `g${Math.floor(index / 10)}`);
    const handle = receiveWithoutWire(queue, MOST);
    expect(await queue.depths()).toEqual([1, MOST, 0]);
    expect(await queue.bodies()).toEqual([]);
    await queue.remove(handle);
    expect(await queue.bodies()).toEqual(['order']);
  });

  embeddedRow(
    'of a FIFO queue are looked for among its first 120,000 messages: a backlog hides other groups',
    async () => {
      const queue = await Queue.fifo(aws);
      fill(queue, MOST + 1, index => (index < MOST ? 'backlog' : 'other'));
      const [first] = await queue.receive({ MaxNumberOfMessages: 1 });
      expect(await queue.bodies()).toEqual([]);
      await queue.remove(first);
      expect(await queue.bodies()).toContain('order');
    },
  );
});

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

  embeddedRow('extending does not restart the 12 hours', async () => {
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
    'of a standard queue still changes the timeout after its end, if the message was not received again',
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

  row('of a standard queue deletes after its timeout, if the message was not received again', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '1' });
    await aws.pass(2);
    await queue.remove(message);
    expect(await queue.bodies()).toEqual([]);
  });

  // Recorded on AWS. Its documentation says that the message "might not be deleted".
  row('of an earlier receive deletes the message of a standard queue', async () => {
    const { queue, message } = await received(aws, { VisibilityTimeout: '1' });
    await aws.pass(2);
    await queue.receive();
    await expect(queue.remove(message)).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
    await aws.pass(2);
    expect(await queue.bodies()).toEqual([]);
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

/** Every order here was recorded on AWS. A message is named after its group and its position there: `g1-m2`. */
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
