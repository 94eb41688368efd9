import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type MessageAttributeValue, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { sqsEvent } from '../../../lambda/relay-breaker/relay-client';
import { response } from '../../../local';
import { QUEUE_LIMITS } from '../../../policy/aws-limits';
import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { HOUR_SECONDS } from '../../../policy/time-units';
import { DeployedRelay, POLICY } from './relay-fixture';

/** An endpoint that always fails. */
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
  test('delivers a message once, and reports it', async () => {
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

  test('waits exactly the delays of its policy, without jitter, until the endpoint accepts the message', async () => {
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

  test('makes the retries of all four phases, the first at once, and then dead-letters the message unchanged', async () => {
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
  ])('follows a Retry-After that says $says', async ({ header, waits }) => {
    const relay = await DeployedRelay.deploy({ retryAfterCapSeconds: 120 });
    relay.host.behave({ reply: response(429, '', { 'retry-after': header }), count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.delays).toEqual([waits]);
  });

  test.each([
    { status: 410, cause: 'gone' },
    { status: 422, cause: 'refused' },
  ])('dead-letters a message at once that is answered $status', async ({ status, cause }) => {
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

  test.each([404, 403, 302])('delivers a message that is answered %d for a while', async status => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(status, 'no', { location: 'https://elsewhere.example.com/' }), count: 2 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(3);
    expect(relay.deployed.aws.endpoint('elsewhere.example.com').requests).toEqual([]);
    expect([relay.queued, await relay.deadLetters()]).toEqual([0, []]);
    expect([await relay.metric('FailedAttempts'), await relay.metric('ClientErrors')]).toEqual([2, 2]);
  });

  test('does not follow a redirect to the credentials of an AWS host', async () => {
    const relay = await DeployedRelay.deploy();
    const location = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';
    relay.host.behave({ reply: response(307, '', { location }) });
    await relay.publish('x');
    await relay.settle();
    expect(relay.deployed.aws.endpoint('169.254.169.254').requests).toEqual([]);
    expect((await relay.deadLetters())[0]?.attributes['DeadLetterCause']).toBe('retries-spent');
  });

  test('does not send while a name resolves to a private address, and sends after the name is fixed', async () => {
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
    'dead-letters a message for %s',
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
  ])('sends nothing over plain http to a $what, and keeps the message', async ({ what: _what, ...options }) => {
    const relay = await DeployedRelay.deploy(options);
    await relay.publish('x');
    await relay.deployed.advance({ seconds: 5 });
    expect([relay.requests.length, relay.queued]).toEqual([0, 1]);
    expect(relay.log.join()).toMatch(/is public, and only https may go there|must be https, but for a host within/);
  });

  test('sends to a private address that is allowed', async () => {
    const relay = await DeployedRelay.deploy({
      url: 'http://10.0.0.5:8080/in',
      allowedPrivateRanges: ['10.0.0.0/8'],
    });
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
  ])('retries if the endpoint $what', async ({ reply, gap }) => {
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

  test('dead-letters a message once the endpoint says 410, though its answer breaks off', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410, 'a', {}, { ending: 'reset' }) });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    const [relayMessage] = await relay.deadLetters();
    expect(relayMessage?.attributes).toMatchObject({ DeadLetterCause: 'gone', LastStatusCode: '410' });
  });

  test('reads only the first 16 KiB of an answer of any length', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(200, 'a'.repeat(20_000), {}, { ending: 'endless' }), count: 1 });
    await relay.publish('x');
    await relay.settle();
    expect(relay.requests).toHaveLength(1);
    expect(relay.attempts[0]?.status).toBe('SUCCESS');
    expect(String(relay.attempts[0]?.delivery['providerResponse'])).toHaveLength(1_000);
  });
});

/** The attributes with which the relay explains a refused message, most important first. */
const REASONS = [
  'DeadLetterCause',
  'DeadLetterReason',
  'AttemptsSpent',
  'LastStatusCode',
  'Destination',
  'SentAt',
  'FirstReceivedAt',
  'DeadLetteredAt',
];

