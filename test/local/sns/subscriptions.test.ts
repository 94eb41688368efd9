import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { response } from '../../../local/network/outside-endpoint';
import { ACCOUNT, ADMIN, errorOf, FUNCTION_ARN, queueArn, SnsFixture, TOPIC_ARN } from './sns-fixture';

function withTopic(): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  return fixture;
}

describe('subscribing', () => {
  test.each([
    ['pigeon', 'coop', 'Amazon SNS does not support this protocol string: pigeon'],
    ['http', 'https://example.com/', 'Endpoint must match the specified protocol'],
    ['https', 'example.com', 'Endpoint must match the specified protocol'],
    ['https', 'https://', 'Endpoint'],
    ['https', 'https://u:100%@hook.example.com/x', 'Endpoint'],
    ['http', 'http://%zz@hook.example.com/x', 'Endpoint'],
    ['https', 'https://my_host.example.com/', 'Unreachable Endpoint'],
    ['sqs', queueArn('Orders').replace('sqs', 'sns'), 'SQS endpoint ARN'],
    ['sqs', 'https://sqs.us-east-1.amazonaws.com/123456789012/Orders', 'SQS endpoint ARN'],
    [
      'sqs',
      queueArn('Orders.fifo'),
      'Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics',
    ],
    ['lambda', queueArn('Orders'), 'Lambda endpoint ARN'],
    ['lambda', 'arn:aws:lambda:us-east-1:123456789012:layer:orders', 'Lambda endpoint ARN'],
    ['application', 'device', 'ApplicationEndpoint ARN'],
    ['application', 'arn:aws:sns:us-east-1:123456789012:app/GCM/Rental', 'ApplicationEndpoint ARN'],
    ['firehose', 'stream', 'Firehose endpoint ARN'],
    [
      'firehose',
      'arn:aws:firehose:us-east-1:123456789012:deliverystream/orders',
      'Attributes Reason: SubscriptionRoleArn is required for the firehose protocol',
    ],
    ['email', 'nobody', 'Email address'],
  ])('%s %s is refused: %s', (protocol, endpoint, text) => {
    const fixture = withTopic();
    expect(errorOf(() => fixture.subscribe(protocol, endpoint))).toEqual({
      code: 'InvalidParameter',
      message: `Invalid parameter: ${text}`,
      status: 400,
    });
    expect(fixture.happened('sns.subscribed')).toEqual([]);
  });

  test('a text that is no phone number is refused, in words without the usual ones before them', () => {
    expect(errorOf(() => withTopic().subscribe('sms', 'call me'))).toEqual({
      code: 'InvalidParameter',
      message: 'Invalid SMS endpoint: call me',
      status: 400,
    });
  });

  describe.each([
    ['queue', 'sqs', queueArn('Orders')],
    ['function', 'lambda', FUNCTION_ARN],
    ['delivery stream', 'firehose', `arn:aws:firehose:us-east-1:${ACCOUNT}:deliverystream/orders`],
    ['device', 'application', `arn:aws:sns:us-east-1:${ACCOUNT}:endpoint/GCM/Rental/1`],
  ])('a %s elsewhere', (_noun, protocol, here) => {
    test.each([
      ['account', here.replace(ACCOUNT, '111122223333')],
      ['Region', here.replace('us-east-1', 'eu-west-1')],
    ])('in another %s, is refused aloud: a world is one account in one Region', (_where, endpoint) => {
      expect(errorOf(() => withTopic().subscribe(protocol, endpoint))).toMatchObject({
        code: 'NotImplemented',
        status: 501,
        message: expect.stringContaining(endpoint),
      });
    });
  });

  test('to a topic that does not exist is refused', () => {
    expect(errorOf(() => new SnsFixture().subscribe('sqs', queueArn('Orders')))).toMatchObject({ code: 'NotFound' });
  });

  test('again answers the subscription that is there, if it is as they say', () => {
    const fixture = withTopic();
    const arn = fixture.subscribe('sqs', queueArn('Orders'), { RawMessageDelivery: 'true' });
    expect(fixture.subscribe('sqs', queueArn('Orders'))).toBe(arn);
    expect(fixture.subscribe('sqs', queueArn('Orders'), { RawMessageDelivery: 'true' })).toBe(arn);
    expect(errorOf(() => fixture.subscribe('sqs', queueArn('Orders'), { RawMessageDelivery: 'false' })).message).toBe(
      'Invalid parameter: Attributes Reason: Subscription already exists with different attributes',
    );
    expect(fixture.happened('sns.subscribed')).toHaveLength(1);
  });

  /** @see https://docs.aws.amazon.com/sns/latest/dg/sns-using-identity-based-policies.html: sns:Protocol and sns:Endpoint. */
  test('is allowed by what a policy says of protocols and endpoints', () => {
    const fixture = withTopic();
    const roleArn = fixture.createRole('Subscriber', 'sns:ListTopics');
    const Condition = { StringEquals: { 'sns:Protocol': 'https' }, StringLike: { 'sns:Endpoint': '*.example.com/*' } };
    const Statement = [{ Effect: 'Allow', Action: 'sns:Subscribe', Resource: TOPIC_ARN, Condition }];
    fixture.iam.putRolePolicy('Subscriber', 'subscribe', { Version: '2012-10-17', Statement });
    const subscribe = (Protocol: string, Endpoint: string) =>
      fixture.sns.call('Subscribe', roleCaller(roleArn), { TopicArn: TOPIC_ARN, Protocol, Endpoint });
    expect(subscribe('https', 'https://billing.example.com/orders')).toMatchObject({
      SubscriptionArn: 'pending confirmation',
    });
    for (const [protocol, endpoint] of [
      ['http', 'http://billing.example.com/orders'],
      ['https', 'https://elsewhere.example.org/'],
    ] as const) {
      expect(errorOf(() => subscribe(protocol, endpoint))).toMatchObject({ code: 'AuthorizationError', status: 403 });
    }
  });

  test('takes permission', () => {
    const stranger = serviceCaller('events.amazonaws.com', 'arn:aws:events:us-east-1:1:rule/x', '1');
    expect(
      errorOf(() =>
        withTopic().sns.call('Subscribe', stranger, {
          TopicArn: TOPIC_ARN,
          Protocol: 'sqs',
          Endpoint: queueArn('Orders'),
        }),
      ),
    ).toMatchObject({ code: 'AuthorizationError', status: 403 });
  });
});

