import { roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { response } from '../../../local/network/outside-endpoint';
import { ACCOUNT, ADMIN, errorOf, FUNCTION_ARN, queueArn, redriveTo, SnsFixture, TOPIC_ARN } from './sns-fixture';

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

  test('a text that is no phone number is refused, in words without SNS’s usual prefix', () => {
    expect(errorOf(() => withTopic().subscribe('sms', 'call me'))).toEqual({
      code: 'InvalidParameter',
      message: 'Invalid SMS endpoint: call me',
      status: 400,
    });
  });

  test.each([
    ['delivery stream', 'firehose', `arn:aws:firehose:us-east-1:${ACCOUNT}:deliverystream/orders`],
    ['device', 'application', `arn:aws:sns:us-east-1:${ACCOUNT}:endpoint/GCM/Rental/1`],
  ])('a %s of another account or Region is refused by name', (_noun, protocol, here) => {
    for (const endpoint of [here.replace(ACCOUNT, '111122223333'), here.replace('us-east-1', 'eu-west-1')]) {
      expect(errorOf(() => withTopic().subscribe(protocol, endpoint))).toMatchObject({
        code: 'NotImplemented',
        status: 501,
        message: expect.stringContaining(endpoint),
      });
    }
  });

  test.each([
    ['queue', 'sqs', queueArn('Orders')],
    ['function', 'lambda', FUNCTION_ARN],
  ])('a %s of another account is pending until its owner confirms it', (_noun, protocol, here) => {
    const fixture = withTopic();
    const endpoint = here.replace(ACCOUNT, '111122223333');
    fixture.subscribe(protocol, endpoint);
    expect(fixture.happened('sns.subscribed')).toMatchObject([{ endpoint, pending: true }]);
    expect(fixture.subscribe(protocol, here.replace('us-east-1', 'eu-west-1'))).toMatch(/^arn:/);
  });

  test('an endpoint to which SNS cannot deliver is refused (assumption SNS-53)', () => {
    const endpoint = FUNCTION_ARN.replace('us-east-1', 'eu-south-1');
    expect(errorOf(() => withTopic().subscribe('lambda', endpoint)).message).toContain(
      'no delivery from us-east-1 to eu-south-1',
    );
  });

  test('to a topic that does not exist is refused', () => {
    expect(errorOf(() => new SnsFixture().subscribe('sqs', queueArn('Orders')))).toMatchObject({ code: 'NotFound' });
  });

  /** @see https://docs.aws.amazon.com/sns/latest/dg/sns-using-identity-based-policies.html: sns:Protocol and sns:Endpoint. */
  test('is decided by a policy’s conditions on protocol and endpoint', () => {
    const fixture = withTopic();
    const roleArn = fixture.createRole('Subscriber', 'sns:ListTopics');
    const Condition = {
      StringEquals: { 'sns:Protocol': 'https' },
      StringLike: { 'sns:Endpoint': '*.example.com/*' },
    };
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

  test('needs permission', () => {
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
  test('topics, 100 at a time', () => {
    const fixture = new SnsFixture();
    const arns = Array.from({ length: 150 }, (_, i) => fixture.createTopic({}, `Topic-${i}`));
    const first = fixture.sns.call('ListTopics', ADMIN, {});
    const second = fixture.sns.call('ListTopics', ADMIN, { NextToken: first.NextToken });
    expect(first.Topics).toHaveLength(100);
    // Recorded on AWS: `AAHrokS2B2V0PGIaX/pqx/9+0pHV1+5YQl4a3nOvPI7q5A==`, which is 34 bytes in base64.
    expect(Buffer.from(first.NextToken ?? '', 'base64')).toHaveLength(34);
    expect(second).not.toHaveProperty('NextToken');
    const listed = [...(first.Topics ?? []), ...(second.Topics ?? [])].map(({ TopicArn }) => TopicArn);
    expect(listed).toEqual(arns);
    for (const NextToken of ['x', '100', `${first.NextToken}=`]) {
      expect(errorOf(() => fixture.sns.call('ListTopics', ADMIN, { NextToken })).message).toBe(
        'Invalid parameter: NextToken',
      );
    }
  });

  test('subscriptions, by their ARN once they are confirmed', () => {
    const fixture = withTopic();
    const other = fixture.createTopic({}, 'Other');
    const arn = fixture.subscribe('lambda', FUNCTION_ARN);
    fixture.subscribe('lambda', FUNCTION_ARN, {}, other);
    fixture.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    expect(fixture.sns.call('ListSubscriptionsByTopic', ADMIN, { TopicArn: TOPIC_ARN }).Subscriptions).toEqual([
      {
        SubscriptionArn: arn,
        Owner: '123456789012',
        Protocol: 'lambda',
        Endpoint: FUNCTION_ARN,
        TopicArn: TOPIC_ARN,
      },
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

  test('is requested of an e-mail address by a mail with the token', async () => {
    const { fixture, token, answer } = pendingMail();
    await fixture.settle();
    expect(answer).toBe('pending confirmation');
    const [mail] = fixture.sns.recipients.receipts('ops@example.com');
    expect(mail).toMatchObject({ protocol: 'email', token, subject: 'AWS Notification - Subscription Confirmation' });
    expect(mail?.body).toContain(`Action=ConfirmSubscription&TopicArn=${TOPIC_ARN}&Token=${token}`);
  });

  test('is requested again when the address is subscribed again', async () => {
    const { fixture } = pendingMail();
    await fixture.settle();
    fixture.sns.call('Subscribe', ADMIN, { TopicArn: TOPIC_ARN, Protocol: 'email', Endpoint: 'ops@example.com' });
    await fixture.settle();
    expect(fixture.sns.recipients.receipts('ops@example.com')).toHaveLength(2);
    expect(fixture.sns.pendingConfirmations).toHaveLength(1);
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
});

describe('unsubscribing', () => {
  test('ends deliveries for good', async () => {
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
  ])('requires the ARN of a subscription, not %s', (SubscriptionArn, text) => {
    const { sns } = withTopic();
    expect(errorOf(() => sns.call('Unsubscribe', ADMIN, { SubscriptionArn })).message).toBe(
      `Invalid parameter: ${text}`,
    );
    expect(errorOf(() => sns.call('GetSubscriptionAttributes', ADMIN, { SubscriptionArn })).message).toBe(
      `Invalid parameter: ${text}`,
    );
  });

  test('is done for every subscription of a topic that is deleted', () => {
    const fixture = withTopic();
    const arn = fixture.subscribe('lambda', FUNCTION_ARN);
    fixture.sns.call('DeleteTopic', ADMIN, { TopicArn: TOPIC_ARN });
    fixture.sns.call('DeleteTopic', ADMIN, { TopicArn: TOPIC_ARN });
    expect(fixture.happened('sns.topic-deleted')).toHaveLength(1);
    expect(fixture.happened('sns.unsubscribed')).toMatchObject([{ subscriptionArn: arn }]);
    expect(errorOf(() => fixture.publish())).toMatchObject({ code: 'NotFound' });
  });
});

const HOST = 'billing.example.com';
const ENDPOINT = `https://${HOST}/orders`;
const TWO_DAYS = 2 * 86_400;

class ConfirmingFixture extends SnsFixture {
  constructor() {
    super();
    this.goOnline();
    this.createTopic();
  }

  /** Subscribes without confirming. */
  ask(Protocol = 'https', Endpoint = ENDPOINT, Attributes: Record<string, string> = {}): string {
    const input = { TopicArn: TOPIC_ARN, Protocol, Endpoint, Attributes, ReturnSubscriptionArn: true };
    return this.sns.call('Subscribe', ADMIN, input).SubscriptionArn ?? '';
  }

  /** What the endpoint got of one type of message. */
  posts(type: string) {
    const requests = this.outside.endpoint(HOST).requests;
    return requests
      .filter(({ headers }) => headers['x-amz-sns-message-type'] === type)
      .map(({ headers, body }) => ({ headers, body: JSON.parse(Buffer.from(body).toString()) }));
  }

  /** Subscribes and follows the link. */
  async subscribed(attributes: Record<string, string> = {}): Promise<string> {
    const arn = this.ask('https', ENDPOINT, attributes);
    await this.settle();
    await this.follow(this.posts('SubscriptionConfirmation')[0]?.body.SubscribeURL);
    return arn;
  }
}

/** aws-semantics 2.4. */
test('The SubscribeURL of a confirmation requires a signature if unsubscribing must be authenticated', async () => {
  const fixture = new ConfirmingFixture();
  fixture.ask();
  await fixture.settle();
  const [asked] = fixture.posts('SubscriptionConfirmation');
  const link = `${asked?.body.SubscribeURL}&AuthenticateOnUnsubscribe=true`;
  expect(await fixture.follow(link)).toMatchObject({
    status: 403,
    text: expect.stringContaining('MissingAuthenticationToken'),
  });
  expect(fixture.sns.pendingConfirmations).toHaveLength(1);
});

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html: tokens are good for two days. */
describe('a subscription that is never confirmed', () => {
  test('is deleted after two days, and its token is no longer valid', async () => {
    const fixture = new ConfirmingFixture();
    const subscriptionArn = fixture.ask();
    const [pending] = fixture.sns.pendingConfirmations;
    await fixture.goTo(TWO_DAYS - 1);
    expect(fixture.sns.pendingConfirmations).toHaveLength(1);
    await fixture.goTo(TWO_DAYS);
    expect(fixture.happened('sns.unsubscribed')).toMatchObject([{ subscriptionArn }]);
    const input = { TopicArn: TOPIC_ARN, Token: pending?.token };
    expect(errorOf(() => fixture.sns.call('ConfirmSubscription', ADMIN, input)).message).toBe(
      'Invalid parameter: Token',
    );
  });

  test('has two more days when it is subscribed again', async () => {
    const fixture = new ConfirmingFixture();
    fixture.ask();
    await fixture.goTo(TWO_DAYS / 2);
    fixture.ask();
    await fixture.goTo(TWO_DAYS * 1.5 - 1);
    expect(fixture.sns.pendingConfirmations).toHaveLength(1);
    expect(fixture.posts('SubscriptionConfirmation')).toHaveLength(2);
    await fixture.goTo(TWO_DAYS * 1.5);
    expect(fixture.sns.pendingConfirmations).toEqual([]);
  });

  test('does not keep a simulation busy', async () => {
    const fixture = new ConfirmingFixture();
    fixture.ask();
    await fixture.settle();
    expect(fixture.seconds).toBe(0);
  });

  test('stays when it is confirmed in time', async () => {
    const fixture = new ConfirmingFixture();
    await fixture.subscribed();
    await fixture.goTo(TWO_DAYS * 2);
    expect(fixture.happened('sns.unsubscribed')).toEqual([]);
  });
});

test('A request to confirm is retried by the delivery policy of its endpoint, and given up', async () => {
  const fixture = new ConfirmingFixture();
  fixture.outside.endpoint(HOST).behave({ reply: response(503) });
  fixture.ask('https', ENDPOINT, {
    DeliveryPolicy: JSON.stringify({ healthyRetryPolicy: { minDelayTarget: 5, maxDelayTarget: 5, numRetries: 2 } }),
  });
  await fixture.settle();
  expect(fixture.happened('sns.confirmation-attempt')).toMatchObject([
    { messageType: 'SubscriptionConfirmation', attempt: 1, outcome: 'retry' },
    { attempt: 2, outcome: 'retry' },
    { attempt: 3, outcome: 'dead' },
  ]);
  expect(fixture.seconds).toBe(10);
  expect(fixture.sns.pendingConfirmations).toHaveLength(1);
});

/** aws-semantics 2.2 and 2.3. */
describe('unsubscribing an HTTP/S endpoint', () => {
  test('sends it an offer to subscribe again', async () => {
    const fixture = new ConfirmingFixture();
    const SubscriptionArn = await fixture.subscribed();
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    const [offer] = fixture.posts('UnsubscribeConfirmation');
    expect(offer?.headers).toMatchObject({
      'x-amz-sns-topic-arn': TOPIC_ARN,
      'x-amz-sns-subscription-arn': SubscriptionArn,
      'content-type': 'text/plain; charset=UTF-8',
    });
    expect(offer?.body.Message).toBe(
      `You have chosen to deactivate subscription ${SubscriptionArn}.\nTo cancel this operation and restore the subscription, visit the SubscribeURL included in this message.`,
    );
    const [asked] = fixture.posts('SubscriptionConfirmation');
    expect(Object.keys(offer?.body)).toEqual(Object.keys(asked?.body));
    expect(offer?.body.Token).not.toBe(asked?.body.Token);
  });

  test('is undone by that offer, with all attributes of the subscription', async () => {
    const fixture = new ConfirmingFixture();
    const SubscriptionArn = await fixture.subscribed({ RawMessageDelivery: 'true' });
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    const [offer] = fixture.posts('UnsubscribeConfirmation');
    expect(await fixture.follow(offer?.body.SubscribeURL)).toMatchObject({ status: 200 });
    expect(fixture.subscriptionAttributes(SubscriptionArn)).toMatchObject({
      RawMessageDelivery: 'true',
      PendingConfirmation: 'false',
    });
    fixture.publish('order');
    await fixture.settle();
    expect(fixture.happened('sns.delivered')).toMatchObject([{ subscriptionArn: SubscriptionArn }]);
  });

  test.each<[string, (fixture: ConfirmingFixture) => void | Promise<void>]>([
    ['after two days', fixture => fixture.goTo(TWO_DAYS)],
    ['once the endpoint is subscribed again', fixture => void fixture.ask()],
    ['without the topic', fixture => fixture.sns.call('DeleteTopic', ADMIN, { TopicArn: TOPIC_ARN })],
  ])('cannot be undone %s', async (_when, happen) => {
    const fixture = new ConfirmingFixture();
    const SubscriptionArn = await fixture.subscribed();
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    const [offer] = fixture.posts('UnsubscribeConfirmation');
    await happen(fixture);
    expect(await fixture.follow(offer?.body.SubscribeURL)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Invalid parameter: Token'),
    });
  });

  test('notifies it by the delivery policy, and never sends to the dead-letter queue', async () => {
    const fixture = new ConfirmingFixture();
    fixture.createQueue('Fanout-DLQ');
    const SubscriptionArn = await fixture.subscribed(redriveTo('Fanout-DLQ'));
    fixture.outside.endpoint(HOST).behave({ reply: response(500) });
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    const attempts = fixture.happened('sns.confirmation-attempt');
    expect(attempts.filter(({ messageType }) => messageType === 'UnsubscribeConfirmation')).toHaveLength(4);
    expect(fixture.receive('Fanout-DLQ')).toEqual([]);
    expect(fixture.happened('sns.dead-lettered')).toEqual([]);
  });

  test('sends nothing if the endpoint has not confirmed', async () => {
    const fixture = new ConfirmingFixture();
    const SubscriptionArn = fixture.ask();
    await fixture.settle();
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    expect(fixture.posts('UnsubscribeConfirmation')).toEqual([]);
  });
});

describe('the UnsubscribeURL of a notification', () => {
  async function linkOf(fixture: ConfirmingFixture): Promise<string> {
    fixture.publish('order');
    await fixture.settle();
    return fixture.posts('Notification')[0]?.body.UnsubscribeURL;
  }

  test('unsubscribes, repeatedly', async () => {
    const fixture = new ConfirmingFixture();
    const subscriptionArn = await fixture.subscribed();
    const link = await linkOf(fixture);
    expect(await fixture.follow(link)).toMatchObject({ status: 200 });
    expect(await fixture.follow(link)).toMatchObject({ status: 200 });
    expect(fixture.happened('sns.unsubscribed')).toMatchObject([{ subscriptionArn }]);
  });

  test('does nothing without a signature if the confirmation required authentication', async () => {
    const fixture = new ConfirmingFixture();
    const SubscriptionArn = fixture.ask();
    const [pending] = fixture.sns.pendingConfirmations;
    const AuthenticateOnUnsubscribe = 'true';
    fixture.sns.call('ConfirmSubscription', ADMIN, {
      TopicArn: TOPIC_ARN,
      Token: pending?.token,
      AuthenticateOnUnsubscribe,
    });
    expect(await fixture.follow(await linkOf(fixture))).toMatchObject({
      status: 403,
      text: expect.stringContaining('AuthorizationError'),
    });
    expect(fixture.happened('sns.unsubscribed')).toEqual([]);
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    expect(fixture.happened('sns.unsubscribed')).toHaveLength(1);
  });

  test('in an e-mail sends the owner a confirmation, which can restore the subscription', async () => {
    const fixture = new ConfirmingFixture();
    const arn = fixture.ask('email', 'ops@example.com');
    await fixture.settle();
    fixture.sns.confirm('ops@example.com');
    const api = 'https://sns.us-east-1.amazonaws.com/';
    await fixture.follow(`${api}?Action=Unsubscribe&SubscriptionArn=${arn}`);
    await fixture.settle();
    const [, offer] = fixture.sns.recipients.receipts('ops@example.com');
    expect(offer).toMatchObject({ subject: 'AWS Notification - Unsubscribe Confirmation', subscriptionArn: arn });
    await fixture.follow(`${api}?Action=ConfirmSubscription&TopicArn=${TOPIC_ARN}&Token=${offer?.token}`);
    expect(fixture.subscriptionAttributes(arn)).toMatchObject({ PendingConfirmation: 'false' });
  });

  test('of a queue sends no confirmation', async () => {
    const fixture = new ConfirmingFixture();
    fixture.createQueue('Orders');
    const SubscriptionArn = fixture.subscribe('sqs', queueArn('Orders'));
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    expect(fixture.happened('sns.confirmation-attempt')).toEqual([]);
  });
});
