import { ADMIN, redriveTo, SnsFixture, START_MS } from './sns-fixture';

const ENDPOINT = 'https://billing.example.com/orders';

/** aws-semantics 1.1: an average for each subscription; held at most an hour. */
describe('maxReceivesPerSecond', () => {
  const throttled = (maxReceivesPerSecond: number) => ({
    DeliveryPolicy: JSON.stringify({ throttlePolicy: { maxReceivesPerSecond } }),
  });

  function withTakingEndpoint(rate: number, more: Record<string, string> = {}): SnsFixture {
    const fixture = new SnsFixture();
    fixture.createTopic();
    fixture.subscribe('https', ENDPOINT, { ...throttled(rate), ...more });
    return fixture;
  }

  test('holds a burst to the average, after at most one second’s worth at once', async () => {
    const fixture = withTakingEndpoint(2);
    for (let i = 0; i < 7; i += 1) fixture.publish();
    await fixture.settle();
    expect(fixture.attemptSeconds()).toEqual([0, 0, 0.5, 1, 1.5, 2, 2.5]);
  });

  test('keeps to whole milliseconds where the rate does not divide a second', async () => {
    const fixture = withTakingEndpoint(3);
    for (let i = 0; i < 9; i += 1) fixture.publish();
    await fixture.settle();
    const atMs = fixture.happened('sns.attempt').map(it => it.atMs - START_MS);
    expect(atMs).toEqual([0, 0, 0, 333, 667, 1_000, 1_333, 1_667, 2_000]);
  });

  test('lets an unhurried subscription alone', async () => {
    const fixture = withTakingEndpoint(1);
    for (let i = 0; i < 3; i += 1) {
      fixture.publish();
      await fixture.goTo((i + 1) * 10);
    }
    expect(fixture.attemptSeconds()).toEqual([0, 10, 20]);
  });

  test('loses what it holds for too long when the subscription is deleted meanwhile: nobody owns the dead letter', async () => {
    const fixture = withTakingEndpoint(1, redriveTo('Fanout-DLQ'));
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

  test('gives up after an hour what it would have to hold for longer, and dead-letters it', async () => {
    const fixture = withTakingEndpoint(1, redriveTo('Fanout-DLQ'));
    fixture.createQueue('Fanout-DLQ');
    for (let i = 0; i < 3_603; i += 1) fixture.publish();
    await fixture.settle();
    expect(fixture.happened('sns.delivered')).toHaveLength(3_601);
    expect(fixture.happened('sns.dead-lettered')).toMatchObject([
      { atMs: START_MS + 3_600_000, attempts: 0, cause: { kind: 'held-too-long' } },
      { atMs: START_MS + 3_600_000, attempts: 0, cause: { kind: 'held-too-long' } },
    ]);
    expect(fixture.total('NumberOfNotificationsFailed')).toBe(2);
  });
});
