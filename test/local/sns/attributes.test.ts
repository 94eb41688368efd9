import { ADMIN, errorOf, FUNCTION_ARN, queueArn, redriveTo, SnsFixture, TOPIC_ARN } from './sns-fixture';

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

/** aws-semantics 2.7, related attribute errors. */
describe('a subscription attribute that breaks a rule', () => {
  const redrive = (deadLetterTargetArn: unknown): string => JSON.stringify({ deadLetterTargetArn });

  test.each([
    ['sqs', 'Owner', '1', 'AttributeName'],
    ['sqs', 'RedrivePolicy', redrive(7), 'RedrivePolicy: deadLetterTargetArn is an invalid arn'],
    [
      'sqs',
      'RedrivePolicy',
      JSON.stringify({ deadLetterTargetArn: queueArn('DLQ'), maxReceiveCount: 3 }),
      'RedrivePolicy: Unexpected JSON member: maxReceiveCount',
    ],
    [
      'sqs',
      'RedrivePolicy',
      redrive('arn:aws:sqs:us-east-1:210987654321:DLQ'),
      'RedrivePolicy: deadLetterTargetArn must be in the same account as the subscription',
    ],
    [
      'sqs',
      'FilterPolicyScope',
      'Everything',
      'FilterPolicyScope: Invalid value [Everything]. Please use either MessageBody or MessageAttributes',
    ],
  ])('%s %s = %s', (protocol, name, value, text) => {
    const fixture = withTopic();
    const endpoint = protocol === 'sqs' ? queueArn('Orders') : FUNCTION_ARN;
    const arn = fixture.subscribe(protocol, endpoint);
    expect(errorOf(() => fixture.setSubscriptionAttribute(arn, name, value))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: ${text}`,
      status: 400,
    });
    expect(errorOf(() => fixture.subscribe(protocol, endpoint, { [name]: value })).message).toBe(
      `Invalid parameter: Attributes Reason: ${text}`,
    );
  });

  test('cannot be set on a subscription or topic that does not exist', () => {
    const fixture = withTopic();
    const unknown = `${TOPIC_ARN}:00000000-0000-4000-8000-000000000000`;
    expect(errorOf(() => fixture.setSubscriptionAttribute(unknown, 'RawMessageDelivery', 'true'))).toEqual({
      code: 'NotFound',
      message: 'Subscription does not exist',
      status: 404,
    });
    expect(errorOf(() => fixture.sns.call('GetTopicAttributes', ADMIN, { TopicArn: `${TOPIC_ARN}2` }))).toEqual({
      code: 'NotFound',
      message: 'Topic does not exist',
      status: 404,
    });
  });
});

describe('the attributes of a subscription', () => {
  test('are what AWS shows, and can be removed again', () => {
    const fixture = withTopic();
    const policy = redriveTo('Fanout-DLQ');
    const arn = fixture.subscribe('sqs', queueArn('Orders'), { ...policy, FilterPolicy: '{"a":["b"]}' });
    expect(fixture.subscriptionAttributes(arn)).toEqual({
      SubscriptionArn: arn,
      TopicArn: TOPIC_ARN,
      Owner: '123456789012',
      Protocol: 'sqs',
      Endpoint: queueArn('Orders'),
      SubscriptionPrincipal: 'arn:aws:iam::123456789012:root',
      PendingConfirmation: 'false',
      ConfirmationWasAuthenticated: 'true',
      RawMessageDelivery: 'false',
      FilterPolicyScope: 'MessageAttributes',
      FilterPolicy: '{"a":["b"]}',
      RedrivePolicy: policy['RedrivePolicy'],
    });
    fixture.setSubscriptionAttribute(arn, 'RedrivePolicy', '');
    fixture.setSubscriptionAttribute(arn, 'FilterPolicy', '{}');
    const attributes = fixture.subscriptionAttributes(arn);
    expect(attributes).not.toHaveProperty('RedrivePolicy');
    expect(attributes).not.toHaveProperty('FilterPolicy');
  });

  test('may come in any order: the scope of a filter policy is read before the policy', () => {
    const fixture = withTopic();
    const arn = fixture.subscribe('sqs', queueArn('Orders'), {
      FilterPolicy: '{"order":{"status":["confirmed"]}}',
      FilterPolicyScope: 'MessageBody',
    });
    expect(fixture.subscriptionAttributes(arn)['FilterPolicyScope']).toBe('MessageBody');
    expect(errorOf(() => fixture.setSubscriptionAttribute(arn, 'FilterPolicyScope', 'MessageAttributes')).message).toBe(
      'Invalid parameter: Filter policy scope MessageAttributes does not support nested filter policy',
    );
  });
});

describe('the attributes of a topic', () => {
  test('count its subscriptions, and show AWS’s default policy', () => {
    const fixture = withTopic();
    fixture.subscribe('sqs', queueArn('Orders'));
    const gone = fixture.subscribe('lambda', FUNCTION_ARN);
    fixture.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn: gone });
    const attributes = fixture.topicAttributes();
    expect(Object.keys(attributes).sort()).toEqual([
      'DisplayName',
      'EffectiveDeliveryPolicy',
      'Owner',
      'Policy',
      'SubscriptionsConfirmed',
      'SubscriptionsDeleted',
      'SubscriptionsPending',
      'TopicArn',
    ]);
    expect(attributes).toMatchObject({
      TopicArn: TOPIC_ARN,
      Owner: '123456789012',
      DisplayName: '',
      SubscriptionsConfirmed: '1',
      SubscriptionsPending: '1',
      SubscriptionsDeleted: '1',
    });
    expect(JSON.parse(attributes['Policy'] ?? '')).toMatchObject({
      Version: '2008-10-17',
      Id: '__default_policy_ID',
      Statement: [
        { Sid: '__default_statement_ID', Condition: { StringEquals: { 'AWS:SourceOwner': '123456789012' } } },
      ],
    });
  });

  test.each([
    ['Nonsense', 'x', 'AttributeName'],
    ['Owner', '1', 'AttributeName'],
    ['Policy', 'no policy', 'Policy Error: null'],
    ['SignatureVersion', '3', 'SignatureVersion: Invalid value [3]. Must be one of 1, 2.'],
    ['TracingConfig', 'On', 'TracingConfig: Invalid value [On]. Must be one of PassThrough, Active.'],
    [
      'SQSSuccessFeedbackSampleRate',
      '101',
      'SQSSuccessFeedbackSampleRate: Invalid value [101]. Must be an integer from 0 to 100.',
    ],
    ['DisplayName', 'x'.repeat(101), 'DisplayName: must be at most 100 characters'],
  ])('%s cannot be %s', (name, value, text) => {
    const fixture = withTopic();
    expect(errorOf(() => fixture.setTopicAttribute(name, value)).message).toBe(`Invalid parameter: ${text}`);
  });

  test.each([
    ['ContentBasedDeduplication', 'true', 'ContentBasedDeduplication: only FIFO topics have this attribute'],
    ['FifoThroughputScope', 'Topic', 'FifoThroughputScope: only FIFO topics have this attribute'],
  ])('%s is refused on a standard topic', (name, value, text) => {
    expect(errorOf(() => withTopic().setTopicAttribute(name, value)).message).toBe(`Invalid parameter: ${text}`);
  });

  test('ArchivePolicy is refused by name, because it is not implemented', () => {
    expect(errorOf(() => withTopic().setTopicAttribute('ArchivePolicy', '{}'))).toEqual({
      code: 'NotImplemented',
      message:
        'The embedded AWS does not implement the topic attribute ArchivePolicy. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.',
      status: 501,
    });
  });
});

test('The 201st filter policy of a topic is refused, and the first 200 can be changed', () => {
  const fixture = withTopic();
  const filtered = (i: number) =>
    fixture.subscribe('email', `ops-${i}@example.com`, { FilterPolicy: '{"store":["a"]}' });
  const [first = ''] = Array.from({ length: 200 }, (_, i) => filtered(i));
  expect(errorOf(() => filtered(200))).toMatchObject({ code: 'FilterPolicyLimitExceeded', status: 403 });
  fixture.setSubscriptionAttribute(first, 'FilterPolicy', '{"store":["b"]}');
  expect(fixture.subscriptionAttributes(first)['FilterPolicy']).toBe('{"store":["b"]}');
});

describe('creating a topic', () => {
  test('again returns the existing topic', () => {
    const fixture = withTopic();
    expect(fixture.createTopic()).toBe(TOPIC_ARN);
    expect(fixture.happened('sns.topic-created')).toHaveLength(1);
    expect(errorOf(() => fixture.createTopic({ DisplayName: 'Orders' })).message).toBe(
      'Invalid parameter: Attributes Reason: Topic already exists with different attributes',
    );
  });

  test.each(['', 'a b', 'x'.repeat(257), 'order.s'])('with the name "%s" is refused', name => {
    expect(errorOf(() => new SnsFixture().createTopic({}, name)).message).toBe('Invalid parameter: Topic Name');
  });

  test.each([
    ['false', 'orders.fifo'],
    ['true', 'orders'],
    ['true', '.fifo'],
    ['true', `${'x'.repeat(252)}.fifo`],
  ])('with FifoTopic %s and the name %s is refused', (FifoTopic, name) => {
    expect(errorOf(() => new SnsFixture().createTopic({ FifoTopic }, name)).message).toBe(
      'Invalid parameter: Topic Name',
    );
  });
});

describe('a delivery policy is refused', () => {
  const ENDPOINT = 'https://billing.example.com/orders';

  function withTopic(): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    return fixture;
  }

  test('when raw delivery is turned off, if it has a content type only for raw delivery (assumption SNS-9)', () => {
    const fixture = withTopic();
    const DeliveryPolicy = JSON.stringify({ requestPolicy: { headerContentType: 'text/csv' } });
    const arn = fixture.subscribe('https', ENDPOINT, { DeliveryPolicy, RawMessageDelivery: 'true' });
    const end = () => fixture.setSubscriptionAttribute(arn, 'RawMessageDelivery', 'false');
    expect(errorOf(end)).toMatchObject({
      code: 'InvalidParameter',
      message: expect.stringContaining('DeliveryPolicy: requestPolicy.headerContentType'),
    });
    expect(fixture.subscriptionAttributes(arn)['RawMessageDelivery']).toBe('true');
    fixture.setSubscriptionAttribute(arn, 'DeliveryPolicy', '');
    end();
    expect(fixture.subscriptionAttributes(arn)['RawMessageDelivery']).toBe('false');
  });
});
