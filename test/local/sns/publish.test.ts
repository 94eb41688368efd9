import { Ledger } from '../../../local';
import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { ADMIN, errorOf, FUNCTION_ARN, queueArn, SnsFixture, TOPIC_ARN } from './sns-fixture';

describe('publish', () => {
  function withTopic(): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    return fixture;
  }

  describe('publishing', () => {
    test('delivers to every subscriber after the call has returned, and is measured', async () => {
      const fixture = withTopic();
      fixture.createQueue('Orders');
      fixture.subscribe('sqs', queueArn('Orders'));
      fixture.subscribe('lambda', FUNCTION_ARN);
      const messageId = fixture.publish('12345', {
        MessageAttributes: { ab: { DataType: 'Number', StringValue: '7' } },
      });
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

    test('delivers to the subscriptions that exist at the call, and to no later ones', async () => {
      const fixture = withTopic();
      fixture.createQueue('Orders');
      fixture.publish();
      fixture.subscribe('sqs', queueArn('Orders'));
      await fixture.settle();
      expect(fixture.receive('Orders')).toEqual([]);
    });

    test('passes a group id on to a standard queue', async () => {
      const fixture = withTopic();
      fixture.createQueue('Orders');
      fixture.subscribe('sqs', queueArn('Orders'));
      fixture.publish('order', { MessageGroupId: 'customer-7' });
      await fixture.settle();
      expect(fixture.receive('Orders')[0]?.Attributes).toMatchObject({ MessageGroupId: 'customer-7' });
    });
  });

  describe('A name that every JavaScript object has', () => {
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
  });

  test('Characters that SQS refuses arrive escaped in an envelope, and are a client error with raw delivery (assumption SNS-38)', async () => {
    const it = withTopic();
    it.subscribe('sqs', it.createQueue('enveloped'));
    it.subscribe('sqs', it.createQueue('raw'), { RawMessageDelivery: 'true' });
    it.publish('a\u0001b');
    await it.settle();
    expect(JSON.parse(it.receive('enveloped')[0]?.Body ?? '').Message).toBe('a\u0001b');
    expect(it.happened('sns.lost')).toMatchObject([{ cause: { errorCode: 'InvalidMessageContents' } }]);
  });

  test('A message without a confirmed subscription is dropped, and the trace says why', async () => {
    const it = withTopic();
    it.publish('nobody subscribed');
    it.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    it.publish('not confirmed');
    it.subscribe('sqs', it.createQueue('Orders'));
    it.publish('received');
    for (const { SubscriptionArn } of it.sns.call('ListSubscriptions', ADMIN, {}).Subscriptions ?? []) {
      if (SubscriptionArn?.startsWith('arn:')) it.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    }
    it.publish('no longer subscribed');
    await it.settle();
    const messages = it.happened('sns.published').map(({ messageId }) => messageId);
    expect(it.happened('sns.unreceived')).toMatchObject([
      { topicArn: TOPIC_ARN, messageId: messages[0], reason: 'never-subscribed' },
      { topicArn: TOPIC_ARN, messageId: messages[1], reason: 'unconfirmed' },
      { topicArn: TOPIC_ARN, messageId: messages[3], reason: 'unsubscribed' },
    ]);
    const reasons = { 'never-subscribed': 1, unconfirmed: 1, unsubscribed: 1 };
    const ledger = Ledger.of(it.trace.events);
    expect(ledger.unreceived()).toEqual([{ topicArn: TOPIC_ARN, messages: 3, reasons }]);
    expect(ledger.unreceived('arn:aws:sns:us-east-1:123456789012:Other')).toEqual([]);
  });

  describe('a delivery whose code throws', () => {
    test('throws, and does not affect other subscribers or later messages', async () => {
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

    test('is not caused by a message nested as deeply as its publisher likes', async () => {
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
      // Recorded on AWS in December 2025: these two texts.
      [
        [{ Id: 'message.id', Message: 'm' }],
        'InvalidBatchEntryId',
        'The Id of a batch entry in the batch request contains an impermissible character: message.id',
      ],
      [
        [{ Id: 'x'.repeat(81), Message: 'm' }],
        'InvalidBatchEntryId',
        `The Id of a batch entry in the batch request is too long: ${'x'.repeat(81)}`,
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
});

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

/** What is published, and the code and text it is refused with. */
type Refusal = [title: string, input: Record<string, unknown>, code: string, text: string];

describe('what SNS refuses to publish', () => {
  const attribute = (value: Record<string, unknown>, name = 'x') => ({
    Message: 'order',
    MessageAttributes: { [name]: value },
  });

  test.each<Refusal>([
    ['nothing', { Message: '' }, 'InvalidParameter', 'Invalid parameter: Empty message'],
    ['too much', { Message: 'x'.repeat(262_145) }, 'InvalidParameter', 'Invalid parameter: Message too long'],
    [
      'too much in attributes',
      { ...attribute({ DataType: 'String', StringValue: 'x'.repeat(262_144) }) },
      'InvalidParameter',
      'Invalid parameter: Message too long',
    ],
    ['an empty subject', { Message: 'm', Subject: '' }, 'InvalidParameter', 'Invalid parameter: Subject'],
    ['a long subject', { Message: 'm', Subject: 'x'.repeat(101) }, 'InvalidParameter', 'Invalid parameter: Subject'],
    ['a subject of two lines', { Message: 'm', Subject: 'a\nb' }, 'InvalidParameter', 'Invalid parameter: Subject'],
    [
      'a structure that is no JSON',
      { Message: '{', MessageStructure: 'json' },
      'InvalidParameter',
      'Invalid parameter: Message Structure - JSON message body failed to parse',
    ],
    [
      'a structure without a default',
      { Message: '{"sqs":"x"}', MessageStructure: 'json' },
      'InvalidParameter',
      'Invalid parameter: Message Structure - No default entry in JSON message body',
    ],
    [
      'a deduplication id',
      { Message: 'm', MessageDeduplicationId: '1' },
      'InvalidParameter',
      'Invalid parameter: MessageDeduplicationId Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type',
    ],
    [
      'an attribute of an unknown type',
      attribute({ DataType: 'Text', StringValue: 'a' }),
      'ParameterValueInvalid',
      "The message attribute 'x' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.",
    ],
    [
      'an attribute without a value',
      attribute({ DataType: 'String', StringValue: '' }),
      'ParameterValueInvalid',
      "The message attribute 'x' must contain non-empty message attribute value for message attribute type 'String'.",
    ],
    [
      'an attribute in the wrong field',
      attribute({ DataType: 'Binary', StringValue: 'a' }),
      'ParameterValueInvalid',
      "The message attribute 'x' with type 'Binary' must use field 'Binary'.",
    ],
    ...['ten', '0x10', ' 5 ', '1_000', 'Infinity', '1e999', '.'].map(
      (StringValue): Refusal => [
        `a number that is none, or that no queue takes: ${JSON.stringify(StringValue)}`,
        attribute({ DataType: 'Number.int', StringValue }),
        'ParameterValueInvalid',
        "Could not cast message attribute 'x' value to number.",
      ],
    ),
    [
      'an empty text under MessageStructure json (assumption SNS-37)',
      { Message: '{"default":"order","sqs":""}', MessageStructure: 'json' },
      'InvalidParameter',
      'Invalid parameter: Empty message',
    ],
    [
      'an attribute without a type',
      attribute({ StringValue: 'a' }),
      'ValidationError',
      "1 validation error detected: Value null at 'messageAttributes.x.member.dataType' failed to satisfy constraint: Member must not be null",
    ],
    [
      'a name with a space',
      attribute({ DataType: 'String', StringValue: 'a' }, 'a b'),
      'ParameterValueInvalid',
      "Invalid non-alphanumeric character '#x20' was found in the message attribute name. Can only include alphanumeric characters, hyphens, underscores, or dots.",
    ],
    [
      'a name with two dots',
      attribute({ DataType: 'String', StringValue: 'a' }, 'a..b'),
      'ParameterValueInvalid',
      "Message attribute name can not have successive '.' character.",
    ],
  ])('%s', (_title, input, code, message) => {
    const fixture = withTopic();
    const publication = { TopicArn: TOPIC_ARN, Message: '', ...input };
    expect(errorOf(() => fixture.sns.call('Publish', ADMIN, publication))).toEqual({ code, message, status: 400 });
    expect(fixture.happened('sns.refused')).toMatchObject([{ resource: TOPIC_ARN, code, reason: message }]);
    expect(fixture.total('NumberOfMessagesPublished')).toBe(0);
  });

  test('an entry of a batch whose attribute has no type, named by its place in the batch', () => {
    const MessageAttributes = { attr1: { StringValue: 'a' } as never };
    const PublishBatchRequestEntries = [
      { Id: '1', Message: 'order' },
      { Id: '2', Message: 'order', MessageAttributes },
    ];
    const input = { TopicArn: TOPIC_ARN, PublishBatchRequestEntries };
    expect(errorOf(() => withTopic().sns.call('PublishBatch', ADMIN, input)).message).toBe(
      "1 validation error detected: Value null at 'publishBatchRequestEntries.2.member.messageAttributes.attr1.member.dataType' failed to satisfy constraint: Member must not be null",
    );
  });

  test('a message in a batch that is too long by itself, and a batch that is too long', () => {
    const entry = { Id: '1', Message: 'x'.repeat(262_145) };
    const input = { TopicArn: TOPIC_ARN, PublishBatchRequestEntries: [entry] };
    expect(errorOf(() => withTopic().sns.call('PublishBatch', ADMIN, input))).toMatchObject({
      code: 'BatchRequestTooLong',
      message: 'The length of all the messages put together is more than the limit.',
    });
  });

  test('to a topic that does not exist', () => {
    const input = { TopicArn: `${TOPIC_ARN}2`, Message: 'order' };
    expect(errorOf(() => withTopic().sns.call('Publish', ADMIN, input))).toMatchObject({
      code: 'NotFound',
      status: 404,
    });
  });

  test('anything while a fault makes it answer errors', () => {
    const fixture = withTopic();
    fixture.faults.set({ service: 'sns', action: 'Publish', resource: TOPIC_ARN });
    expect(errorOf(() => fixture.publish())).toMatchObject({ code: 'ServiceUnavailable', status: 503 });
    expect(fixture.happened('sns.refused')).toMatchObject([{ code: 'ServiceUnavailable' }]);
  });
});

describe('publish access', () => {
  const ROLE_ARN = 'arn:aws:iam::123456789012:role/Publisher';
  const ALARM = serviceCaller(
    'cloudwatch.amazonaws.com',
    'arn:aws:cloudwatch:us-east-1:123456789012:alarm:Dead-Letters',
    '123456789012',
  );
  const RULE = serviceCaller(
    'events.amazonaws.com',
    'arn:aws:events:us-east-1:123456789012:rule/Daily',
    '123456789012',
  );

  function withTopic(): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    return fixture;
  }

  function allow(statement: Record<string, unknown>) {
    return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
  }

  function withPublisher(fixture: SnsFixture, ...actions: readonly string[]): SnsFixture {
    const trustPolicy = allow({ Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' });
    fixture.iam.createRole({ roleName: 'Publisher', trustPolicy });
    if (actions.length > 0) {
      fixture.iam.putRolePolicy('Publisher', 'publish', allow({ Action: [...actions], Resource: '*' }));
    }
    return fixture;
  }

  describe('publishing is allowed to', () => {
    const publishAs = (fixture: SnsFixture, caller: typeof ADMIN) => () =>
      fixture.sns.call('Publish', caller, { TopicArn: TOPIC_ARN, Message: 'order' });

    test('a role whose own policy says so, and no other role', () => {
      expect(publishAs(withPublisher(withTopic(), 'sns:Publish'), roleCaller(ROLE_ARN))()).toHaveProperty('MessageId');
      const fixture = withPublisher(withTopic());
      expect(errorOf(publishAs(fixture, roleCaller(ROLE_ARN)))).toEqual({
        code: 'AuthorizationError',
        message: `User: ${ROLE_ARN} is not authorized to perform: SNS:Publish on resource: ${TOPIC_ARN}`,
        status: 403,
      });
      expect(fixture.happened('sns.refused')).toMatchObject([
        { code: 'AuthorizationError', reason: expect.any(String) },
      ]);
    });

    test('a role that may publish, in batches too', () => {
      const fixture = withPublisher(withTopic(), 'sns:Publish');
      const PublishBatchRequestEntries = [{ Id: '1', Message: 'order' }];
      expect(
        fixture.sns.call('PublishBatch', roleCaller(ROLE_ARN), { TopicArn: TOPIC_ARN, PublishBatchRequestEntries }),
      ).toMatchObject({ Failed: [] });
    });

    test('CloudWatch by the default policy, and EventBridge only by a policy that names it', () => {
      const fixture = withTopic();
      expect(publishAs(fixture, ALARM)()).toHaveProperty('MessageId');
      expect(errorOf(publishAs(fixture, RULE)).code).toBe('AuthorizationError');
      const policy = allow({
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: TOPIC_ARN,
      });
      fixture.setTopicAttribute('Policy', JSON.stringify(policy));
      expect(publishAs(fixture, RULE)()).toHaveProperty('MessageId');
      expect(errorOf(publishAs(fixture, ALARM)).code).toBe('AuthorizationError');
    });

    test('no caller that the topic policy denies', () => {
      const fixture = withTopic();
      const policy = {
        Version: '2012-10-17',
        Statement: [{ Effect: 'Deny', Principal: '*', Action: 'sns:Publish', Resource: TOPIC_ARN }],
      };
      fixture.setTopicAttribute('Policy', JSON.stringify(policy));
      expect(errorOf(publishAs(fixture, ADMIN)).code).toBe('AuthorizationError');
    });
  });

  /** @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html */
  describe('publishing to an encrypted topic', () => {
    function withKey(): { fixture: SnsFixture; keyArn: string } {
      const fixture = new SnsFixture();
      const { arn: keyArn, keyId } = fixture.kms.createKey();
      fixture.createTopic({ KmsMasterKeyId: keyId });
      return { fixture, keyArn };
    }

    const publishAs = (fixture: SnsFixture, caller: typeof ADMIN) => () =>
      fixture.sns.call('Publish', caller, { TopicArn: TOPIC_ARN, Message: 'order' });

    test.each([
      [['sns:Publish', 'kms:GenerateDataKey*', 'kms:Decrypt'], undefined],
      [['sns:Publish', 'kms:GenerateDataKey*'], 'kms:Decrypt'],
      [['sns:Publish', 'kms:Decrypt'], 'kms:GenerateDataKey'],
    ])('needs two permissions on its key: with %j', (actions, missing) => {
      const { fixture } = withKey();
      withPublisher(fixture, ...actions);
      if (missing === undefined) {
        expect(publishAs(fixture, roleCaller(ROLE_ARN))()).toHaveProperty('MessageId');
        return;
      }
      const error = errorOf(publishAs(fixture, roleCaller(ROLE_ARN)));
      expect(error).toMatchObject({ code: 'KMSAccessDenied', status: 400 });
      expect(error.message).toContain(`User: ${ROLE_ARN} is not authorized to perform: ${missing}`);
      expect(fixture.happened('sns.refused')).toHaveLength(1);
    });

    test('is refused to an alarm that the key’s policy does not admit', () => {
      const { fixture, keyArn } = withKey();
      expect(errorOf(publishAs(fixture, ALARM)).code).toBe('KMSAccessDenied');
      fixture.kms.putKeyPolicy(keyArn, {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Principal: { AWS: '123456789012' }, Action: 'kms:*', Resource: '*' },
          {
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: ['kms:GenerateDataKey*', 'kms:Decrypt'],
            Resource: '*',
          },
        ],
      });
      expect(publishAs(fixture, ALARM)()).toHaveProperty('MessageId');
    });

    test.each<[string, (fixture: SnsFixture, keyArn: string) => void, string, number]>([
      ['is disabled', (fixture, keyArn) => fixture.kms.disableKey(keyArn), 'KMSDisabled', 400],
      ['is pending deletion', (fixture, keyArn) => fixture.kms.scheduleKeyDeletion(keyArn), 'KMSInvalidState', 400],
      ['does not exist', fixture => fixture.setTopicAttribute('KmsMasterKeyId', 'alias/nothing'), 'KMSNotFound', 400],
      [
        'is asked of a KMS that fails',
        fixture => fixture.faults.set({ service: 'kms', code: 'InternalException', httpStatus: 500 }),
        'InternalError',
        500,
      ],
      [
        'is asked of a KMS that throttles',
        fixture => fixture.faults.set({ service: 'kms', code: 'ThrottlingException', httpStatus: 400 }),
        'KMSThrottling',
        400,
      ],
    ])('is refused while its key %s', (_title, breaks, code, status) => {
      const { fixture, keyArn } = withKey();
      breaks(fixture, keyArn);
      expect(errorOf(publishAs(fixture, ADMIN))).toMatchObject({ code, status });
    });
  });
});
