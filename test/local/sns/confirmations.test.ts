import { response } from '../../../local/network/outside-endpoint';
import { ADMIN, errorOf, queueArn, redriveTo, SnsFixture, TOPIC_ARN } from './sns-fixture';

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
describe('the SubscribeURL of a confirmation', () => {
  test('confirms whoever follows it, without a signature, again and again', async () => {
    const fixture = new ConfirmingFixture();
    const arn = fixture.ask();
    await fixture.settle();
    const [asked] = fixture.posts('SubscriptionConfirmation');
    for (let i = 0; i < 2; i += 1) {
      const { status, text } = await fixture.follow(asked?.body.SubscribeURL);
      expect(status).toBe(200);
      expect(text).toContain(`<SubscriptionArn>${arn}</SubscriptionArn>`);
    }
    expect(fixture.happened('sns.confirmed')).toHaveLength(1);
    expect(fixture.subscriptionAttributes(arn)).toMatchObject({ ConfirmationWasAuthenticated: 'false' });
  });

  test.each([
    ['a broken ARN', (link: string) => link.replace(TOPIC_ARN, 'broken'), 'Invalid parameter: Topic'],
    ['another Region', (link: string) => link.replace('sns:us-east-1', 'sns:us-west-2'), 'Invalid parameter: Topic'],
    ['a broken token', (link: string) => link.slice(0, -20), 'Invalid parameter: Token'],
  ])('with %s is refused', async (_what, change, message) => {
    const fixture = new ConfirmingFixture();
    fixture.ask();
    await fixture.settle();
    const [asked] = fixture.posts('SubscriptionConfirmation');
    const { status, text } = await fixture.follow(change(asked?.body.SubscribeURL));
    expect(status).toBe(400);
    expect(text).toContain(`<Code>InvalidParameter</Code><Message>${message}</Message>`);
    expect(fixture.happened('sns.confirmed')).toEqual([]);
  });

  test('with a topic that does not exist, but could, confirms as well', async () => {
    const fixture = new ConfirmingFixture();
    fixture.ask();
    await fixture.settle();
    const [asked] = fixture.posts('SubscriptionConfirmation');
    expect(await fixture.follow(asked?.body.SubscribeURL.replace(TOPIC_ARN, `${TOPIC_ARN}2`))).toMatchObject({
      status: 200,
    });
    expect(fixture.happened('sns.confirmed')).toHaveLength(1);
  });

  test('asks for a signature where it is to keep others from unsubscribing', async () => {
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
});

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html: tokens are good for two days. */
describe('a subscription nobody confirms', () => {
  test('is deleted after two days, and its token opens nothing', async () => {
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

  test('has two days more when somebody subscribes it again', async () => {
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

  test('does not keep a world from coming to rest', async () => {
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

describe('asking an endpoint to confirm', () => {
  test('is tried again by its delivery policy, and given up', async () => {
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
});

/** aws-semantics 2.2 and 2.3. */
describe('unsubscribing an HTTP/S endpoint', () => {
  test('offers it the subscription back', async () => {
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

  test('is undone by the offer, with everything the subscription had', async () => {
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
    ['once the endpoint is subscribed anew', fixture => void fixture.ask()],
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

  test('tells it by the delivery policy, and never the dead-letter queue', async () => {
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

  test('that has not confirmed tells it nothing', async () => {
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

  test('unsubscribes whoever follows it, and again', async () => {
    const fixture = new ConfirmingFixture();
    const subscriptionArn = await fixture.subscribed();
    const link = await linkOf(fixture);
    expect(await fixture.follow(link)).toMatchObject({ status: 200 });
    expect(await fixture.follow(link)).toMatchObject({ status: 200 });
    expect(fixture.happened('sns.unsubscribed')).toMatchObject([{ subscriptionArn }]);
  });

  test('does nothing without a signature where whoever confirmed has asked for one', async () => {
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

  test('in a mail has the owner told by mail, who can take it back', async () => {
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

  test('of a queue is told nobody', async () => {
    const fixture = new ConfirmingFixture();
    fixture.createQueue('Orders');
    const SubscriptionArn = fixture.subscribe('sqs', queueArn('Orders'));
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn });
    await fixture.settle();
    expect(fixture.happened('sns.confirmation-attempt')).toEqual([]);
  });
});
