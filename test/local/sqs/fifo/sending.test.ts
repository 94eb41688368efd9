import type { SendMessageRequest } from '@aws-sdk/client-sqs';
import { ADMIN, errorOf, SqsFixture } from '../sqs-fixture';

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

  it('can have all the punctuation of ASCII in its ids, 128 characters of it', () => {
    const { send } = fifoQueue();
    const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
    const id = punctuation.repeat(4);
    expect(id).toHaveLength(128);
    expect(() => send({ MessageGroupId: id, MessageDeduplicationId: id })).not.toThrow();
    expect(errorOf(() => send({ MessageGroupId: `${id}x`, MessageDeduplicationId: 'd' })).code).toBe(
      'InvalidParameterValue',
    );
  });

  it('has a sequence number of 20 digits that grows, and all its ids when it is received', () => {
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

  it('waits as long as its queue says, with a delay of 0 too (recorded), in order', async () => {
    const { aws, url, send } = fifoQueue({ DelaySeconds: '2' });
    send({ MessageBody: 'one', MessageGroupId: 'g', DelaySeconds: 0 });
    send({ MessageBody: 'two', MessageGroupId: 'g' });
    await aws.goTo(1.999);
    expect(aws.bodies(url)).toEqual([]);
    await aws.goTo(2);
    expect(aws.bodies(url)).toEqual(['one', 'two']);
  });

  it('follows a change of the queue’s delay, though it was sent before', async () => {
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

describe('deduplication', () => {
  it('takes the SHA-256 digest of the body for the id, and none of the attributes', () => {
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

  it('goes by the sender’s id rather than by the body, where there is one', () => {
    const { send, drain } = fifoQueue();
    send({ MessageBody: 'same', MessageGroupId: 'g', MessageDeduplicationId: 'd1' });
    send({ MessageBody: 'same', MessageGroupId: 'g', MessageDeduplicationId: 'd2' });
    send({ MessageBody: 'other', MessageGroupId: 'g', MessageDeduplicationId: 'd2' });
    expect(drain()).toEqual(['same', 'same']);
  });

  it('answers the earlier message, with the digest of what was sent, and counts and traces it apart', () => {
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

  it('lasts five minutes from the first send, received and deleted or not (recorded)', async () => {
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

  it('forgets everything in a purge (recorded)', () => {
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
  ])('fails as a whole when an entry has only %j (recorded, code and all)', (bad, message) => {
    const { aws, send } = batch({ ContentBasedDeduplication: 'false' }, good, bad);
    expect(errorOf(send)).toEqual({ code: 'InvalidParameterValue', message, status: 400 });
    expect(aws.happened('sqs.sent')).toEqual([]);
  });

  it('answers each entry with its sequence number, a repeated one with the earlier', () => {
    const { send } = batch({}, good, good, { ...good, MessageDeduplicationId: 'd2' });
    const { Successful = [] } = send();
    const [first, again, other] = Successful.map(({ SequenceNumber }) => SequenceNumber);
    expect(first).toMatch(/^\d{20}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('fails an entry by itself for what is wrong with that alone', () => {
    const { aws, url, send } = batch({}, good, { ...good, MessageDeduplicationId: 'e', DelaySeconds: 1 });
    expect(send().Failed).toMatchObject([{ Id: 'e1', Code: 'InvalidParameterValue' }]);
    expect(aws.bodies(url)).toEqual(['x']);
  });
});
