import { ACCOUNT, ADMIN, errorOf, FUNCTION_ARN, queueArn, SnsFixture, TOPIC_ARN } from './sns-fixture';

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

describe('publishing', () => {
  test('reaches every subscriber after the call has answered, and is measured', async () => {
    const fixture = withTopic();
    fixture.createQueue('Orders');
    fixture.subscribe('sqs', queueArn('Orders'));
    fixture.subscribe('lambda', FUNCTION_ARN);
    const messageId = fixture.publish('12345', { MessageAttributes: { ab: { DataType: 'Number', StringValue: '7' } } });
    expect(fixture.happened('sns.attempt')).toEqual([]);
    await fixture.settle();
    expect(fixture.happened('sns.published')).toMatchObject([
      { topicArn: TOPIC_ARN, messageId, sizeBytes: 5 + 2 + 6 + 1 },
    ]);
    expect(fixture.happened('sns.delivered').map(({ protocol }) => protocol)).toEqual(['sqs', 'lambda']);
    expect(fixture.total('NumberOfMessagesPublished')).toBe(1);
    expect(fixture.total('NumberOfNotificationsDelivered')).toBe(2);
    expect(fixture.measured.find(({ name }) => name === 'PublishSize')).toMatchObject({ value: 14, unit: 'Bytes' });
  });

  test('reaches those who are subscribed when it is called, and nobody who comes later', async () => {
    const fixture = withTopic();
    fixture.createQueue('Orders');
    fixture.publish();
    fixture.subscribe('sqs', queueArn('Orders'));
    await fixture.settle();
    expect(fixture.receive('Orders')).toEqual([]);
  });

  test('hands a group id on to a standard queue', async () => {
    const fixture = withTopic();
    fixture.createQueue('Orders');
    fixture.subscribe('sqs', queueArn('Orders'));
    fixture.publish('order', { MessageGroupId: 'customer-7' });
    await fixture.settle();
    expect(fixture.receive('Orders')[0]?.Attributes).toMatchObject({ MessageGroupId: 'customer-7' });
  });

  test('counts what filter policies turn away, by the reason', async () => {
    const fixture = withTopic();
    const FilterPolicy = JSON.stringify({ 'order-status': ['confirmed', 'canceled'] });
    fixture.createQueue('Orders');
    const subscriptionArn = fixture.subscribe('sqs', queueArn('Orders'), { FilterPolicy });
    const status = (StringValue: string) => ({
      MessageAttributes: { 'order-status': { DataType: 'String', StringValue } },
    });
    fixture.publish('order', status('confirmed'));
    fixture.publish('order', status('draft'));
    fixture.publish('order');
    await fixture.settle();
    expect(fixture.receive('Orders')).toHaveLength(1);
    expect(fixture.happened('sns.filtered')).toMatchObject([
      { subscriptionArn, reason: 'MessageAttributes' },
      { subscriptionArn, reason: 'NoMessageAttributes' },
    ]);
    expect(fixture.total('NumberOfNotificationsFilteredOut')).toBe(2);
    expect(fixture.total('NumberOfNotificationsFilteredOut-MessageAttributes')).toBe(1);
    expect(fixture.total('NumberOfNotificationsFilteredOut-NoMessageAttributes')).toBe(1);
    expect(fixture.total('NumberOfNotificationsDelivered')).toBe(1);
  });
});

describe('a name every object has', () => {
  const MessageAttributes = JSON.parse('{"__proto__":{"DataType":"String","StringValue":"x"}}');

  test.each(['true', 'false'])('is an attribute like any other, with raw delivery %s', async RawMessageDelivery => {
    const it = withTopic();
    const FilterPolicy = '{"__proto__":["x"]}';
    it.subscribe('sqs', it.createQueue('orders'), { RawMessageDelivery, FilterPolicy });
    it.publish('order', { MessageAttributes });
    await it.settle();
    const [message] = it.receive('orders');
    const received = RawMessageDelivery === 'true' ? message : JSON.parse(message?.Body ?? '');
    expect(Object.keys(received.MessageAttributes)).toEqual(['__proto__']);
  });

  test('is no text of its own for a device whose platform is called so', async () => {
    const it = withTopic();
    const endpoint = `arn:aws:sns:us-east-1:${ACCOUNT}:endpoint/constructor/app/1`;
    it.subscribe('application', endpoint);
    it.publish('{"default":"order"}', { MessageStructure: 'json' });
    await it.settle();
    expect(it.sns.recipients.receipts(endpoint).map(({ body }) => body)).toEqual(['order']);
  });
});

