import type { MessageAttributeValue, SendMessageRequest } from '@aws-sdk/client-sqs';
import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { ADMIN, errorOf, SqsFixture, START_MS } from './sqs-fixture';

function trySend(aws: SqsFixture, url: string, sending: Partial<SendMessageRequest>) {
  return errorOf(() => aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x', ...sending }));
}

describe('a message of a standard queue', () => {
  it('is received as it was sent, and does not exist after it is deleted', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const messageId = aws.send(url, 'hello');
    const [message] = aws.receive(url);
    expect(message).toMatchObject({
      MessageId: messageId,
      Body: 'hello',
      MD5OfBody: '5d41402abc4b2a76b9719d911017c592',
    });
    aws.sqs.call('DeleteMessage', ADMIN, { QueueUrl: url, ReceiptHandle: message?.ReceiptHandle });
    await aws.goTo(60);
    expect(aws.receive(url)).toEqual([]);
    expect(aws.trace.events.map(({ type }) => type)).toEqual([
      'sqs.queue-created',
      'sqs.sent',
      'sqs.received',
      'sqs.deleted',
    ]);
  });

  it('is received oldest first (assumption SQS-16)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    for (const body of ['one', 'two', 'three']) aws.send(url, body);
    expect(aws.bodies(url)).toEqual(['one', 'two', 'three']);
  });

  it('shows who sent it, when, how often and since when it is received', async () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const send = (caller: typeof ADMIN) => aws.sqs.call('SendMessage', caller, { QueueUrl: url, MessageBody: 'x' });
    send(ADMIN);
    send(serviceCaller('sns.amazonaws.com', 'arn:aws:sns:us-east-1:123456789012:t', '123456789012'));
    send(roleCaller('arn:aws:iam::123456789012:role/worker'));
    await aws.goTo(5);
    aws.receive(url);
    await aws.goTo(60);
    const [admin, sns, role] = aws.receive(url).map(({ Attributes }) => Attributes);
    expect(admin).toEqual({
      SenderId: '123456789012',
      SentTimestamp: String(START_MS),
      ApproximateReceiveCount: '2',
      ApproximateFirstReceiveTimestamp: String(START_MS + 5_000),
    });
    expect(sns?.['SenderId']).toBe('AIDAIT2UOQQY3AUEKVGXU');
    expect(role?.['SenderId']).toMatch(/^AROA[0-9A-F]{17}:worker$/);
  });

  it('shows the requested attributes, and the MD5 of only these', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders', { VisibilityTimeout: '0' });
    const text = (StringValue: string): MessageAttributeValue => ({ DataType: 'String', StringValue });
    const MessageAttributes = { 'order.id': text('1'), 'order.kind': text('new'), city: text('Bern') };
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x', MessageAttributes });
    const namesFor = async (...MessageAttributeNames: string[]) => {
      const answer = await aws.sqs.call('ReceiveMessage', ADMIN, { QueueUrl: url, MessageAttributeNames });
      return Object.keys(answer.Messages?.[0]?.MessageAttributes ?? {});
    };
    return Promise.all([
      expect(namesFor('All')).resolves.toEqual(['order.id', 'order.kind', 'city']),
      expect(namesFor('*')).resolves.toEqual(['order.id', 'order.kind', 'city']),
      expect(namesFor('.*')).resolves.toEqual(['order.id', 'order.kind', 'city']),
      expect(namesFor('order.*')).resolves.toEqual(['order.id', 'order.kind']),
      expect(namesFor('city', 'nothing')).resolves.toEqual(['city']),
      expect(namesFor()).resolves.toEqual([]),
    ]);
  });

  it('can have an attribute of any name AWS allows, such as names with a meaning in JavaScript', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const MessageAttributes = Object.fromEntries(
      ['__proto__', 'constructor', 'city'].map(name => [name, { DataType: 'String', StringValue: name }]),
    );
    const sent = aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x', MessageAttributes });
    const [message] = aws.receive(url);
    expect(Object.entries(message?.MessageAttributes ?? {})).toEqual(Object.entries(MessageAttributes));
    expect(message?.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
  });

  it('keeps the tenant of a fair queue and the trace header', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    aws.sqs.call('SendMessage', ADMIN, {
      QueueUrl: url,
      MessageBody: 'x',
      MessageGroupId: 'tenant-7',
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-2-3' } },
    });
    const [message] = aws.receive(url);
    expect(message?.Attributes).toMatchObject({ MessageGroupId: 'tenant-7', AWSTraceHeader: 'Root=1-2-3' });
  });

  it('has the same MD5 of attributes as other implementations of AWS’s algorithm', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const answer = aws.sqs.call('SendMessage', ADMIN, {
      QueueUrl: url,
      MessageBody: 'x',
      MessageAttributes: { timestamp: { DataType: 'Number', StringValue: '1493147359900' } },
    });
    expect(answer.MD5OfMessageAttributes).toBe('235c5c510d26fb653d073faed50ae77c');
  });

  it('has the same MD5 for attributes in any order, and another for bytes than for text', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const text = { DataType: 'String', StringValue: 'x' };
    const bytes = { DataType: 'Binary', BinaryValue: Buffer.from('x') };
    const md5 = (MessageAttributes: Record<string, MessageAttributeValue>) =>
      aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x', MessageAttributes }).MD5OfMessageAttributes;
    expect(md5({ a: text, b: text })).toBe(md5({ b: text, a: text }));
    expect(md5({ a: text })).not.toBe(md5({ a: bytes }));
  });
});