describe('lists', () => {
  test('show every topic, 100 at a time', () => {
    const fixture = new SnsFixture();
    const arns = Array.from({ length: 150 }, (_, i) => fixture.createTopic({}, `Topic-${i}`));
    const first = fixture.sns.call('ListTopics', ADMIN, {});
    const second = fixture.sns.call('ListTopics', ADMIN, { NextToken: first.NextToken });
    expect(first.Topics).toHaveLength(100);
    expect(second).not.toHaveProperty('NextToken');
    const listed = [...(first.Topics ?? []), ...(second.Topics ?? [])].map(({ TopicArn }) => TopicArn);
    expect(listed).toEqual(arns);
    expect(errorOf(() => fixture.sns.call('ListTopics', ADMIN, { NextToken: 'x' })).message).toBe(
      'Invalid parameter: NextToken',
    );
  });

  test('show subscriptions by their ARN once they are confirmed', () => {
    const fixture = withTopic();
    const other = fixture.createTopic({}, 'Other');
    const arn = fixture.subscribe('lambda', FUNCTION_ARN);
    fixture.subscribe('lambda', FUNCTION_ARN, {}, other);
    fixture.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    expect(fixture.sns.call('ListSubscriptionsByTopic', ADMIN, { TopicArn: TOPIC_ARN }).Subscriptions).toEqual([
      { SubscriptionArn: arn, Owner: '123456789012', Protocol: 'lambda', Endpoint: FUNCTION_ARN, TopicArn: TOPIC_ARN },
      {
        SubscriptionArn: 'PendingConfirmation',
        Owner: '123456789012',
        Protocol: 'email',
        Endpoint: 'ops@example.com',
        TopicArn: TOPIC_ARN,
      },
    ]);
    expect(fixture.sns.call('ListSubscriptions', ADMIN, {}).Subscriptions).toHaveLength(3);
  });
});

