import { CreateKeyCommand, DisableKeyCommand, EnableKeyCommand } from '@aws-sdk/client-kms';
import { DAY_SECONDS } from '../../policy/time-units';
import { Reported } from './alarm';
import { DeployedFunction } from './deployed-function';
import { Queue, redrivePolicy } from './queue';
import { embeddedRow, row, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';

interface Pair {
  readonly orders: Queue;
  readonly messages: Queue;
}

/** A queue and its dead-letter queue. */
async function pairOf(aws: Target, maxReceiveCount: number, { isFifo = false, messages = {} } = {}): Promise<Pair> {
  const make = isFifo ? Queue.fifo : Queue.of;
  const dlq = await make(aws, messages);
  const RedrivePolicy = redrivePolicy(dlq.arn, maxReceiveCount);
  return { orders: await make(aws, { RedrivePolicy }), messages: dlq };
}

describe('section 7: the move to a dead-letter queue', () => {
  const aws = new Target();

  row('happens at the receive after maxReceiveCount receives, not sooner', async () => {
    const { orders, messages } = await pairOf(aws, 2);
    await orders.send('poison');
    expect(await orders.bodies({ VisibilityTimeout: 0 })).toEqual(['poison']);
    expect(await orders.bodies({ VisibilityTimeout: 0 })).toEqual(['poison']);
    expect(await messages.bodies()).toEqual([]);
    expect(await orders.bodies()).toEqual([]);
    expect(await messages.bodies()).toEqual(['poison']);
  });

  /**
   * "When Amazon SQS moves a message from an encrypted source queue to an unencrypted dead-letter queue, the message
   * remains encrypted." On an account, SQS would keep its data key for some minutes, and the key would cost money.
   * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
   */
  embeddedRow('leaves a message encrypted with the key of the queue it came from', async () => {
    const { orders, messages } = await pairOf(aws, 1, { messages: { SqsManagedSseEnabled: 'true' } });
    const { KeyMetadata: { KeyId } = {} } = await aws.kms.send(new CreateKeyCommand({}));
    await orders.set({ KmsMasterKeyId: KeyId ?? '' });
    await orders.send('poison');
    await orders.receive({ VisibilityTimeout: 0 });
    await orders.receive();
    await aws.kms.send(new DisableKeyCommand({ KeyId }));
    await expect(messages.receive()).rejects.toMatchObject({ name: 'KmsDisabled' });
    await aws.kms.send(new EnableKeyCommand({ KeyId }));
    expect(await messages.bodies()).toEqual(['poison']);
  });

  row('does not happen without a receive', async () => {
    const { orders, messages } = await pairOf(aws, 1);
    await orders.send('poison');
    await orders.receive({ VisibilityTimeout: 1 });
    await aws.pass(5);
    expect(await messages.bodies()).toEqual([]);
    await orders.receive();
    expect(await messages.bodies()).toEqual(['poison']);
  });

  row(
    'keeps id, body, attributes, SentTimestamp and AWSTraceHeader, names the source, and carries the count over',
    async () => {
      const { orders, messages } = await pairOf(aws, 1);
      const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793';
      const MessageAttributes = { city: { DataType: 'String', StringValue: 'Bern' } };
      const { MessageId } = await orders.send('poison', {
        MessageAttributes,
        MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
      });
      const [before] = await orders.receive({ VisibilityTimeout: 0 });
      await aws.pass(2);
      await orders.receive();
      const [message] = await messages.receive();
      expect(before?.Attributes).toMatchObject({ ApproximateReceiveCount: '1', AWSTraceHeader: trace });
      expect(message).toMatchObject({
        MessageId,
        Body: 'poison',
        MessageAttributes,
        Attributes: {
          SentTimestamp: before?.Attributes?.SentTimestamp,
          AWSTraceHeader: trace,
          DeadLetterQueueSourceArn: orders.arn,
          ApproximateReceiveCount: '2',
        },
      });
    },
  );

  row('between FIFO queues makes the message id the deduplication id, and leaves the group usable', async () => {
    const { orders, messages } = await pairOf(aws, 1, { isFifo: true });
    const { MessageId } = await orders.send('poison', { MessageGroupId: 'g1', MessageDeduplicationId: 'first' });
    await orders.receiveTooOften(1);
    await orders.send('fresh', { MessageGroupId: 'g1' });
    expect(await orders.bodies()).toEqual(['fresh']);
    expect(await messages.receive()).toMatchObject([
      { MessageId, Attributes: { MessageDeduplicationId: MessageId, MessageGroupId: 'g1' } },
    ]);
  });
});

describe('section 7: the move to a dead-letter queue, and the retention clock', () => {
  const aws = new Target();

  embeddedRow.each([
    ['between standard queues it continues from the first send', false, 4 * DAY_SECONDS],
    ['between FIFO queues it restarts', true, 7 * DAY_SECONDS],
  ])('%s', async (_, isFifo, goneAtSeconds) => {
    const { orders, messages } = await pairOf(aws, 1, { isFifo });
    await orders.sendAll(['g1-poison']);
    await aws.pass(3 * DAY_SECONDS);
    await orders.receiveTooOften(1);
    await aws.pass(goneAtSeconds - 3 * DAY_SECONDS - 1);
    expect(await messages.depths()).toEqual([1, 0, 0]);
    await aws.pass(1);
    expect(await messages.depths()).toEqual([0, 0, 0]);
  });

  embeddedRow("a message past the dead-letter queue's own retention is lost there", async () => {
    const { orders, messages } = await pairOf(aws, 1, { messages: { MessageRetentionPeriod: '60' } });
    await orders.send('poison');
    await aws.pass(61);
    await orders.receiveTooOften(1);
    expect([await orders.depths(), await messages.depths()]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
});

describe('section 7: a redrive policy', () => {
  const aws = new Target();

  row.each([1, 1_000])('takes a maxReceiveCount of %i', async maxReceiveCount => {
    const messages = await Queue.of(aws);
    const RedrivePolicy = redrivePolicy(messages.arn, maxReceiveCount);
    const orders = await Queue.of(aws, { RedrivePolicy });
    expect(JSON.parse((await orders.attributes()).RedrivePolicy ?? '')).toMatchObject({ maxReceiveCount });
  });

  row('is removed by an empty text', async () => {
    const { orders } = await pairOf(aws, 1);
    expect(await orders.attributes()).toHaveProperty('RedrivePolicy');
    await orders.set({ RedrivePolicy: '' });
    expect(await orders.attributes()).not.toHaveProperty('RedrivePolicy');
  });

  const refused: readonly (readonly [string, (messages: Queue) => string, string])[] = [
    ['maxReceiveCount is 0', ({ arn }) => redrivePolicy(arn, 0), 'valid values are from 1 to 1000 both inclusive.'],
    ['maxReceiveCount is 1001', ({ arn }) => redrivePolicy(arn, 1_001), 'Invalid value for maxReceiveCount'],
    [
      'deadLetterTargetArn is missing',
      () => JSON.stringify({ maxReceiveCount: 3 }),
      'Redrive policy does not contain mandatory attribute: deadLetterTargetArn.',
    ],
    [
      'maxReceiveCount is missing',
      ({ arn }) => JSON.stringify({ deadLetterTargetArn: arn }),
      'Redrive policy does not contain mandatory attribute: maxReceiveCount.',
    ],
    [
      'the target is a FIFO queue and the source is none',
      ({ arn }) => redrivePolicy(`${arn}.fifo`),
      'Dead-letter queue must be same type of queue as the source.',
    ],
    [
      'the target is in another Region',
      ({ arn }) => redrivePolicy(arn.replace(/^(arn:aws:sqs:)[^:]+/, '$1ap-south-2')),
      'Dead-letter target must be in same region as the source.',
    ],
    [
      'the target is a topic',
      ({ arn }) => redrivePolicy(arn.replace(':sqs:', ':sns:')),
      'Only SQS queues are valid resources for deadLetterTargetArn',
    ],
  ];

  row.each(refused)('is refused when %s', async (_, policyFor, message) => {
    const messages = await Queue.of(aws);
    const orders = await Queue.of(aws);
    await expect(orders.set({ RedrivePolicy: policyFor(messages) })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: expect.stringContaining(message),
    });
    expect(await orders.attributes()).not.toHaveProperty('RedrivePolicy');
  });

  row('whose target is in another account is refused', async () => {
    const messages = await Queue.of(aws);
    const orders = await Queue.of(aws);
    const RedrivePolicy = redrivePolicy(messages.arn.replace(/:\d{12}:/, ':111111111111:'));
    await expect(orders.set({ RedrivePolicy })).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('section 7: a redrive-allow policy by queue', () => {
  const aws = new Target();

  const byQueue = (arn: string, count: number) =>
    JSON.stringify({
      redrivePermission: 'byQueue',
      sourceQueueArns: Array.from({ length: count }, (_, i) => `${arn}-source-${i}`),
    });

  row.each([1, 10])('takes %i ARNs', async count => {
    const messages = await Queue.of(aws);
    await messages.set({ RedriveAllowPolicy: byQueue(messages.arn, count) });
    const { RedriveAllowPolicy = '{}' } = await messages.attributes();
    expect(JSON.parse(RedriveAllowPolicy)).toEqual(JSON.parse(byQueue(messages.arn, count)));
  });

  row.each([0, 11])('does not take %i', async count => {
    const messages = await Queue.of(aws);
    const RedriveAllowPolicy = byQueue(messages.arn, count);
    await expect(messages.set({ RedriveAllowPolicy })).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  row('lets in the queues it names, and no others', async () => {
    const messages = await Queue.of(aws);
    const [named, other] = [await Queue.of(aws), await Queue.of(aws)];
    const sourceQueueArns = [named.arn];
    await messages.set({ RedriveAllowPolicy: JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns }) });
    const RedrivePolicy = redrivePolicy(messages.arn, 3);
    await named.set({ RedrivePolicy });
    await expect(other.set({ RedrivePolicy })).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

const VISIBLE = 'ApproximateNumberOfMessagesVisible';

const of = (aws: Target, { name }: Queue) => new Reported(aws, 'AWS/SQS', { QueueName: name });

describe("section 6: a dead-letter queue's metrics", () => {
  const aws = new Target();

  embeddedRow(
    'do not count moves of a redrive policy in NumberOfMessagesSent, only in the visible messages',
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
});
