import type { SendMessageRequest } from '@aws-sdk/client-sqs';
import { ADMIN, errorOf, SqsFixture } from './sqs-fixture';

const FIFO_NAME =
  'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.';
const NAME = 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length';

const refused = (code: string, message: string) => ({ code, message, status: 400 });

describe('a FIFO queue', () => {
  it('has AWS’s defaults (recorded 19 Aug 2025)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders.fifo', { FifoQueue: 'true' });
    expect(url).toBe('https://sqs.us-east-1.amazonaws.com/123456789012/orders.fifo');
    expect(aws.attributes(url)).toMatchObject({
      ContentBasedDeduplication: 'false',
      DeduplicationScope: 'queue',
      FifoQueue: 'true',
      FifoThroughputLimit: 'perQueue',
      MaximumMessageSize: '1048576',
      VisibilityTimeout: '30',
    });
  });

  it.each([
    ['orders', { FifoQueue: 'true' }, FIFO_NAME],
    ['.fifo', { FifoQueue: 'true' }, FIFO_NAME],
    [`${'x'.repeat(76)}.fifo`, { FifoQueue: 'true' }, FIFO_NAME],
    ['orders.fifo', {}, NAME],
  ])('cannot be created as %j with %j (aws-semantics 7; recorded)', (name, attributes, message) => {
    expect(errorOf(() => new SqsFixture().createQueue(name, attributes))).toEqual(
      refused('InvalidParameterValue', message),
    );
  });

  it('can have a name with 80 characters', () => {
    const aws = new SqsFixture();
    const name = `${'x'.repeat(75)}.fifo`;
    expect(aws.createQueue(name, { FifoQueue: 'true' })).toContain(name);
  });

  it('accepts True for true (recorded), and shows true', () => {
    const aws = new SqsFixture();
    const True = { FifoQueue: 'True', ContentBasedDeduplication: 'True' };
    const url = aws.createQueue('orders.fifo', True);
    expect(aws.attributes(url)).toMatchObject({ FifoQueue: 'true', ContentBasedDeduplication: 'true' });
    expect(aws.createQueue('orders.fifo', True)).toBe(url);
  });

  it('is not created again with another attribute (recorded text)', () => {
    const aws = new SqsFixture();
    aws.createFifoQueue('orders');
    expect(errorOf(() => aws.createFifoQueue('orders', { ContentBasedDeduplication: 'false' }))).toEqual(
      refused(
        'QueueAlreadyExists',
        'A queue already exists with the same name and a different value for attribute ContentBasedDeduplication',
      ),
    );
  });

  it.each([
    ['FifoQueue', 'maybe'],
    ['ContentBasedDeduplication', ''],
    ['DeduplicationScope', 'group'],
    ['FifoThroughputLimit', 'unlimited'],
  ])('refuses %s %j', (name, value) => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { [name]: value } });
    expect(errorOf(set)).toEqual(refused('InvalidAttributeValue', `Invalid value for the parameter ${name}.`));
  });

  it('cannot become a standard queue: FifoQueue may be set to true again, but not to false (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders');
    const set = (FifoQueue: string) => () =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { FifoQueue } });
    expect(set('true')).not.toThrow();
    expect(errorOf(set('false'))).toEqual(
      refused(
        'InvalidAttributeValue',
        'Invalid value for the parameter FifoQueue. Reason: Modifying queue type is not supported.',
      ),
    );
  });

  const PAIRING = refused(
    'InvalidAttributeValue',
    'Invalid value for the parameter FifoThroughputLimit. Reason: To set FifoThroughputLimit to perMessageGroupId, the DeduplicationScope must be messageGroup.',
  );

  it('can have a throughput limit per group only with deduplication per group (recorded text)', () => {
    const aws = new SqsFixture();
    const FifoThroughputLimit = 'perMessageGroupId';
    expect(errorOf(() => aws.createFifoQueue('orders', { FifoThroughputLimit }))).toEqual(PAIRING);
    const url = aws.createFifoQueue('orders', { FifoThroughputLimit, DeduplicationScope: 'messageGroup' });
    const set = (Attributes: Record<string, string>) => () =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes });
    expect(errorOf(set({ DeduplicationScope: 'queue' }))).toEqual(PAIRING);
    expect(set({ DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' })).not.toThrow();
    expect(errorOf(set({ FifoThroughputLimit }))).toEqual(PAIRING);
    expect(aws.attributes(url)).toMatchObject({ DeduplicationScope: 'queue', FifoThroughputLimit: 'perQueue' });
  });

  it('can have deduplication per group without a throughput limit per group (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createFifoQueue('orders', { DeduplicationScope: 'messageGroup' });
    expect(aws.attributes(url)).toMatchObject({
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perQueue',
    });
  });
});