/** aws-semantics 2.4. */
describe('confirming', () => {
  function pendingMail(): { fixture: SnsFixture; token: string; answer: string | undefined } {
    const fixture = withTopic();
    const { SubscriptionArn: answer } = fixture.sns.call('Subscribe', ADMIN, {
      TopicArn: TOPIC_ARN,
      Protocol: 'email',
      Endpoint: 'ops@example.com',
    });
    return { fixture, token: fixture.sns.pendingConfirmations[0]?.token ?? '', answer };
  }

  test('is what an e-mail address is asked for by a mail with the token', async () => {
    const { fixture, token, answer } = pendingMail();
    await fixture.settle();
    expect(answer).toBe('pending confirmation');
    const [mail] = fixture.sns.recipients.receipts('ops@example.com');
    expect(mail).toMatchObject({ protocol: 'email', token, subject: 'AWS Notification - Subscription Confirmation' });
    expect(mail?.body).toContain(`Action=ConfirmSubscription&TopicArn=${TOPIC_ARN}&Token=${token}`);
  });

  test('is asked for again when somebody subscribes the address again', async () => {
    const { fixture } = pendingMail();
    await fixture.settle();
    fixture.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    await fixture.settle();
    expect(fixture.sns.recipients.receipts('ops@example.com')).toHaveLength(2);
    expect(fixture.sns.pendingConfirmations).toHaveLength(1);
  });

  test('opens the way for what is published from then on', async () => {
    const { fixture } = pendingMail();
    fixture.publish('too early');
    await fixture.settle();
    expect(fixture.sns.confirm('ops@example.com')).toBe(1);
    expect(fixture.sns.confirm('ops@example.com')).toBe(0);
    fixture.publish('in time', { Subject: 'Alarm' });
    await fixture.settle();
    expect(fixture.sns.recipients.receipts('ops@example.com').slice(1)).toMatchObject([
      { subject: 'Alarm', body: 'in time' },
    ]);
    expect(fixture.happened('sns.delivered')).toMatchObject([{ protocol: 'email', attempts: 1 }]);
  });

  test('works by the token alone, and again', () => {
    const { fixture, token } = pendingMail();
    const confirm = (TopicArn: string, Token: string) =>
      fixture.sns.call('ConfirmSubscription', ADMIN, { TopicArn, Token }).SubscriptionArn;
    const invented = 'arn:aws:sns:us-east-1:123456789012:nothing';
    const arn = confirm(invented, token);
    expect(arn).toMatch(`${TOPIC_ARN}:`);
    expect(confirm(TOPIC_ARN, token)).toBe(arn);
    expect(fixture.happened('sns.confirmed')).toHaveLength(1);
    expect(fixture.subscriptionAttributes(arn ?? '')).toMatchObject({
      PendingConfirmation: 'false',
      ConfirmationWasAuthenticated: 'true',
    });
  });

  test.each([
    ['arn:aws:sns:eu-west-1:123456789012:Rental-Orders', 'Invalid parameter: Topic'],
    ['no arn', 'Invalid parameter: Topic'],
  ])('is refused for the topic %s', (TopicArn, message) => {
    const { fixture, token } = pendingMail();
    expect(errorOf(() => fixture.sns.call('ConfirmSubscription', ADMIN, { TopicArn, Token: token })).message).toBe(
      message,
    );
  });

  test.each([
    ['0bad', 'Invalid parameter: Token'],
    ['randomtoken', 'Invalid token'],
    ['', 'Invalid token'],
  ])('is refused for the token "%s"', (Token, message) => {
    const { fixture } = pendingMail();
    const input = { TopicArn: TOPIC_ARN, Token };
    expect(errorOf(() => fixture.sns.call('ConfirmSubscription', ADMIN, input))).toEqual({
      code: 'InvalidParameter',
      message,
      status: 400,
    });
  });

  test('happens for real when an endpoint follows the SubscribeURL over the network', async () => {
    const fixture = withTopic();
    fixture.goOnline();
    fixture.network.attach('billing.example.com', ({ body }) => {
      const { SubscribeURL } = JSON.parse(Buffer.from(body).toString());
      const { host, pathname, search } = new URL(SubscribeURL);
      const path = `${pathname}${search}`;
      const get = { protocol: 'https' as const, host, port: 443, method: 'GET', path, headers: { host } };
      const reply = fixture.network.send({ ...get, body: new Uint8Array() });
      return reply instanceof Promise ? reply.then(() => response(200)) : response(200);
    });
    fixture.sns.call('Subscribe', ADMIN, {
      TopicArn: TOPIC_ARN,
      Protocol: 'https',
      Endpoint: 'https://billing.example.com/',
    });
    await fixture.settle();
    expect(fixture.happened('sns.confirmed')).toHaveLength(1);
    expect(fixture.sns.pendingConfirmations).toEqual([]);
  });
});

describe('unsubscribing', () => {
  test('ends deliveries, once and for all', async () => {
    const fixture = withTopic();
    fixture.createQueue('Orders');
    const SubscriptionArn = fixture.subscribe('sqs', queueArn('Orders'));
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    fixture.publish();
    await fixture.settle();
    expect(fixture.receive('Orders')).toEqual([]);
    expect(fixture.happened('sns.unsubscribed')).toHaveLength(1);
    expect(errorOf(() => fixture.subscriptionAttributes(SubscriptionArn))).toMatchObject({ code: 'NotFound' });
  });

  test.each([
    [undefined, 'SubscriptionArn Reason: no value for required parameter'],
    ['a:b', 'SubscriptionArn Reason: An ARN must have at least 6 elements, not 2'],
    [TOPIC_ARN, 'SubscriptionId'],
  ])('wants the ARN of a subscription, not %s', (SubscriptionArn, text) => {
    const { sns } = withTopic();
    expect(errorOf(() => sns.call('Unsubscribe', ADMIN, { SubscriptionArn })).message).toBe(
      `Invalid parameter: ${text}`,
    );
    expect(errorOf(() => sns.call('GetSubscriptionAttributes', ADMIN, { SubscriptionArn })).message).toBe(
      `Invalid parameter: ${text}`,
    );
  });

  test('happens to every subscription of a topic that is deleted', () => {
    const fixture = withTopic();
    const arn = fixture.subscribe('lambda', FUNCTION_ARN);
    fixture.sns.call('DeleteTopic', ADMIN, { TopicArn: TOPIC_ARN });
    fixture.sns.call('DeleteTopic', ADMIN, { TopicArn: TOPIC_ARN });
    expect(fixture.happened('sns.topic-deleted')).toHaveLength(1);
    expect(fixture.happened('sns.unsubscribed')).toMatchObject([{ subscriptionArn: arn }]);
    expect(errorOf(() => fixture.publish())).toMatchObject({ code: 'NotFound' });
  });
});
