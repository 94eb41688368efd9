import {
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
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

  embeddedRow('of 900 hides a message for a quarter of an hour', async () => {
    const queue = await Queue.of(aws);
    await queue.send('order', { DelaySeconds: 900 });
    await aws.pass(899);
    expect(await queue.bodies()).toEqual([]);
    await aws.pass(1);
    expect(await queue.bodies()).toEqual(['order']);
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

  /** Sends and receives without a wire: what is shown is how the next call is answered. */
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

  /** Answers the handle of one of them. */
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
    const queue = await Queue.of(aws);
    fill(queue, MOST + 1);
    const handle = receiveWithoutWire(queue, MOST);
    expect(await queue.depths()).toEqual([1, MOST, 0]);
    await expect(queue.receive()).rejects.toMatchObject({ name: 'OverLimit' });
    const { answer } = await queue.longPoll(20);
    await aws.pass(20);
    expect(await answer).toEqual([]);
    await queue.remove(handle);
    expect(await queue.bodies()).toEqual(['order']);
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