const MAX_BYTES = QUEUE_LIMITS.messageBytes.max;

/** A notification of this many bytes, as a user may send it directly. */
function notificationOf(bytes: number): string {
  const written = (Message: string) =>
    JSON.stringify({ Type: 'Notification', MessageId: 'by-hand', TopicArn: 'arn:aws:sns:x', Message, Timestamp: '' });
  return written('x'.repeat(bytes - written('').length));
}

/** Sends a message that the endpoint refuses. Returns the dead letter, and the relay's log line about it. */
async function refused(MessageBody: string, MessageAttributes: Record<string, MessageAttributeValue> = {}) {
  const relay = await DeployedRelay.deploy();
  relay.host.behave({ reply: response(422) });
  const message = { QueueUrl: relay.deployed.ref('Queue'), MessageBody, MessageAttributes };
  await relay.deployed.sqs.send(new SendMessageCommand(message));
  await relay.settle();
  const relayMessages = await relay.deadLetters();
  expect(relayMessages.map(({ body }) => body)).toEqual([MessageBody]);
  expect(relay.queued).toBe(0);
  return { attributes: relayMessages[0]?.attributes, lines: relay.lines };
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html: at most ten, and in the message's size. */
describe('A dead letter of the relay', () => {
  test('of the maximum size carries no reason, and the log has it', async () => {
    const { attributes, lines } = await refused(notificationOf(MAX_BYTES));
    expect(attributes).toEqual({});
    expect(lines).toMatchObject([
      { message: 'dead-lettered', cause: 'refused', lastStatusCode: 422, omitted: REASONS },
    ]);
  });

  test('with little room carries the most important parts of the reason', async () => {
    const room = 'DeadLetterCause'.length + 'String'.length + 'refused'.length;
    const { attributes, lines } = await refused(notificationOf(MAX_BYTES - room));
    expect(attributes).toEqual({ DeadLetterCause: 'refused' });
    expect(lines).toMatchObject([{ message: 'dead-lettered', omitted: REASONS.slice(1) }]);
  });

  test('that came with ten attributes keeps the two of them that fit next to the reason', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `own${index}`);
    const own = names.map(name => [name, { DataType: 'String', StringValue: name }]);
    const { attributes = {}, lines } = await refused(notificationOf(1_000), Object.fromEntries(own));
    expect(Object.keys(attributes).sort()).toEqual([...REASONS, 'own0', 'own1'].sort());
    expect(lines).toMatchObject([{ message: 'dead-lettered', omitted: names.slice(2) }]);
  });

  test('is sent without its attributes if the dead-letter queue finds them too large', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410) });
    const { deployed } = relay;
    const Attributes = { MaximumMessageSize: '1024' };
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl: deployed.ref('Dead'), Attributes }));
    const body = notificationOf(1_000);
    await deployed.send('Queue', body);
    await relay.settle();
    expect(await relay.deadLetters()).toMatchObject([{ body, attributes: {} }]);
    expect(relay.lines).toMatchObject([{ message: 'dead-lettered', cause: 'gone' }]);
    expect(relay.queued).toBe(0);
  });

  test('stays in the relay’s queue while the dead-letter queue finds its body too large', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410) });
    const { deployed } = relay;
    const Attributes = { MaximumMessageSize: '1024' };
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl: deployed.ref('Dead'), Attributes }));
    await deployed.send('Queue', notificationOf(1_025));
    await deployed.advance({ minutes: 4 });
    expect(await relay.deadLetters()).toEqual([]);
    expect(relay.queued).toBe(1);
    expect(relay.lines).toMatchObject([{ level: 'ERROR', message: expect.stringContaining('did not take') }]);
  });

  test('is retried with growing delays while the dead-letter queue refuses it, is counted each time, and arrives after the fix', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(422) });
    const { deployed } = relay;
    const fault = deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: deployed.arn('Dead') });
    await relay.publish('x');
    await deployed.advance({ hours: 24 });
    const delays = relay.delays.map(Math.round);
    expect(delays.slice(0, 4)).toEqual([300, 300, 300, 300]);
    expect(delays).toEqual([...delays].sort((one, other) => one - other));
    expect(delays.at(-1)).toBe(3_600);
    const deadLetteringFailed = relay.requests.length;
    expect(await relay.metric('DeadLetteringFailed')).toBe(deadLetteringFailed);
    fault.end();
    await relay.settle();
    expect(await relay.deadLetters()).toMatchObject([{ attributes: { DeadLetterCause: 'refused' } }]);
    expect([relay.requests.length, await relay.metric('DeadLetteringFailed'), relay.queued]).toEqual([
      deadLetteringFailed + 1,
      deadLetteringFailed,
      0,
    ]);
  });
});