describe('a standard queue', () => {
  it.each([
    ['FifoQueue', 'false', 'Unknown Attribute FifoQueue.'],
    ['ContentBasedDeduplication', 'true', 'Unknown Attribute ContentBasedDeduplication.'],
    ['DeduplicationScope', 'queue', 'You can specify the DeduplicationScope only when FifoQueue is set to true.'],
    ['FifoThroughputLimit', 'perQueue', 'You can specify the FifoThroughputLimit only when FifoQueue is set to true.'],
  ])('has no %s (recorded 15 May 2024)', (name, value, message) => {
    const aws = new SqsFixture();
    const error = refused('InvalidAttributeName', message);
    expect(errorOf(() => aws.createQueue('orders', { [name]: value }))).toEqual(error);
    const url = aws.createQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { [name]: value } });
    expect(errorOf(set)).toEqual(error);
  });

  it('cannot become a FIFO queue (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const set = () => aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { FifoQueue: 'true' } });
    expect(errorOf(set)).toEqual(refused('InvalidAttributeName', 'Unknown Attribute FifoQueue.'));
  });

  it('refuses to show the attributes of a FIFO queue', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const ask = () => aws.sqs.call('GetQueueAttributes', ADMIN, { QueueUrl: url, AttributeNames: ['FifoQueue'] });
    expect(errorOf(ask)).toEqual(refused('InvalidAttributeName', 'Unknown Attribute FifoQueue.'));
  });
});

const NO_DEDUPLICATION_ID =
  'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly';

function fifoQueue(attributes: Record<string, string> = {}) {
  const aws = new SqsFixture();
  const url = aws.createFifoQueue('orders', attributes);
  const send = (sending: Partial<SendMessageRequest>) =>
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x', ...sending });
  /** Receives and deletes everything. */
  const drain = () => {
    const messages = aws.receive(url);
    for (const message of messages) aws.delete(url, message);
    return messages.map(({ Body }) => Body);
  };
  return { aws, url, send, drain };
}

