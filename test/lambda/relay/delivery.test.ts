import { response } from '../../../local';
import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { DeployedRelay, POLICY } from './relay-fixture';

/** An endpoint that never takes anything. */
const FAILING = { reply: response(503, 'overloaded') };

/** 2 immediate retries, 1 after 5 seconds, 3 that grow to 40 and 1 more after 40. */
const FOUR_PHASES: RetryPolicy = {
  minDelayTarget: 5,
  maxDelayTarget: 40,
  numRetries: 7,
  numNoDelayRetries: 2,
  numMinDelayRetries: 1,
  numMaxDelayRetries: 1,
  backoffFunction: 'geometric',
};

describe('a relay', () => {
  test('delivers what the endpoint takes, once, and tells of it', async () => {
    const relay = await DeployedRelay.deploy();
    const messageId = await relay.publish('{"order":1}');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    expect(relay.queued).toBe(0);
    expect(relay.attempts).toMatchObject([
      {
        status: 'SUCCESS',
        notification: { messageId, topicArn: relay.deployed.ref('Topic'), timestamp: '2026-01-01 00:00:00.000' },
        delivery: { destination: 'https://partner.example.com/orders', attempts: 1, statusCode: 200, dwellTimeMs: 0 },
        relay: { verdict: 'delivered', receiveCount: 1, latencyMs: 0, latenessMs: 0 },
      },
    ]);
    expect(relay.lines).toEqual([]);
    for (const name of ['Attempts', 'Delivered']) expect(await relay.metric(name)).toBe(1);
    for (const name of ['Retried', 'Dead', 'FailedAttempts', 'HandedBack']) expect(await relay.metric(name)).toBe(0);
  });

  test('waits for exactly the delays of its policy, without jitter, until the endpoint takes it', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ ...FAILING, count: 3 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.delays).toEqual([10, 20, 40]);
    expect(relay.queued).toBe(0);
    expect(await relay.deadLetters()).toEqual([]);
    expect(relay.attempts.map(it => it.relay['nextRetryInSeconds'])).toEqual([10, 20, 40, undefined]);
    expect(relay.attempts.map(it => it.relay['latenessMs'])).toEqual([0, 0, 0, 0]);
    expect(
      await Promise.all(['Attempts', 'FailedAttempts', 'Retried', 'Delivered'].map(it => relay.metric(it))),
    ).toEqual([4, 3, 3, 1]);
  });

  test('goes through all four phases, the first of them at once, and then gives the message up as it came', async () => {
    const relay = await DeployedRelay.deploy({ retryPolicy: FOUR_PHASES });
    relay.host.behave(FAILING);
    await relay.publish('x');
    await relay.settle();
    expect(relay.delays.map(Math.round)).toEqual([0, 0, 5, 5, 14, 40, 40]);
    expect(new Set(relay.bodies).size).toBe(1);
    expect(relay.queued).toBe(0);
    const [relayMessage, ...others] = await relay.deadLetters();
    expect(others).toEqual([]);
    expect(relayMessage?.body).toBe(relay.bodies[0]);
    expect(relayMessage?.attributes).toMatchObject({
      DeadLetterCause: 'retries-spent',
      AttemptsSpent: '8',
      LastStatusCode: '503',
      Destination: 'https://partner.example.com/orders',
    });
    expect(await relay.metric('Dead')).toBe(1);
  });

  test('spreads its delays within the bounds of its jitter', async () => {
    const retryPolicy: RetryPolicy = { ...POLICY, minDelayTarget: 100, maxDelayTarget: 100, numRetries: 60 };
    const relay = await DeployedRelay.deploy({ retryPolicy, jitterPercent: 10 });
    relay.host.behave(FAILING);
    await relay.publish('x');
    await relay.settle();
    expect(relay.delays).toHaveLength(60);
    expect(Math.min(...relay.delays)).toBeGreaterThanOrEqual(90);
    expect(Math.max(...relay.delays)).toBeLessThanOrEqual(110);
    expect(new Set(relay.delays).size).toBeGreaterThan(5);
    expect((await relay.deadLetters())[0]?.attributes['AttemptsSpent']).toBe('61');
  });

  test.each([
    { says: 'as seconds', header: '25', waits: 25 },
    { says: 'as a date', header: 'Thu, 01 Jan 2026 00:00:33 GMT', waits: 33 },
    { says: 'less than the policy', header: '1', waits: 10 },
    { says: 'nothing that can be read', header: 'soon', waits: 10 },
    { says: 'more than the cap, which is added to the policy’s', header: '86400', waits: 130 },
  ])('heeds a Retry-After that says $says', async ({ header, waits }) => {
    const relay = await DeployedRelay.deploy({ retryAfterCapSeconds: 120 });
    relay.host.behave({ reply: response(429, '', { 'retry-after': header }), count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.delays).toEqual([waits]);
  });

  test.each([
    { status: 410, cause: 'gone' },
    { status: 404, cause: 'refused' },
    { status: 301, cause: 'redirected' },
  ])('gives a message up at once that is answered $status', async ({ status, cause }) => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(status, 'no', { location: 'https://elsewhere.example.com/' }) });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    expect(relay.deployed.aws.endpoint('elsewhere.example.com').requests).toEqual([]);
    expect(relay.queued).toBe(0);
    const [relayMessage] = await relay.deadLetters();
    expect(relayMessage).toMatchObject({
      body: relay.bodies[0],
      attributes: { DeadLetterCause: cause, LastStatusCode: String(status), AttemptsSpent: '1' },
    });
    expect(await relay.metric('FailedAttempts')).toBe(0);
  });

  test('does not follow a redirect to where AWS keeps credentials', async () => {
    const relay = await DeployedRelay.deploy();
    const location = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';
    relay.host.behave({ reply: response(307, '', { location }) });
    await relay.publish('x');
    await relay.settle();
    expect(relay.deployed.aws.endpoint('169.254.169.254').requests).toEqual([]);
    expect((await relay.deadLetters())[0]?.attributes['DeadLetterCause']).toBe('redirected');
  });

  test('does not send to a private address a name resolves to, and does once the name is mended', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.resolveTo({ addresses: ['52.1.2.3', '10.0.0.5'], count: 2 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    expect(relay.deployed.aws.endpoint('10.0.0.5').requests).toEqual([]);
    expect(relay.askedAt).toEqual([30]);
    expect(relay.attempts[0]?.delivery['providerResponse']).toContain('10.0.0.5, which is not public');
  });

  test.each(['http://169.254.169.254/', 'https://[::ffff:10.0.0.5]/', 'http://2130706433/'])(
    'gives up what is to go to %s',
    async url => {
      const relay = await DeployedRelay.deploy({ url, allowedPrivateRanges: ['169.254.0.0/16'] });
      await relay.publish('x');
      await relay.settle();
      expect((await relay.deadLetters())[0]?.attributes['DeadLetterCause']).toBe('forbidden-address');
      expect(relay.queued).toBe(0);
    },
  );

  test.each([
    { what: 'name, which is public', url: 'http://partner.example.com/in', allowedPrivateRanges: ['10.0.0.0/8'] },
    { what: 'secret', secrets: { endpoint: 'http://partner.example.com/in' }, allowedPrivateRanges: [] },
  ])('sends nothing in the clear to a $what, and keeps the message', async ({ what: _what, ...options }) => {
    const relay = await DeployedRelay.deploy(options);
    await relay.publish('x');
    await relay.deployed.advance({ seconds: 5 });
    expect([relay.requests.length, relay.queued]).toEqual([0, 1]);
    expect(relay.log.join()).toMatch(/is public, where only https may go|must be https, but for a host within/);
  });

  test('sends to a private address that is allowed', async () => {
    const relay = await DeployedRelay.deploy({ url: 'http://10.0.0.5:8080/in', allowedPrivateRanges: ['10.0.0.0/8'] });
    const inside = relay.deployed.aws.endpoint('10.0.0.5');
    await relay.publish('x');
    await relay.settle();
    expect(inside.requests).toMatchObject([{ path: '/in', port: 8_080 }]);
  });

  test.each([
    { what: 'never answers', reply: { kind: 'silence' } as const, gap: 25 },
    { what: 'cannot be reached', reply: { kind: 'silence', unreachable: true } as const, gap: 15 },
    { what: 'fails, and breaks off its answer', reply: response(503, 'a', {}, { ending: 'reset' }), gap: 10 },
    { what: 'fails, and never ends its answer', reply: response(503, 'a', {}, { ending: 'never' }), gap: 25 },
  ])('tries again where the endpoint $what', async ({ reply, gap }) => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply, count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.askedAt.at(-1)).toBe(gap);
    expect(relay.queued).toBe(0);
  });

  test.each([
    { what: 'never ends', ending: 'never', cut: 'no end of the answer within 15000 ms' },
    { what: 'breaks off', ending: 'reset', cut: expect.stringMatching(/^it broke off: /) },
    { what: 'drips for ever', ending: 'endless', cut: 'no end of the answer within 15000 ms' },
  ] as const)('has delivered once the endpoint says 200, though its answer $what', async ({ ending, cut }) => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(200, 'a', {}, { ending }) });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    expect(relay.attempts).toMatchObject([
      { status: 'SUCCESS', delivery: { statusCode: 200 }, relay: { verdict: 'delivered', cut } },
    ]);
    expect(await relay.deadLetters()).toEqual([]);
    expect(relay.queued).toBe(0);
  });

  test('gives up once the endpoint says 410, though its answer breaks off', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410, 'a', {}, { ending: 'reset' }) });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    const [relayMessage] = await relay.deadLetters();
    expect(relayMessage?.attributes).toMatchObject({ DeadLetterCause: 'gone', LastStatusCode: '410' });
  });

  test('has done with an answer of any length after its first 16 KiB', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(200, 'a'.repeat(20_000), {}, { ending: 'endless' }), count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    expect(relay.attempts[0]?.status).toBe('SUCCESS');
    expect(String(relay.attempts[0]?.delivery['providerResponse'])).toHaveLength(1_000);
  });
});