describe('SQS refuses to send', () => {
  const attributes = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, { DataType: 'String', StringValue: 'x' }]));
  const attribute = (value: MessageAttributeValue, name = 'city') => ({ MessageAttributes: { [name]: value } });

  it.each<[string, Partial<SendMessageRequest>, string, string]>([
    ['no body', { MessageBody: '' }, 'MissingParameter', 'The request must contain the parameter MessageBody.'],
    ['a control character', { MessageBody: 'a\u0000b' }, 'InvalidMessageContents', 'Invalid characters found.'],
    ['half a character', { MessageBody: '\ud800' }, 'InvalidMessageContents', 'Invalid characters found.'],
    [
      'eleven attributes (aws-semantics 3)',
      { MessageAttributes: attributes(11) },
      'InvalidParameterValue',
      'Number of message attributes [11] exceeds the maximum allowed [10].',
    ],
    [
      'an unknown type',
      attribute({ DataType: 'Boolean', StringValue: 'true' }),
      'InvalidParameterValue',
      "The type of message (user) attribute 'city' is invalid. You must use only the following supported type prefixes: Binary, Number, String.",
    ],
    [
      'an empty value',
      attribute({ DataType: 'String', StringValue: '' }),
      'InvalidParameterValue',
      "Message (user) attribute 'city' must contain a non-empty value of type 'String'.",
    ],
    [
      'no type',
      attribute({ DataType: undefined, StringValue: 'x' }),
      'InvalidParameterValue',
      'non-empty message attribute type',
    ],
    ['a number that is none', attribute({ DataType: 'Number', StringValue: 'ten' }), 'InvalidParameterValue', "'city'"],
    [
      'a control character in an attribute',
      attribute({ DataType: 'String', StringValue: 'a\u0008b' }),
      'InvalidParameterValue',
      "'city'",
    ],
    [
      'a name with a section sign',
      attribute({ DataType: 'String', StringValue: 'x' }, 'a§b'),
      'InvalidParameterValue',
      "'a§b'",
    ],
    [
      'a type that is too long',
      attribute({ DataType: `Number.${'L'.repeat(256)}`, StringValue: '1' }),
      'InvalidParameterValue',
      'type',
    ],
    [
      'an empty group id, on a standard queue (recorded)',
      { MessageGroupId: '' },
      'InvalidParameterValue',
      'Value  for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.',
    ],
    [
      'a group id of 129 characters',
      { MessageGroupId: 'a'.repeat(129) },
      'InvalidParameterValue',
      '1 to 128 in length.',
    ],
    ['a group id with a space', { MessageGroupId: 'group 123' }, 'InvalidParameterValue', 'Value group 123 for'],
    ['a reserved name', attribute({ DataType: 'String', StringValue: 'x' }, 'AWS.x'), 'InvalidParameterValue', 'AWS.'],
    [
      'a name with a space',
      attribute({ DataType: 'String', StringValue: 'x' }, 'a b'),
      'InvalidParameterValue',
      "'a b'",
    ],
    ['a delay beyond 900 s', { DelaySeconds: 901 }, 'InvalidParameterValue', 'Value 901 for parameter DelaySeconds'],
    [
      'a deduplication id, on a standard queue',
      { MessageDeduplicationId: 'd' },
      'InvalidParameterValue',
      'Value d for parameter MessageDeduplicationId is invalid. Reason: The request include parameter that is not valid for this queue type.',
    ],
  ])('%s', (_, sending, code, text) => {
    const aws = new SqsFixture();
    const error = trySend(aws, aws.createQueue('orders'), sending);
    expect(error).toMatchObject({ code, status: 400 });
    expect(error.message).toContain(text);
    expect(aws.happened('sqs.sent')).toEqual([]);
  });

  it('a message of more than 1 MiB, attributes included (aws-semantics 7: MaximumMessageSize 1,048,576)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const MessageAttributes = { a: { DataType: 'String', StringValue: 'é' } };
    const room = 1_048_576 - ('a'.length + 'String'.length + 2);
    expect(trySend(aws, url, { MessageBody: 'x'.repeat(room + 1), MessageAttributes }).message).toBe(
      'One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.',
    );
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x'.repeat(room), MessageAttributes });
    expect(aws.happened('sqs.sent')).toMatchObject([{ bytes: 1_048_576 }]);
  });

  it('no characters of any script in an attribute’s name (recorded)', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('orders');
    const { MessageAttributes = {} } = attribute({ DataType: 'String', StringValue: 'x' }, 'attr.1øßä');
    aws.sqs.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'x', MessageAttributes });
    expect(aws.receive(url)[0]?.MessageAttributes).toEqual(MessageAttributes);
  });

  it('a message above the limit of its queue', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('small', { MaximumMessageSize: '1024' });
    expect(trySend(aws, url, { MessageBody: 'é'.repeat(513) }).message).toContain('shorter than 1024 bytes');
    expect(aws.send(url, 'é'.repeat(512))).not.toBe('');
  });
});

