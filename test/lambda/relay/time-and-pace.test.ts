import { spawnSync } from 'node:child_process';
import { response, silence } from '../../../local';
import { BUNDLE, DeployedRelay, NO_RETRIES, POLICY } from './relay-fixture';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** The most requests within any stretch of so many milliseconds, its end not included. */
function mostWithin(ms: number, { requests }: DeployedRelay): number {
  const isWithin = (fromMs: number, atMs: number) => atMs >= fromMs && atMs < fromMs + ms;
  return Math.max(...requests.map(from => requests.filter(({ atMs }) => isWithin(from.atMs, atMs)).length));
}

describe('a relay whose time runs out', () => {
  test('hands back untried what it has no time for, and tries it in the next invocation', async () => {
    const relay = await DeployedRelay.deploy({ functionTimeoutSeconds: 44, paceMs: 5_000, windowSeconds: 1 });
    for (const index of range(10)) await relay.publish(String(index));
    await relay.settle();
    expect(relay.requests).toHaveLength(10);
    // 44 s less 15 s for a request and 12 s to end: requests may begin until 17 s, so at 5, 10 and 15.
    expect(relay.askedAt.slice(0, 3).map(at => at - (relay.askedAt[0] ?? 0))).toEqual([0, 5, 10]);
    expect(await relay.metric('HandedBack')).toBeGreaterThanOrEqual(7);
    expect([await relay.metric('Delivered'), await relay.metric('Dead'), relay.queued]).toEqual([10, 0, 0]);
  });

  test('spends no attempt by handing back: each message is tried as often as its policy says', async () => {
    const relay = await DeployedRelay.deploy({
      functionTimeoutSeconds: 40,
      paceMs: 5_000,
      windowSeconds: 1,
      retryPolicy: { ...POLICY, minDelayTarget: 60, maxDelayTarget: 60, numRetries: 2 },
    });
    relay.host.behave({ reply: response(503) });
    for (const index of range(6)) await relay.publish(String(index));
    await relay.settle();
    const relayMessages = await relay.deadLetters();
    expect(relayMessages).toHaveLength(6);
    expect(new Set(relayMessages.map(({ attributes }) => attributes['AttemptsSpent']))).toEqual(new Set(['3']));
    expect(await relay.metric('HandedBack')).toBeGreaterThan(0);
    expect(relay.requests).toHaveLength(18);
  });

  test('skips immediate retries for which no time is left, and goes on with the delayed ones', async () => {
    const retryPolicy = { ...POLICY, numRetries: 5, numNoDelayRetries: 3, maxDelayTarget: 10 };
    const relay = await DeployedRelay.deploy({ functionTimeoutSeconds: 30, retryPolicy });
    relay.host.behave({ reply: silence() });
    await relay.publish('x');
    await relay.settle();
    expect(relay.askedAt).toEqual([0, 25, 50]);
    expect((await relay.deadLetters())[0]?.attributes).toMatchObject({
      DeadLetterCause: 'retries-spent',
      AttemptsSpent: '6',
    });
  });

  test('does the same again where its policy has no delayed ones', async () => {
    const retryPolicy = { ...POLICY, numRetries: 1, numNoDelayRetries: 1 };
    const relay = await DeployedRelay.deploy({ functionTimeoutSeconds: 30, retryPolicy });
    relay.host.behave({ reply: silence(), count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.askedAt).toEqual([0, 15]);
    expect(relay.queued).toBe(0);
  });

  test('spends no attempt while its mapping is disabled', async () => {
    const relay = await DeployedRelay.deploy({ retryPolicy: { ...POLICY, numRetries: 1 } });
    relay.host.behave({ reply: response(503), count: 1 });
    await relay.publish('x');
    await relay.deployed.advance({ seconds: 5 });
    await relay.disable();
    await relay.deployed.advance({ hours: 3 });
    expect(relay.requests).toHaveLength(1);
    await relay.enable();
    await relay.settle();
    expect(relay.requests).toHaveLength(2);
    expect(relay.queued).toBe(0);
    expect(await relay.metric('Delivered')).toBe(1);
  });
});

describe('the pace of a relay', () => {
  test.each([
    { maxConcurrency: 2, perSecond: 1 },
    { maxConcurrency: 5, perSecond: 10 },
    { maxConcurrency: 3, perSecond: 30 },
  ])(
    'is a ceiling: $perSecond a second with $maxConcurrency invocations side by side',
    async ({ maxConcurrency, perSecond }) => {
      const paceMs = (1_000 * maxConcurrency) / perSecond;
      const relay = await DeployedRelay.deploy({
        maxConcurrency,
        paceMs,
        retryPolicy: { ...NO_RETRIES, numRetries: 1, numNoDelayRetries: 1 },
      });
      relay.host.behave({ reply: response(503), count: 20 });
      for (const index of range(60)) await relay.publish(String(index));
      await relay.settle();
      expect(relay.requests.length).toBeGreaterThanOrEqual(60);
      expect(relay.queued).toBe(0);
      // Each of the invocations has its turns of its own.
      expect(mostWithin(paceMs, relay)).toBeLessThanOrEqual(maxConcurrency);
      const lastedSeconds = Math.max(...relay.askedAt) - Math.min(...relay.askedAt);
      expect(relay.requests.length - maxConcurrency).toBeLessThanOrEqual(lastedSeconds * perSecond);
    },
  );
});

describe('a relay that breaks', () => {
  test('leaves a message in the queue for which there can be no request, and says why', async () => {
    const relay = await DeployedRelay.deploy({ contentType: 'text/plain\r\nX-Injected: 1', visibilitySeconds: 60 });
    await relay.publish('x');
    await relay.deployed.advance({ minutes: 2 });
    expect(relay.requests).toEqual([]);
    expect(relay.queued).toBe(1);
    expect(relay.lines[0]).toMatchObject({ level: 'ERROR', message: 'the relay itself failed', receiveCount: 1 });
    expect(await relay.metric('Broken')).toBe(relay.lines.length);
    expect(await relay.metric('Untried')).toBe(0);
    expect(relay.deployed.happened('lambda.finished').map(({ outcome }) => outcome)).toContain('success');
  });

  test.each([
    { how: 'exit', afterRequests: 1 },
    { how: 'out-of-memory', afterRequests: 1 },
    { how: 'timeout', afterRequests: 1 },
    { how: 'exit', afterRequests: 2 },
    { how: 'timeout', afterRequests: 2 },
  ] as const)(
    'has each message delivered or dead after all: $how behind request $afterRequests',
    async interruption => {
      const relay = await DeployedRelay.deploy({ visibilitySeconds: 60 });
      relay.host.behave({ reply: response(410), count: 1 });
      const functionName = relay.deployed.ref('Function');
      relay.deployed.aws.interruptions.set({ functionName, ...interruption });
      await relay.publish('x');
      await relay.settle();
      expect(relay.queued).toBe(0);
      const dead = (await relay.deadLetters()).length;
      const taken = await relay.metric('Delivered');
      // Behind the second request it had been sent to the dead-letter queue, and then was tried once more.
      expect([dead, taken]).toEqual(interruption.afterRequests === 1 ? [0, 1] : [1, 1]);
    },
  );

  test('does not load without its settings, and shows none of what it got in their place', () => {
    const load = (settings: string) => {
      const env = { PATH: process.env['PATH'], AWS_REGION: 'us-east-1', RELAY_SETTINGS: settings };
      return spawnSync(process.execPath, ['-e', `require(${JSON.stringify(BUNDLE)})`], { env, encoding: 'utf8' });
    };
    for (const settings of ['', 'hunter2', '[]', '{}']) {
      const { status, stderr } = load(settings);
      expect(status).toBe(1);
      expect(stderr).toContain('RELAY_SETTINGS');
      expect(stderr).not.toContain('hunter2');
    }
  });
});