/** Retries with delays of ten minutes. */
const EVERY_TEN_MINUTES = { ...POLICY, minDelayTarget: 600, maxDelayTarget: 600, numRetries: 20 };

const secondsSinceStart = (iso: string | Uint8Array | undefined) =>
  (Date.parse(String(iso)) - Date.parse('2026-01-01T00:00:00.000Z')) / 1_000;

describe('A relay whose queue is about to expire a message', () => {
  test('dead-letters it after the last attempt that fits, counted from when the queue got it, and says when that was', async () => {
    const retentionSeconds = 3 * HOUR_SECONDS;
    const relay = await DeployedRelay.deploy({ retryPolicy: EVERY_TEN_MINUTES, retentionSeconds });
    relay.host.behave({ reply: response(503) });
    await relay.disable();
    await relay.deployed.advance({ minutes: 1 });
    const sentAt = relay.deployed.seconds;
    await relay.publish('x');
    // Time that a message waits in the queue without being received uses up no attempt.
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
      DeadLetterReason: expect.stringContaining('the queue would delete the message before the next retry'),
    });
    const { SentAt, FirstReceivedAt, DeadLetteredAt } = relayMessage?.attributes ?? {};
    expect([SentAt, FirstReceivedAt, DeadLetteredAt].map(secondsSinceStart)).toEqual([sentAt, first, last]);
    expect(relay.queued).toBe(0);
  });

  test('measures the lateness of the first attempt from when the queue got the message', async () => {
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

describe('A message whose secret cannot be read', () => {
  /** Returns the attributes of a message that was given up without any request. */
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

  test('is dead-lettered with its last retry, without an attempt, and the dead letter names the secret', async () => {
    const attributes = await given(POLICY, 10 * HOUR_SECONDS);
    // The attempts that were due before the last one count as used, so only the last was left.
    expect(attributes).toMatchObject({ DeadLetterCause: 'retries-spent', AttemptsSpent: String(POLICY.numRetries) });
  });

  test('is dead-lettered before its queue expires it, although retries are left', async () => {
    const attributes = await given(EVERY_TEN_MINUTES, 3 * HOUR_SECONDS);
    expect(attributes).toMatchObject({ DeadLetterCause: 'retention-spent' });
    const { AttemptsSpent, SentAt, DeadLetteredAt } = attributes ?? {};
    expect(Number(AttemptsSpent)).toBeGreaterThan(1);
    expect(Number(AttemptsSpent)).toBeLessThan(EVERY_TEN_MINUTES.numRetries);
    expect(secondsSinceStart(SentAt)).toBe(0);
    expect(secondsSinceStart(DeadLetteredAt)).toBeLessThan(3 * HOUR_SECONDS);
  });
});

const RETENTION_SECONDS = 864_000;

/** Deploys a stopped relay, with messages that are about to expire. */
async function stoppedRelay(fifo: boolean, bodies: readonly string[]): Promise<DeployedRelay> {
  const relay = await DeployedRelay.deploy({ disabled: true, retentionSeconds: RETENTION_SECONDS, fifo });
  for (const body of bodies) await relay.publish(body);
  await relay.settle();
  return relay;
}

/** Makes the relay give up its messages, as its breaker does. */
async function giveUp({ deployed }: DeployedRelay) {
  const messages = await deployed.receive('Queue');
  const Payload = JSON.stringify({ ...sqsEvent(messages, deployed.arn('Queue')), expiring: true });
  const client = new LambdaClient(deployed.aws.clientConfig());
  const invoked = client.send(new InvokeCommand({ FunctionName: deployed.ref('Function'), Payload }));
  await deployed.advance({ minutes: 1 });
  const { Payload: answer = [] } = await invoked;
  return { messages, answer: JSON.parse(Buffer.from(answer).toString('utf8')) };
}

describe.each([false, true])('A relay that the breaker asks to dead-letter messages (fifo: %p)', fifo => {
  test('does so without an attempt, and says why and when they would have expired', async () => {
    const relay = await stoppedRelay(fifo, ['order-1', 'order-2']);
    const { messages, answer } = await giveUp(relay);
    expect(messages).toHaveLength(2);
    expect(answer).toMatchObject({ batchItemFailures: [], attempts: 0, dead: 2, failedAttempts: 0 });
    expect(relay.requests).toEqual([]);
    const relayMessages = await relay.deadLetters();
    expect(relayMessages.map(({ body }) => JSON.parse(body).Message)).toEqual(['order-1', 'order-2']);
    const sentAtMs = Number(messages[0]?.Attributes?.['SentTimestamp']);
    const until = new Date(sentAtMs + 1_000 * RETENTION_SECONDS).toISOString().slice(0, 16);
    const reason = `^the relay was stopped because its endpoint failed, and the queue would delete the message at ${until}`;
    for (const { attributes } of relayMessages) {
      expect(attributes).toMatchObject({
        DeadLetterCause: 'retention-spent',
        DeadLetterReason: expect.stringMatching(reason),
      });
    }
  });

  test('keeps the messages that the dead-letter queue refuses', async () => {
    const relay = await stoppedRelay(fifo, ['order-1']);
    relay.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: relay.deployed.arn('Dead') });
    const { messages, answer } = await giveUp(relay);
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: messages[0]?.MessageId }]);
    expect([relay.requests, relay.queued]).toEqual([[], 1]);
  });
});

