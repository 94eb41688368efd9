import { spawnSync } from 'node:child_process';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { RESERVE_MS } from '../../../lambda/relay/invocation';
import { relayQueues } from '../../../lambda/relay/queues';
import { MAX_TOKEN_MS, TOKEN_LIMITS } from '../../../lambda/shared/access-token';
import { SQS_CLIENT_CONFIG } from '../../../lambda/shared/queue-calls';
import { noAnswer, response, silence } from '../../../local';
import { reserveSeconds } from '../../../policy/relay/relay-invocation';
import { ALWAYS_ALLOWED_SECONDS } from '../../../policy/relay/relay-limits';
import { HOUR_SECONDS } from '../../../policy/time-units';
import { Deployed } from '../../support/deployed';
import { BUNDLE, DeployedRelay, NO_RETRIES, POLICY } from './relay-fixture';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const FORBIDDEN = { service: 'sqs', httpStatus: 403, code: 'AccessDenied' } as const;

/** The message within each envelope that arrived. */
const messagesOf = ({ bodies }: DeployedRelay): readonly string[] => bodies.map(body => JSON.parse(body).Message);

/** A notification as a user may write it by hand. */
const withOddId = (MessageId: string): string =>
  JSON.stringify({ Type: 'Notification', MessageId, TopicArn: 'arn:aws:sns:x', Message: 'x', Timestamp: '' });