describe('a batch', () => {
  const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ Id: `e${i}`, MessageBody: 'x' }));

  it.each([
    [20, 'TooManyEntriesInBatchRequest', 'Maximum number of entries per request are 10. You have sent 20.'],
    [0, 'EmptyBatchRequest', 'There should be at least one SendMessageBatchRequestEntry in the request.'],
  ])('of %d entries is refused (aws-semantics 7)', (count, name, message) => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    const error = errorOf(() => aws.sqs.call('SendMessageBatch', ADMIN, { QueueUrl, Entries: entries(count) }));
    expect(error).toEqual({ code: `AWS.SimpleQueueService.${name}`, message, status: 400 });
  });

  it.each([
    [
      'the same id twice',
      [
        { Id: 'a', MessageBody: 'x' },
        { Id: 'a', MessageBody: 'y' },
      ],
      'BatchEntryIdsNotDistinct',
    ],
    ['an id with a space', [{ Id: 'a b', MessageBody: 'x' }], 'InvalidBatchEntryId'],
    [
      'more than 1 MiB in all',
      entries(2).map(e => ({ ...e, MessageBody: 'x'.repeat(524_289) })),
      'BatchRequestTooLong',
    ],
  ])('with %s is refused', (_, Entries, name) => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    const error = errorOf(() => aws.sqs.call('SendMessageBatch', ADMIN, { QueueUrl, Entries }));
    expect(error.code).toBe(`AWS.SimpleQueueService.${name}`);
    expect(aws.bodies(QueueUrl)).toEqual([]);
  });

  it('sends the valid entries, and says why the others failed (recorded texts)', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders', { MaximumMessageSize: '1024' });
    const answer = aws.sqs.call('SendMessageBatch', ADMIN, {
      QueueUrl,
      Entries: [
        { Id: 'fits', MessageBody: 'a'.repeat(1024) },
        { Id: 'long', MessageBody: 'a'.repeat(1025) },
        { Id: 'odd', MessageBody: '\u0001' },
      ],
    });
    expect(answer.Successful).toMatchObject([{ Id: 'fits', MD5OfMessageBody: 'c9a34cfc85d982698c6ac89f76071abd' }]);
    expect(answer.Failed).toMatchObject([
      {
        Id: 'long',
        SenderFault: true,
        Code: 'InvalidParameterValue',
        Message: 'One or more parameters cannot be validated. Reason: Message must be shorter than 1024 bytes.',
      },
      { Id: 'odd', SenderFault: true, Code: 'InvalidMessageContents' },
    ]);
    expect(aws.bodies(QueueUrl)).toEqual(['a'.repeat(1024)]);
  });

  it('of exactly 1 MiB is sent, and of a byte more is refused (recorded text)', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    const send = (bytes: number) =>
      aws.sqs.call('SendMessageBatch', ADMIN, {
        QueueUrl,
        Entries: [
          { Id: '1', MessageBody: 'a' },
          { Id: '2', MessageBody: 'b'.repeat(bytes - 1) },
        ],
      });
    expect(errorOf(() => send(1_048_577))).toEqual({
      code: 'AWS.SimpleQueueService.BatchRequestTooLong',
      message: 'Batch requests cannot be longer than 1048576 bytes. You have sent 1048577 bytes.',
      status: 400,
    });
    expect(send(1_048_576).Successful).toHaveLength(2);
  });

  it.each(['DeleteMessageBatch', 'ChangeMessageVisibilityBatch'] as const)('of %s has the same rules', action => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    const entry = (Id: string) => ({ Id, ReceiptHandle: 'x', VisibilityTimeout: 1 });
    const call = (...ids: string[]) =>
      errorOf(() => aws.sqs.call(action, ADMIN, { QueueUrl, Entries: ids.map(entry) }));
    expect(call()).toMatchObject({
      code: 'AWS.SimpleQueueService.EmptyBatchRequest',
      message: `There should be at least one ${action}RequestEntry in the request.`,
    });
    expect(call(...'abcdefghijkl').message).toBe('Maximum number of entries per request are 10. You have sent 12.');
    expect(call('a', 'a')).toMatchObject({
      code: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
      message: 'Id a repeated.',
    });
    for (const id of ['', 'invalid:id', 'testLongId'.repeat(10)]) {
      expect(call(id)).toEqual({
        code: 'AWS.SimpleQueueService.InvalidBatchEntryId',
        message:
          'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
        status: 400,
      });
    }
  });

  it('deletes and changes visibility entry by entry', () => {
    const aws = new SqsFixture();
    const QueueUrl = aws.createQueue('orders');
    aws.send(QueueUrl, 'one');
    aws.send(QueueUrl, 'two');
    const [one, two] = aws.receive(QueueUrl).map(({ ReceiptHandle }) => ReceiptHandle);
    const changed = aws.sqs.call('ChangeMessageVisibilityBatch', ADMIN, {
      QueueUrl,
      Entries: [
        { Id: 'one', ReceiptHandle: one, VisibilityTimeout: 0 },
        { Id: 'bad', ReceiptHandle: 'garbage', VisibilityTimeout: 0 },
      ],
    });
    expect(changed.Successful).toEqual([{ Id: 'one' }]);
    expect(changed.Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }]);
    const deleted = aws.sqs.call('DeleteMessageBatch', ADMIN, {
      QueueUrl,
      Entries: [{ Id: 'two', ReceiptHandle: two }],
    });
    expect(deleted).toEqual({ Successful: [{ Id: 'two' }], Failed: undefined });
    expect(aws.bodies(QueueUrl)).toEqual(['one']);
  });
});