test('Whole seconds: a message that a relay hides is visible no sooner than the endpoint asked for, even in a slow batch', async () => {
  const relay = await DeployedRelay.deploy();
  await relay.disable();
  await relay.deployed.advance({ minutes: 1 });
  const busy = response(503, '', { 'retry-after': '20' }, { latencyMs: 250 });
  relay.host.behave(
    { reply: busy, count: 1 },
    { reply: response(200, '', {}, { latencyMs: 600 }), count: 1 },
    { reply: response(503), count: 1 },
  );
  await relay.publish('busy');
  await relay.publish('slow');
  await relay.enable();
  await relay.settle();
  const [first = Number.NaN, beside = Number.NaN, second = Number.NaN, third = Number.NaN] = relay.askedAt;
  expect(beside - first).toBeLessThan(0.25);
  // SQS hides messages for whole seconds only, and this request is made some time after the answer.
  expect(second - first).toBeGreaterThanOrEqual(0.25 + 20);
  expect(third - second).toBeGreaterThanOrEqual(20);
  expect(relay.requests).toHaveLength(4);
  // Each receive is the next attempt: no attempt is repeated because a message came back early.
  const attemptsOf = (bodies: string) =>
    relay.attempts.filter(({ notification }) => bodies.includes(String(notification['messageId'])));
  expect(attemptsOf(relay.bodies[0] ?? '').map(({ delivery }) => delivery['attempts'])).toEqual([1, 2, 3]);
  expect(relay.queued).toBe(0);
});
