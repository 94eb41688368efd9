import { response } from '../../../local';
import { DeployedRelay, POLICY } from './relay-fixture';

const HOUR_SECONDS = 3_600;

/** Retries as far apart as a message may have to wait for. */
const EVERY_TEN_MINUTES = { ...POLICY, minDelayTarget: 600, maxDelayTarget: 600, numRetries: 20 };

const secondsSinceStart = (iso: string | Uint8Array | undefined) =>
  (Date.parse(String(iso)) - Date.parse('2026-01-01T00:00:00.000Z')) / 1_000;

describe('a relay whose queue is about to drop a message', () => {
  test('gives it up after the last attempt there is time for, by when the queue got it, and says when that was', async () => {
    const retentionSeconds = 3 * HOUR_SECONDS;
    const relay = await DeployedRelay.deploy({ retryPolicy: EVERY_TEN_MINUTES, retentionSeconds });
    relay.host.behave({ reply: response(503) });
    await relay.disable();
    await relay.deployed.advance({ minutes: 1 });
    const sentAt = relay.deployed.seconds;
    await relay.publish('x');
    // Of what it spends in the queue untaken nothing comes back.
    await relay.deployed.advance({ minutes: 100 });
    await relay.enable();
    await relay.deployed.advance({ hours: 4 });

    const { askedAt } = relay;
    const [first = Number.NaN, last = Number.NaN] = [askedAt[0], askedAt.at(-1)];
    expect(first - sentAt).toBeGreaterThanOrEqual(100 * 60);
    expect(askedAt.length).toBeGreaterThan(1);
    expect(askedAt.length).toBeLessThan(EVERY_TEN_MINUTES.numRetries);
    expect(last).toBeLessThan(sentAt + retentionSeconds);
    expect(relay.delays).toEqual(askedAt.slice(1).map(() => 600));

    const [relayMessage, ...others] = await relay.deadLetters();
    expect(others).toEqual([]);
    expect(relayMessage?.body).toBe(relay.bodies[0]);
    expect(relayMessage?.attributes).toMatchObject({
      DeadLetterCause: 'retention-spent',
      AttemptsSpent: String(askedAt.length),
      LastStatusCode: '503',
      DeadLetterReason: expect.stringContaining('the queue would drop the message before the next retry'),
    });
    const { SentAt, FirstReceivedAt, DeadLetteredAt } = relayMessage?.attributes ?? {};
    expect([SentAt, FirstReceivedAt, DeadLetteredAt].map(secondsSinceStart)).toEqual([sentAt, first, last]);
    expect(relay.queued).toBe(0);
  });

  test('counts the first attempt as late from when the queue got the message', async () => {
    const relay = await DeployedRelay.deploy();
    await relay.disable();
    await relay.deployed.advance({ minutes: 1 });
    const sentAt = relay.deployed.seconds;
    await relay.publish('x');
    await relay.deployed.advance({ minutes: 100 });
    await relay.enable();
    await relay.settle();
    const [askedAt = Number.NaN] = relay.askedAt;
    expect(askedAt - sentAt).toBeGreaterThanOrEqual(100 * 60);
    expect(relay.attempts.map(it => it.relay['latenessMs'])).toEqual([(askedAt - sentAt) * 1_000]);
  });
});

describe('a message whose secret never comes', () => {
  /** Nobody was asked, whatever the schedule says. */
  const given = async (retryPolicy: typeof POLICY, retentionSeconds: number) => {
    const signing = 'no key';
    const relay = await DeployedRelay.deploy({ retryPolicy, retentionSeconds, secrets: { signing } });
    await relay.publish('x');
    await relay.deployed.advance({ hours: 4 });
    expect(relay.requests).toEqual([]);
    expect(relay.queued).toBe(0);
    const [relayMessage, ...others] = await relay.deadLetters();
    expect(others).toEqual([]);
    expect(JSON.parse(relayMessage?.body ?? '')).toMatchObject({ Message: 'x' });
    expect(relayMessage?.attributes).toMatchObject({
      Destination: 'https://partner.example.com/orders',
      DeadLetterReason: expect.stringContaining(`the signing secret ${relay.deployed.ref('signing')}`),
    });
    expect(relayMessage?.attributes).not.toHaveProperty('LastStatusCode');
    expect([await relay.metric('Attempts'), await relay.metric('Dead')]).toEqual([0, 1]);
    return relayMessage?.attributes;
  };

  test('is given up with its last retry, untried, and its letter names the secret', async () => {
    const attributes = await given(POLICY, 10 * HOUR_SECONDS);
    // Those whose time came before the last: the last is what was left.
    expect(attributes).toMatchObject({ DeadLetterCause: 'retries-spent', AttemptsSpent: String(POLICY.numRetries) });
  });

  test('is given up before its queue drops it, though retries are left', async () => {
    const attributes = await given(EVERY_TEN_MINUTES, 3 * HOUR_SECONDS);
    expect(attributes).toMatchObject({ DeadLetterCause: 'retention-spent' });
    const { AttemptsSpent, SentAt, DeadLetteredAt } = attributes ?? {};
    expect(Number(AttemptsSpent)).toBeGreaterThan(1);
    expect(Number(AttemptsSpent)).toBeLessThan(EVERY_TEN_MINUTES.numRetries);
    expect(secondsSinceStart(SentAt)).toBe(0);
    expect(secondsSinceStart(DeadLetteredAt)).toBeLessThan(3 * HOUR_SECONDS);
  });
});
