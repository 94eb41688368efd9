import { noAnswer, response } from '../../../local';
import { DeployedRelay } from './relay-fixture';

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const FORBIDDEN = { service: 'sqs', httpStatus: 403, code: 'AccessDenied' } as const;

/** The message within each envelope that arrived. */
const messagesOf = ({ bodies }: DeployedRelay): readonly string[] => bodies.map(body => JSON.parse(body).Message);

/** As somebody may make a notification by hand. */
const withOddId = (MessageId: string): string =>
  JSON.stringify({ Type: 'Notification', MessageId, TopicArn: 'arn:aws:sns:x', Message: 'x', Timestamp: '' });

describe('a batch of a relay', () => {
  test('is sent side by side, so that one slow answer holds up none of the others', async () => {
    const relay = await DeployedRelay.deploy({ windowSeconds: 1 });
    relay.host.behave({ reply: response(200, '', {}, { latencyMs: 14_000 }) });
    for (const index of range(10)) await relay.publish(String(index));
    await relay.settle();
    expect(relay.deployed.happened('lambda.invoked')).toHaveLength(1);
    expect(relay.requests).toHaveLength(10);
    expect(new Set(relay.askedAt).size).toBe(1);
    expect(await relay.metric('Delivered')).toBe(10);
  });

  test('loses one message of ten to what the endpoint says of it, and no other', async () => {
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

  test('counts a delay from the attempt that failed, however long the others take', async () => {
    const relay = await DeployedRelay.deploy({ windowSeconds: 1 });
    relay.host.behave({ reply: response(503), count: 1 }, { reply: { kind: 'silence' }, count: 1 });
    await relay.publish('fails at once');
    await relay.publish('never answers');
    await relay.settle();
    const [first = 0, , ...retried] = relay.askedAt;
    // Both batches are gathered for a second: due after 10 s and, behind 15 s of silence, after 25 s.
    expect(retried.map(at => at - first)).toEqual([15 + 1, 25 + 1]);
    expect(relay.queued).toBe(0);
  });

  test.each([
    { what: 'no JSON', body: '{"Type":', reason: 'is not JSON' },
    { what: 'no object', body: '"x"', reason: 'is not a JSON object' },
    { what: 'no envelope', body: '{"order":1}', reason: 'without a Type' },
    { what: 'null', body: 'null', reason: 'is not a JSON object' },
    { what: 'deep', body: `${'['.repeat(50_000)}${']'.repeat(50_000)}`, reason: 'is not' },
    { what: 'of an id that can be no header', body: withOddId('a\r\nX-Injected: 1'), reason: 'a proper MessageId' },
    { what: 'a request to confirm', body: '{"Type":"SubscriptionConfirmation"}', reason: 'SubscriptionConfirmation' },
  ])('gives up what is $what, untried and as it came, and delivers the rest', async ({ body, reason }) => {
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

  test('keeps a message the dead-letter queue does not take, until it does', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410) });
    const resource = relay.deployed.arn('Dead');
    relay.deployed.aws.faults.set({ ...FORBIDDEN, action: 'SendMessage', resource, forMs: 700_000 });
    await relay.publish('x');
    await relay.deployed.advance({ minutes: 11 });
    expect(relay.queued).toBe(1);
    expect(await relay.deadLetters()).toEqual([]);
    await relay.settle();
    expect(relay.askedAt).toEqual([0, 300, 600, 900]);
    expect((await relay.deadLetters()).map(({ body }) => body)).toEqual([relay.bodies[0]]);
    expect(relay.queued).toBe(0);
    expect(relay.lines.filter(({ level }) => level === 'ERROR')).toHaveLength(3);
    expect(relay.lines[0]).toMatchObject({ cause: 'gone', error: 'AccessDenied' });
  });

  test('leaves a message to the queue’s own visibility timeout where it cannot set one', async () => {
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

  test('sets a visibility timeout at the SDK’s own second try where SQS fails once', async () => {
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

  test('asks for a visibility timeout twice, and no more often, where SQS fails', async () => {
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

  test('measures how long requests take, and how late they begin', async () => {
    const relay = await DeployedRelay.deploy({ visibilitySeconds: 90 });
    relay.host.behave(
      { reply: noAnswer('ECONNREFUSED'), count: 1 },
      { reply: response(200, '', {}, { latencyMs: 250 }) },
    );
    const { faults } = relay.deployed.aws;
    faults.set({ ...FORBIDDEN, action: 'ChangeMessageVisibilityBatch', forMs: 1_000 });
    await relay.publish('x');
    await relay.settle();
    // The retry was due after 10 s and came with the queue's visibility timeout, 80 s late.
    expect(relay.attempts.map(it => it.relay['latenessMs'])).toEqual([0, 80_000]);
    expect(relay.attempts.map(it => it.relay['latencyMs'])).toEqual([0, 250]);
    expect([await relay.metric('Latency'), await relay.metric('Lateness')]).toEqual([250, 80_000]);
    expect(await relay.metric('FailedAttempts')).toBe(1);
  });
});

describe('a batch of a FIFO relay', () => {
  const FIFO = { fifo: true } as const;

  test('keeps each group in order while one of its messages is tried again, and holds up no other group', async () => {
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

  test('goes on with the next of a group once the one before it is dead', async () => {
    const relay = await DeployedRelay.deploy(FIFO);
    relay.host.behave({ reply: response(400), count: 1 });
    for (const index of range(3)) await relay.publish(String(index));
    await relay.settle();
    expect(messagesOf(relay)).toEqual(['0', '1', '2']);
    const [relayMessage] = await relay.deadLetters();
    expect(relayMessage?.body).toBe(relay.bodies[0]);
    expect(relayMessage?.system).toMatchObject({ MessageGroupId: 'g' });
  });

  test('hands back what is behind a message that failed, untried, where a batch has several', async () => {
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

  test('has its dead letters twice that die twice, though SQS drops repetitions', async () => {
    const relay = await DeployedRelay.deploy(FIFO);
    // It is slow, so that the move is over before the message is dead again.
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