describe('a batch of a relay', () => {
  test('is sent concurrently, so that a slow answer delays no other message', async () => {
    const relay = await DeployedRelay.deploy({ windowSeconds: 1 });
    relay.host.behave({ reply: response(200, '', {}, { latencyMs: 14_000 }) });
    for (const index of range(10)) await relay.publish(String(index));
    await relay.settle();
    expect(relay.deployed.happened('lambda.invoked')).toHaveLength(1);
    expect(relay.requests).toHaveLength(10);
    expect(new Set(relay.askedAt).size).toBe(1);
    expect(await relay.metric('Delivered')).toBe(10);
  });

  test('dead-letters the one message of ten that the endpoint refuses, and no other', async () => {
    const relay = await DeployedRelay.deploy({ windowSeconds: 1 });
    relay.host.behave({ reply: response(200), count: 4 }, { reply: response(422), count: 1 });
    for (const index of range(10)) await relay.publish(String(index));
    await relay.settle();
    expect(relay.requests).toHaveLength(10);
    expect([await relay.metric('Delivered'), await relay.metric('Dead')]).toEqual([9, 1]);
    const relayMessages = await relay.deadLetters();
    expect(relayMessages.map(({ body }) => body)).toEqual([relay.bodies[4]]);
    expect(relay.queued).toBe(0);
  });

  test('counts a delay from the failed attempt, however long the others take', async () => {
    const relay = await DeployedRelay.deploy({ windowSeconds: 1 });
    relay.host.behave({ reply: response(503), count: 1 }, { reply: { kind: 'silence' }, count: 1 });
    await relay.publish('fails at once');
    await relay.publish('never answers');
    await relay.settle();
    const [first = 0, , ...retried] = relay.askedAt;
    // Lambda gathers each batch for one second. The batches are due after 10 s and, behind a timeout of 15 s, after 25 s.
    expect(retried.map(at => at - first)).toEqual([15 + 1, 25 + 1]);
    expect(relay.queued).toBe(0);
  });

  test.each([
    { what: 'no JSON', body: '{"Type":', reason: 'is not JSON' },
    { what: 'no object', body: '"x"', reason: 'is not a JSON object' },
    { what: 'no envelope', body: '{"order":1}', reason: 'without a Type' },
    { what: 'null', body: 'null', reason: 'is not a JSON object' },
    { what: 'deep', body: `${'['.repeat(50_000)}${']'.repeat(50_000)}`, reason: 'is not' },
    { what: 'of an id that can be no header', body: withOddId('a\r\nX-Injected: 1'), reason: 'a valid MessageId' },
    { what: 'a request to confirm', body: '{"Type":"SubscriptionConfirmation"}', reason: 'SubscriptionConfirmation' },
  ])('gives up what is $what, unchanged and untried, and delivers the rest', async ({ body, reason }) => {
    const relay = await DeployedRelay.deploy({ windowSeconds: 1 });
    await relay.publish('before');
    await relay.deployed.send('Queue', body);
    await relay.publish('after');
    await relay.settle();
    expect([...messagesOf(relay)].sort()).toEqual(['after', 'before']);
    const [relayMessage, ...others] = await relay.deadLetters();
    expect(others).toEqual([]);
    expect(relayMessage?.body).toBe(body);
    expect(relayMessage?.attributes).toMatchObject({ DeadLetterCause: 'not-an-envelope', AttemptsSpent: '0' });
    expect(relayMessage?.attributes['DeadLetterReason']).toContain(reason);
    expect(relay.queued).toBe(0);
  });

  test('leaves a message to the queue’s own visibility timeout if it cannot set one', async () => {
    const relay = await DeployedRelay.deploy({ visibilitySeconds: 90 });
    relay.host.behave({ reply: response(503), count: 1 });
    const { faults } = relay.deployed.aws;
    faults.set({ ...FORBIDDEN, action: 'ChangeMessageVisibilityBatch', resource: relay.deployed.arn('Queue') });
    await relay.publish('x');
    await relay.settle();
    expect(relay.askedAt).toEqual([0, 90]);
    expect(relay.queued).toBe(0);
    expect(relay.lines).toMatchObject([{ level: 'ERROR', message: expect.stringContaining('visibility timeout') }]);
  });

  test('sets a visibility timeout at the SDK’s own retry if SQS fails once', async () => {
    const relay = await DeployedRelay.deploy({ visibilitySeconds: 90 });
    relay.host.behave({ reply: response(503), count: 1 });
    const failure = { service: 'sqs', httpStatus: 503, code: 'ServiceUnavailable', latencyMs: 1_000 } as const;
    relay.deployed.aws.faults.set({ ...failure, action: 'ChangeMessageVisibilityBatch', forMs: 500 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(2);
    expect(Math.floor(relay.delays[0] ?? 0)).toBe(11);
    expect(relay.lines).toEqual([]);
  });

  test('tries twice to set a visibility timeout if SQS fails, and no more often', async () => {
    const relay = await DeployedRelay.deploy({ visibilitySeconds: 90 });
    relay.host.behave({ reply: response(503), count: 1 });
    const { aws } = relay.deployed;
    const action = 'ChangeMessageVisibilityBatch';
    aws.faults.set({ service: 'sqs', httpStatus: 503, code: 'ServiceUnavailable', action, forMs: 30_000 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.askedAt).toEqual([0, 90]);
    expect(relay.lines).toMatchObject([{ level: 'ERROR', message: expect.stringContaining('visibility timeout') }]);
  });

  test('measures how long requests take, and how late they start', async () => {
    const relay = await DeployedRelay.deploy({ visibilitySeconds: 90 });
    relay.host.behave(
      { reply: noAnswer('ECONNREFUSED'), count: 1 },
      { reply: response(200, '', {}, { latencyMs: 250 }) },
    );
    const { faults } = relay.deployed.aws;
    faults.set({ ...FORBIDDEN, action: 'ChangeMessageVisibilityBatch', forMs: 1_000 });
    await relay.publish('x');
    await relay.settle();
    // The retry was due after 10 s. It came after the queue's visibility timeout, 80 s late.
    expect(relay.attempts.map(it => it.relay['latenessMs'])).toEqual([0, 80_000]);
    expect(relay.attempts.map(it => it.relay['latencyMs'])).toEqual([0, 250]);
    expect([await relay.metric('Latency'), await relay.metric('Lateness')]).toEqual([250, 80_000]);
    expect(await relay.metric('FailedAttempts')).toBe(1);
  });
});

describe('a batch of a FIFO relay', () => {
  const FIFO = { fifo: true } as const;

  test('keeps each group in order while one of its messages is retried, and delays no other group', async () => {
    const relay = await DeployedRelay.deploy({ ...FIFO, functionTimeoutSeconds: 30 });
    relay.host.behave({ reply: response(503), count: 2 });
    for (const index of range(4)) await relay.publish(`a${index}`, 'a');
    await relay.deployed.advance({ seconds: 1 });
    for (const index of range(3)) await relay.publish(`b${index}`, 'b');
    await relay.settle();
    const taken = messagesOf(relay).slice(2);
    expect(taken.filter(it => it.startsWith('a'))).toEqual(['a0', 'a1', 'a2', 'a3']);
    expect(taken.filter(it => it.startsWith('b'))).toEqual(['b0', 'b1', 'b2']);
    expect(relay.queued).toBe(0);
  });

  test('continues with the next message of a group once the one before it is dead-lettered', async () => {
    const relay = await DeployedRelay.deploy(FIFO);
    relay.host.behave({ reply: response(400), count: 1 });
    for (const index of range(3)) await relay.publish(String(index));
    await relay.settle();
    expect(messagesOf(relay)).toEqual(['0', '1', '2']);
    const [relayMessage] = await relay.deadLetters();
    expect(relayMessage?.body).toBe(relay.bodies[0]);
    expect(relayMessage?.system).toMatchObject({ MessageGroupId: 'g' });
  });

  test('returns the messages behind a failed one without an attempt', async () => {
    const relay = await DeployedRelay.deploy({ ...FIFO, batchSize: 10 });
    relay.host.behave({ reply: response(503, '', {}, { latencyMs: 5_000 }) });
    for (const index of range(4)) await relay.publish(String(index));
    await relay.deployed.advance({ seconds: 8 });
    relay.host.behave();
    await relay.settle();
    const messages = messagesOf(relay);
    expect(messages.filter((it, index) => messages.indexOf(it) === index)).toEqual(['0', '1', '2', '3']);
    expect(messages.slice(-4)).toEqual(['0', '1', '2', '3']);
    expect(relay.queued).toBe(0);
  });

  test('sends a message that fails twice to its dead-letter queue twice, though SQS drops repetitions', async () => {
    const relay = await DeployedRelay.deploy(FIFO);
    // The endpoint is slow, so that the move ends before the message is dead-lettered again.
    relay.host.behave({ reply: response(400, '', {}, { latencyMs: 10_000 }) });
    await relay.publish('x');
    await relay.deployed.advance({ minutes: 1 });
    await relay.moveBack();
    await relay.settle();
    expect(relay.requests).toHaveLength(2);
    expect(await relay.deadLetters()).toHaveLength(1);
    expect(relay.queued).toBe(0);
  });
});

describe('time and ceiling', () => {
  const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

  /** Returns the highest number of requests within any interval of this many milliseconds, without its end. */
  function mostWithin(ms: number, { requests }: DeployedRelay): number {
    const isWithin = (fromMs: number, atMs: number) => atMs >= fromMs && atMs < fromMs + ms;
    return Math.max(...requests.map(from => requests.filter(({ atMs }) => isWithin(from.atMs, atMs)).length));
  }

  describe('A relay whose invocation runs out of time', () => {
    test('returns untried messages, and tries them in the next invocation', async () => {
      const relay = await DeployedRelay.deploy({ functionTimeoutSeconds: 44, paceMs: 5_000, windowSeconds: 1 });
      for (const index of range(10)) await relay.publish(String(index));
      await relay.settle();
      expect(relay.requests).toHaveLength(10);
      // 44 s less 15 s for a request and 12 s to finish is 17 s. So requests may begin at 5, 10 and 15 s.
      expect(relay.askedAt.slice(0, 3).map(at => at - (relay.askedAt[0] ?? 0))).toEqual([0, 5, 10]);
      expect(await relay.metric('HandedBack')).toBeGreaterThanOrEqual(7);
      expect([await relay.metric('Delivered'), await relay.metric('Dead'), relay.queued]).toEqual([10, 0, 0]);
    });

    test('counts no attempt for a returned message: each is tried as often as its policy says', async () => {
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

    test('skips immediate retries for which no time is left, and continues with the delayed ones', async () => {
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

    test('does the same if its policy has no delayed ones', async () => {
      const retryPolicy = { ...POLICY, numRetries: 1, numNoDelayRetries: 1 };
      const relay = await DeployedRelay.deploy({ functionTimeoutSeconds: 30, retryPolicy });
      relay.host.behave({ reply: silence(), count: 1 });
      await relay.publish('x');
      await relay.settle();
      expect(relay.askedAt).toEqual([0, 15]);
      expect(relay.queued).toBe(0);
    });

    test('counts no attempt while its mapping is disabled', async () => {
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

  test.each([
    { maxConcurrency: 2, perSecond: 1 },
    { maxConcurrency: 5, perSecond: 10 },
    { maxConcurrency: 3, perSecond: 30 },
  ])(
    'the ceiling of a relay holds: $perSecond a second with $maxConcurrency invocations at a time',
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
      // Each invocation has its own pace.
      expect(mostWithin(paceMs, relay)).toBeLessThanOrEqual(maxConcurrency);
      const lastedSeconds = Math.max(...relay.askedAt) - Math.min(...relay.askedAt);
      expect(relay.requests.length - maxConcurrency).toBeLessThanOrEqual(lastedSeconds * perSecond);
    },
  );

  describe('A relay that fails', () => {
    test('leaves a message in the queue for which it cannot make a request, and says why', async () => {
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
      { how: 'exit', afterRequests: 2 },
    ] as const)(
      'delivers or dead-letters each message in the end: $how behind request $afterRequests',
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
        // After the second request, the message was already in the dead-letter queue. It was then tried again.
        expect([dead, taken]).toEqual(interruption.afterRequests === 1 ? [0, 1] : [1, 1]);
      },
    );

    test('does not load without its settings, and does not show the values that it got instead', () => {
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
});

/** Returns a message that was received an hour ago, and a function that hides it. */
async function heldForAnHour() {
  const deployed = await Deployed.stack(stack => {
    new Queue(stack, 'Queue', { visibilityTimeout: Duration.seconds(5_400), retentionPeriod: Duration.days(10) });
  });
  const QueueUrl = deployed.ref('Queue');
  await deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
  const receive = async () => (await deployed.sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages ?? [];
  const [{ MessageId: messageId = '', ReceiptHandle: receiptHandle = '' } = {}] = await receive();
  await deployed.advance({ hours: 1 });
  const { changeVisibility } = relayQueues(deployed.sqs, { queueUrl: QueueUrl, deadLetterQueueUrl: '', fifo: false });
  return {
    deployed,
    receive,
    hideFor: (seconds: number) => changeVisibility([{ messageId, receiptHandle, seconds }]),
  };
}

// aws-semantics.md section 7: SQS hides a message for at most twelve hours after its receive, and refuses more.
describe('A message that a relay hides an hour after its receive', () => {
  test('is hidden for the requested time if that ends within twelve hours of its receive', async () => {
    const { deployed, receive, hideFor } = await heldForAnHour();
    expect(await hideFor(11 * HOUR_SECONDS)).toEqual(new Map());
    await deployed.advance({ seconds: 11 * HOUR_SECONDS - 1 });
    expect(await receive()).toEqual([]);
    await deployed.advance({ seconds: 1 });
    expect(await receive()).toHaveLength(1);
  });

  test('is hidden for as long as SQS allows, and not for the hour and a half of its queue', async () => {
    const { deployed, receive, hideFor } = await heldForAnHour();
    expect(await hideFor(11 * HOUR_SECONDS + 1)).toEqual(new Map());
    await deployed.advance({ seconds: ALWAYS_ALLOWED_SECONDS - 1 });
    expect(await receive()).toEqual([]);
    await deployed.advance({ seconds: 1 });
    expect(await receive()).toHaveLength(1);
  });
});

describe('the time that an invocation reserves for SQS', () => {
  test('covers sending a dead letter, hiding a message, and one retry of both, at their slowest', () => {
    const { maxAttempts, requestHandler } = SQS_CLIENT_CONFIG;
    expect(RESERVE_MS).toBeGreaterThan(3 * maxAttempts * requestHandler.requestTimeout);
  });

  test('fits into the timeout of the construct next to its requests, with seconds left for secrets', () => {
    expect(RESERVE_MS).toBeLessThanOrEqual((reserveSeconds({}) - 3) * 1_000);
  });

  test('covers an access token, before the first attempt and instead of a refused one', () => {
    const neededMs = RESERVE_MS + TOKEN_LIMITS.totalTimeoutMs + MAX_TOKEN_MS;
    expect(neededMs).toBeLessThanOrEqual((reserveSeconds({ hasAccessToken: true }) - 3) * 1_000);
  });
});
