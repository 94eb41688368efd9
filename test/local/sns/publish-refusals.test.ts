import { ADMIN, errorOf, SnsFixture, TOPIC_ARN } from './sns-fixture';

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
      'an empty text under MessageStructure json (our choice)',
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

  test('an entry of a batch whose attribute has no type, by its place in the batch', () => {
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

  test('one message in a batch that is too long by itself, as a batch that is', () => {
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

  test('while a scenario has it answer errors', () => {
    const fixture = withTopic();
    fixture.faults.set({ service: 'sns', action: 'Publish', resource: TOPIC_ARN });
    expect(errorOf(() => fixture.publish())).toMatchObject({ code: 'ServiceUnavailable', status: 503 });
    expect(fixture.happened('sns.refused')).toMatchObject([{ code: 'ServiceUnavailable' }]);
  });
});