describe('a message to a FIFO queue', () => {
  it.each<[string, Partial<SendMessageRequest>, string, string]>([
    [
      'without a group',
      { MessageDeduplicationId: 'd' },
      'MissingParameter',
      'The request must contain the parameter MessageGroupId.',
    ],
    ['without a deduplication id', { MessageGroupId: 'g' }, 'InvalidParameterValue', NO_DEDUPLICATION_ID],
    [
      'with a delay of its own',
      { MessageGroupId: 'g', MessageDeduplicationId: 'd', DelaySeconds: 2 },
      'InvalidParameterValue',
      'Value 2 for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.',
    ],
    [
      'with an empty deduplication id',
      { MessageGroupId: 'g', MessageDeduplicationId: '' },
      'InvalidParameterValue',
      'Value  for parameter MessageDeduplicationId is invalid. Reason: MessageDeduplicationId can only include alphanumeric and punctuation characters. 1 to 128 in length.',
    ],
    [
      'with a space in its group',
      { MessageGroupId: 'group 123', MessageDeduplicationId: 'd' },
      'InvalidParameterValue',
      'Value group 123 for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.',
    ],
  ])('%s is refused (recorded)', (_, sending, code, message) => {
    const { aws, send } = fifoQueue({ ContentBasedDeduplication: 'false' });
    expect(errorOf(() => send(sending))).toEqual({ code, message, status: 400 });
    expect(aws.happened('sqs.sent')).toEqual([]);
  });

  it('can have all punctuation of ASCII, and 128 characters, in its ids', () => {
    const { send } = fifoQueue();
    const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
    const id = punctuation.repeat(4);
    expect(id).toHaveLength(128);
    expect(() => send({ MessageGroupId: id, MessageDeduplicationId: id })).not.toThrow();
    expect(errorOf(() => send({ MessageGroupId: `${id}x`, MessageDeduplicationId: 'd' })).code).toBe(
      'InvalidParameterValue',
    );
  });

  it('has a sequence number of 20 digits that grows, and shows its ids when it is received', () => {
    const { aws, url, send } = fifoQueue();
    const first = send({ MessageGroupId: 'g', MessageDeduplicationId: 'd1' });
    const second = send({ MessageGroupId: 'g', MessageDeduplicationId: 'd2' });
    const [one = '', two = ''] = [first.SequenceNumber, second.SequenceNumber];
    expect(one).toMatch(/^\d{20}$/);
    expect(BigInt(two)).toBeGreaterThan(BigInt(one));
    expect(aws.receive(url)).toMatchObject([
      {
        MessageId: first.MessageId,
        Attributes: { MessageGroupId: 'g', MessageDeduplicationId: 'd1', SequenceNumber: one },
      },
      { MessageId: second.MessageId, Attributes: { MessageDeduplicationId: 'd2', SequenceNumber: two } },
    ]);
    expect(aws.happened('sqs.sent')).toMatchObject([{ messageGroupId: 'g', sequenceNumber: one }, {}]);
  });

  it('follows a later change of the queue’s delay', async () => {
    const { aws, url, send } = fifoQueue({ DelaySeconds: '100' });
    const set = (DelaySeconds: string) =>
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { DelaySeconds } });
    send({ MessageBody: 'one', MessageGroupId: 'g' });
    await aws.goTo(5);
    set('10');
    expect(aws.bodies(url)).toEqual([]);
    set('5');
    expect(aws.bodies(url)).toEqual(['one']);
    send({ MessageBody: 'two', MessageGroupId: 'other' });
    await aws.goTo(15);
    set('60');
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(65);
    expect(aws.bodies(url)).toEqual(['one', 'two']);
  });
});

