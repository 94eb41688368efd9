import { response } from '../../../../local/network/outside-endpoint';
import { ADMIN, redriveTo, SnsFixture, START_MS } from '../sns-fixture';

const ENDPOINT = 'https://billing.example.com/orders';

function httpPolicy(healthyRetryPolicy: Record<string, unknown>): Record<string, string> {
  return { DeliveryPolicy: JSON.stringify({ healthyRetryPolicy }) };
}

/** An SNS whose only subscriber is an endpoint that always fails. */
function withFailingEndpoint(attributes: Record<string, string> = {}): SnsFixture {
  const fixture = new SnsFixture();
  fixture.createTopic();
  fixture.outside.endpoint('billing.example.com').behave({ reply: response(503) });
  fixture.subscribe('https', ENDPOINT, attributes);
  return fixture;
}

/** aws-semantics 1.1 and 1.2. */
test('A change of the delivery policy of an HTTP/S endpoint holds from the next retry on', async () => {
  const fixture = withFailingEndpoint(httpPolicy({ minDelayTarget: 20, maxDelayTarget: 20, numRetries: 4 }));
  const [subscribed] = fixture.happened('sns.subscribed');
  fixture.publish();
  await fixture.goTo(25);
  const { DeliveryPolicy = '' } = httpPolicy({ minDelayTarget: 5, maxDelayTarget: 5, numRetries: 3 });
  fixture.setSubscriptionAttribute(subscribed?.subscriptionArn ?? '', 'DeliveryPolicy', DeliveryPolicy);
  await fixture.settle();
  expect(fixture.attemptSeconds()).toEqual([0, 20, 40, 45]);
});

test('Jitter is off by default; if it is on, it changes each delay by at most 10 %, the same for the same seed', async () => {
  const delays = async (seed: string): Promise<number[]> => {
    const fixture = new SnsFixture({ jitter: true, seed });
    fixture.createTopic();
    fixture.outside.endpoint('billing.example.com').behave({ reply: response(503) });
    fixture.subscribe('https', ENDPOINT, httpPolicy({ minDelayTarget: 20, maxDelayTarget: 20, numRetries: 30 }));
    fixture.publish();
    await fixture.settle();
    const seconds = fixture.attemptSeconds();
    return seconds.slice(1).map((at, i) => at - (seconds[i] ?? 0));
  };
  const spread = await delays('a');
  expect(Math.min(...spread)).toBeGreaterThanOrEqual(18);
  expect(Math.max(...spread)).toBeLessThanOrEqual(22);
  expect(new Set(spread).size).toBeGreaterThan(20);
  expect(await delays('a')).toEqual(spread);
  expect(await delays('b')).not.toEqual(spread);
});

test('A message that waits for a retry is lost, without another attempt, when its subscription is deleted', async () => {
  const fixture = withFailingEndpoint();
  const [subscribed] = fixture.happened('sns.subscribed');
  fixture.publish();
  await fixture.goTo(25);
  fixture.sns.call('Unsubscribe', fixture.sns.owner, { SubscriptionArn: subscribed?.subscriptionArn });
  await fixture.settle();
  expect(fixture.attemptSeconds()).toEqual([0, 20]);
  expect(fixture.happened('sns.lost')).toMatchObject([{ attempts: 2, cause: { kind: 'unsubscribed' } }]);
});

describe('maxReceivesPerSecond', () => {
  const ENDPOINT = 'https://billing.example.com/orders';

  /** aws-semantics 1.1: an average for each subscription; held at most an hour. */
  const throttled = (maxReceivesPerSecond: number) => ({
    DeliveryPolicy: JSON.stringify({ throttlePolicy: { maxReceivesPerSecond } }),
  });

  function withTakingEndpoint(rate: number, more: Record<string, string> = {}): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.subscribe('https', ENDPOINT, { ...throttled(rate), ...more });
    return fixture;
  }

  test('limits a burst to the average, after at most one second’s worth at once', async () => {
    const fixture = withTakingEndpoint(2);
    for (let i = 0; i < 7; i += 1) fixture.publish();
    await fixture.settle();
    expect(fixture.attemptSeconds()).toEqual([0, 0, 0.5, 1, 1.5, 2, 2.5]);
  });

  test('uses whole milliseconds if the rate does not divide a second', async () => {
    const fixture = withTakingEndpoint(3);
    for (let i = 0; i < 9; i += 1) fixture.publish();
    await fixture.settle();
    const atMs = fixture.happened('sns.attempt').map(it => it.atMs - START_MS);
    expect(atMs).toEqual([0, 0, 0, 333, 667, 1_000, 1_333, 1_667, 2_000]);
  });

  test('does not delay a subscription below the rate', async () => {
    const fixture = withTakingEndpoint(1);
    for (let i = 0; i < 3; i += 1) {
      fixture.publish();
      await fixture.goTo((i + 1) * 10);
    }
    expect(fixture.attemptSeconds()).toEqual([0, 10, 20]);
  });

  test('loses a message that waits when its subscription is deleted, because there is no dead-letter queue any more', async () => {
    const fixture = withTakingEndpoint(1, { ...redriveTo('Fanout-DLQ'), RawMessageDelivery: 'true' });
    fixture.createQueue('Fanout-DLQ');
    for (let i = 0; i < 3_602; i += 1) fixture.publish();
    await fixture.goTo(3_599);
    const [subscribed] = fixture.happened('sns.subscribed');
    fixture.sns.call('Unsubscribe', ADMIN, { SubscriptionArn: subscribed?.subscriptionArn });
    await fixture.settle();
    expect(fixture.happened('sns.dead-lettered')).toEqual([]);
    const lost = fixture.happened('sns.lost');
    expect(lost).toHaveLength(2);
    expect(lost).toMatchObject(lost.map(() => ({ atMs: START_MS + 3_600_000, cause: { kind: 'unsubscribed' } })));
  });
});