describe('characters no queue takes', () => {
  test('arrive escaped in an envelope; with raw delivery they are a client error (our choice)', async () => {
    const it = withTopic();
    it.subscribe('sqs', it.createQueue('enveloped'));
    it.subscribe('sqs', it.createQueue('raw'), { RawMessageDelivery: 'true' });
    it.publish('a\u0001b');
    await it.settle();
    expect(JSON.parse(it.receive('enveloped')[0]?.Body ?? '').Message).toBe('a\u0001b');
    expect(it.happened('sns.lost')).toMatchObject([{ cause: { errorCode: 'InvalidMessageContents' } }]);
  });
});

describe('a delivery that breaks', () => {
  test('is told, and takes no other subscriber and no later message with it', async () => {
    const it = withTopic();
    it.subscribe('lambda', FUNCTION_ARN);
    it.subscribe('sqs', it.createQueue('one'));
    it.subscribe('sqs', it.createQueue('two'));
    it.lambda.refusal = new TypeError('broken');
    it.publish('first');
    await expect(it.settle()).rejects.toThrow('broken');
    it.lambda.refusal = undefined;
    it.publish('second');
    await it.settle();
    for (const queue of ['one', 'two']) {
      const bodies = it.receive(queue).map(({ Body = '' }) => JSON.parse(Body).Message);
      expect(bodies.sort()).toEqual(['first', 'second']);
    }
  });

  test('does not come of a message nested as deeply as its publisher likes', async () => {
    const it = withTopic();
    it.subscribe('sqs', it.createQueue('picky'), { FilterPolicyScope: 'MessageBody', FilterPolicy: '{"a":["x"]}' });
    it.subscribe('sqs', it.createQueue('bystander'));
    it.publish(`{"a":${'['.repeat(3_000)}1${']'.repeat(3_000)}}`);
    it.publish('innocent');
    await it.settle();
    expect(it.happened('sns.filtered').map(({ reason }) => reason)).toEqual([
      'InvalidMessageBody',
      'InvalidMessageBody',
    ]);
    expect(it.receive('bystander')).toHaveLength(2);
  });
});

describe('PublishBatch', () => {
  const batch = (fixture: SnsFixture, entries: readonly { Id: string; Message: string }[]) =>
    fixture.sns.call('PublishBatch', ADMIN, { TopicArn: TOPIC_ARN, PublishBatchRequestEntries: [...entries] });

  test('publishes each entry in order', async () => {
    const fixture = withTopic();
    fixture.createQueue('Orders');
    fixture.subscribe('sqs', queueArn('Orders'), { RawMessageDelivery: 'true' });
    const { Successful = [], Failed } = batch(fixture, [
      { Id: 'first', Message: '1' },
      { Id: 'second', Message: '2' },
    ]);
    await fixture.settle();
    expect(Failed).toEqual([]);
    expect(Successful.map(({ Id }) => Id)).toEqual(['first', 'second']);
    expect(fixture.happened('sns.published').map(({ messageId }) => messageId)).toEqual(
      Successful.map(({ MessageId }) => MessageId),
    );
    expect(fixture.receive('Orders').map(({ Body }) => Body)).toEqual(['1', '2']);
    expect(fixture.total('NumberOfMessagesPublished')).toBe(2);
  });

  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ Id: `${i}`, Message: 'm' }));

  test.each([
    [[], 'EmptyBatchRequest', "The batch request doesn't contain any entries."],
    [many(11), 'TooManyEntriesInBatchRequest', 'The batch request contains more entries than permissible.'],
    [
      [...many(1), ...many(1)],
      'BatchEntryIdsNotDistinct',
      'Two or more batch entries in the request have the same Id.',
    ],
    [
      [{ Id: 'not ok', Message: 'm' }],
      'InvalidBatchEntryId',
      "The Id of a batch entry in a batch request doesn't abide by the specification.",
    ],
    [
      many(2).map(({ Id }) => ({ Id, Message: 'x'.repeat(200_000) })),
      'BatchRequestTooLong',
      'The length of all the messages put together is more than the limit.',
    ],
    [[...many(1), { Id: 'bad', Message: '' }], 'InvalidParameter', 'Invalid parameter: Empty message'],
  ])('refuses the whole batch: %#', (entries, code, message) => {
    const fixture = withTopic();
    expect(errorOf(() => batch(fixture, entries))).toEqual({ code, message, status: 400 });
    expect(fixture.happened('sns.published')).toEqual([]);
  });
});