describe('deduplication in a FIFO queue', () => {
  it('uses the SHA-256 digest of the body as the id, without the attributes', () => {
    const { aws, url, send, drain } = fifoQueue();
    send({ MessageBody: 'hello', MessageGroupId: 'g' });
    const attribute = { DataType: 'String', StringValue: 'x' };
    send({ MessageBody: 'hello', MessageGroupId: 'g', MessageAttributes: { attribute } });
    const [message] = aws.receive(url);
    expect(message?.Attributes?.MessageDeduplicationId).toBe(
      '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    );
    aws.delete(url, message);
    expect(drain()).toEqual([]);
  });

  it('uses the sender’s id instead of the body if there is one', () => {
    const { send, drain } = fifoQueue();
    send({ MessageBody: 'same', MessageGroupId: 'g', MessageDeduplicationId: 'd1' });
    send({ MessageBody: 'same', MessageGroupId: 'g', MessageDeduplicationId: 'd2' });
    send({ MessageBody: 'other', MessageGroupId: 'g', MessageDeduplicationId: 'd2' });
    expect(drain()).toEqual(['same', 'same']);
  });

  it('answers with the first message, and the digest of the sent body, and counts and traces the duplicate separately', () => {
    const { aws, url, send } = fifoQueue();
    const first = send({ MessageBody: 'one', MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    const again = send({ MessageBody: 'two', MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    expect(again).toEqual({ ...first, MD5OfMessageBody: 'b8a9f715dbb64fd5c56e7783c6820a61' });
    expect(aws.total('NumberOfMessagesSent')).toBe(1);
    expect(aws.total('NumberOfDeduplicatedSentMessages')).toBe(1);
    expect(aws.happened('sqs.deduplicated')).toMatchObject([
      { queueArn: aws.arnOf(url), messageId: first.MessageId, messageDeduplicationId: 'd' },
    ]);
  });

  it('lasts five minutes from the first send, even if the message was received and deleted (recorded)', async () => {
    const { aws, send, drain } = fifoQueue();
    const again = () => send({ MessageBody: 'x', MessageGroupId: 'g' });
    again();
    expect(drain()).toEqual(['x']);
    await aws.goTo(200);
    again();
    await aws.goTo(299.999);
    again();
    expect(drain()).toEqual([]);
    await aws.goTo(300);
    again();
    expect(drain()).toEqual(['x']);
    await aws.goTo(599.999);
    again();
    expect(drain()).toEqual([]);
  });

  it('ends with a purge of the queue (recorded)', () => {
    const { aws, url, send, drain } = fifoQueue();
    send({ MessageBody: 'message-1', MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    aws.sqs.call('PurgeQueue', ADMIN, { QueueUrl: url });
    send({ MessageBody: 'message-2', MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    expect(drain()).toEqual(['message-2']);
  });

  it.each([
    ['queue', ['one']],
    ['messageGroup', ['one', 'two']],
  ])('has the scope %s (recorded)', (DeduplicationScope, expected) => {
    const { send, drain } = fifoQueue({ DeduplicationScope });
    send({ MessageBody: 'one', MessageGroupId: 'g1', MessageDeduplicationId: 'd' });
    send({ MessageBody: 'two', MessageGroupId: 'g2', MessageDeduplicationId: 'd' });
    send({ MessageBody: 'three', MessageGroupId: 'g1', MessageDeduplicationId: 'd' });
    expect(drain()).toEqual(expected);
  });

  it.each([
    ['queue', 'messageGroup', [], ['later', 'later']],
    ['messageGroup', 'queue', ['soon', 'soon'], ['later']],
  ])(
    'changes its scope from %s to %s in 60 seconds: until then the old one holds (recorded)',
    async (before, after, soon, later) => {
      const { aws, url, send, drain } = fifoQueue({ DeduplicationScope: before });
      send({ MessageGroupId: 'g1', MessageDeduplicationId: 'd1' });
      drain();
      aws.sqs.call('SetQueueAttributes', ADMIN, { QueueUrl: url, Attributes: { DeduplicationScope: after } });
      expect(aws.attributes(url)).toMatchObject({ DeduplicationScope: after });
      for (const group of ['g2', 'g3'])
        send({ MessageBody: 'soon', MessageGroupId: group, MessageDeduplicationId: 'd1' });
      expect(drain()).toEqual(soon);
      await aws.goTo(60);
      for (const group of ['g1', 'g2'])
        send({ MessageBody: 'later', MessageGroupId: group, MessageDeduplicationId: 'd2' });
      expect(drain()).toEqual(later);
    },
  );
});

describe('a batch to a FIFO queue', () => {
  const batch = (attributes: Record<string, string>, ...entries: Partial<SendMessageRequest>[]) => {
    const { aws, url } = fifoQueue(attributes);
    const Entries = entries.map((entry, i) => ({ Id: `e${i}`, MessageBody: 'x', ...entry }));
    return { aws, url, send: () => aws.sqs.call('SendMessageBatch', ADMIN, { QueueUrl: url, Entries }) };
  };
  const good = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };

  it.each([
    [{ MessageGroupId: 'g' }, NO_DEDUPLICATION_ID],
    [{ MessageDeduplicationId: 'e' }, 'The request must contain the parameter MessageGroupId.'],
  ])('fails as a whole if an entry has only %j (recorded, code and all)', (bad, message) => {
    const { aws, send } = batch({ ContentBasedDeduplication: 'false' }, good, bad);
    expect(errorOf(send)).toEqual({ code: 'InvalidParameterValue', message, status: 400 });
    expect(aws.happened('sqs.sent')).toEqual([]);
  });

  it('answers each entry with its sequence number, a duplicate with that of the first', () => {
    const { send } = batch({}, good, good, { ...good, MessageDeduplicationId: 'd2' });
    const { Successful = [] } = send();
    const [first, again, other] = Successful.map(({ SequenceNumber }) => SequenceNumber);
    expect(first).toMatch(/^\d{20}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('fails one entry for an error of that entry alone', () => {
    const { aws, url, send } = batch({}, good, { ...good, MessageDeduplicationId: 'e', DelaySeconds: 1 });
    expect(send().Failed).toMatchObject([{ Id: 'e1', Code: 'InvalidParameterValue' }]);
    expect(aws.bodies(url)).toEqual(['x']);
  });
});
