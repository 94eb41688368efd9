import { afterFailure, afterRequeue } from '../../../local/lambda/asynchronous/event-queue';
import type { EventInvokeConfiguration } from '../../../local/lambda/function/event-invoke-configuration';
import { ADMIN, LambdaFixture, START_MS } from './lambda-fixture';

const FAILING = 'exports.handler = async event => { throw new TypeError(event.reason ?? "billing is down"); };';

describe('asynchronous invocation (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
  });
  afterEach(() => world.close());

  function limit(functionName: string, limits: Partial<EventInvokeConfiguration>): void {
    const { eventInvokes } = world.lambda.functionNamed(functionName);
    eventInvokes.put(undefined, { ...eventInvokes.of(), ...limits });
  }

  test('an event that succeeds is tried once', async () => {
    world.deploy('f', { code: 'exports.handler = async () => 1;' });
    const requestId = world.queue('f', { Records: [{ Sns: { MessageId: 'm-1' } }, { Sns: { MessageId: 'm-2' } }] });
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.event-queued')).toMatchObject([{ requestId, messageIds: ['m-1', 'm-2'] }]);
    expect(world.happened('lambda.invoked')).toMatchObject([{ requestId, trigger: 'Event', attempt: 1 }]);
    expect(world.total('AsyncEventsReceived')).toBe(1);
    expect(world.total('AsyncEventsDropped')).toBe(0);
    expect(world.total('Invocations')).toBe(1);
    expect(world.total('Errors')).toBe(0);
  });

  test('each delay counts from the end of the attempt that failed', async () => {
    world.network.attach('silent.example', () => ({ kind: 'silence' }));
    world.deploy('f', { code: 'exports.handler = () => fetch("https://silent.example/");', timeoutSeconds: 15 });
    world.queue('f');
    await world.timeline.runUntilIdle();
    expect(world.times('lambda.invoked')).toEqual([0, 75, 210]);
  });

  test('a third attempt just within the maximum age is made', async () => {
    world.deploy('f', { code: FAILING });
    limit('f', { maximumEventAgeSeconds: 181 });
    world.queue('f');
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.lost')).toMatchObject([{ attempts: 3, condition: 'RetriesExhausted' }]);
    expect(world.seconds).toBe(180);
  });

  test('the sender ids of two functions that share a role differ (recorded on AWS)', async () => {
    const { url, arn } = world.createQueue('dlq');
    for (const name of ['first', 'second']) {
      world.deploy(name, { code: FAILING, deadLetterTargetArn: arn });
      limit(name, { maximumRetryAttempts: 0 });
      world.queue(name);
    }
    await world.timeline.runUntilIdle();
    const senders = world
      .receive(url)
      .map(({ Attributes }) => Attributes?.SenderId ?? '')
      .sort();
    expect(senders).toEqual([expect.stringMatching('^AROA.*:first$'), expect.stringMatching('^AROA.*:second$')]);
  });

  describe('while Lambda itself fails, or throttles', () => {
    const outage = (httpStatus: number | undefined, forSeconds: number) =>
      world.faults.set({
        service: 'lambda',
        action: 'Invoke',
        forMs: forSeconds * 1000,
        ...(httpStatus === undefined ? { throttle: true } : { httpStatus }),
      });

    test.each([
      [500, 'system-error', 0],
      [429, 'throttled', 5],
      [undefined, 'throttled', 5],
    ])(
      'by %s, events it has taken come back as throttled ones do, and use up no attempt',
      async (status, reason, throttles) => {
        world.deploy('f', { code: FAILING });
        limit('f', { maximumEventAgeSeconds: 21_600, maximumRetryAttempts: 1 });
        const requestId = world.queue('f');
        outage(status, 30);
        await world.timeline.runUntilIdle();
        expect(world.happened('lambda.retry-scheduled')).toMatchObject([
          ...[1, 2, 4, 8, 16].map(delaySeconds => ({ requestId, reason, delaySeconds })),
          { requestId, reason: 'function-error', delaySeconds: 60 },
        ]);
        expect(world.times('lambda.refused')).toEqual([0, 1, 3, 7, 15]);
        expect(world.times('lambda.invoked')).toEqual([31, 91]);
        expect(world.happened('lambda.invoked').map(({ attempt }) => attempt)).toEqual([1, 2]);
        expect(world.total('Throttles')).toBe(throttles);
      },
    );

    test('events are given up when they would be too old, with the code of that error', async () => {
      const { url, arn } = world.createQueue('dlq');
      world.deploy('f', { code: FAILING, deadLetterTargetArn: arn });
      limit('f', { maximumEventAgeSeconds: 60 });
      world.queue('f', { n: 1 });
      outage(503, 3600);
      await world.goTo(100);
      expect(world.happened('lambda.dead-lettered')).toMatchObject([{ condition: 'EventAgeExceeded', attempts: 0 }]);
      expect(world.receive(url)).toMatchObject([
        { Body: '{"n":1}', MessageAttributes: { ErrorCode: { StringValue: '503' } } },
      ]);
    });

    test('what callers alone are answered leaves its own queue alone', async () => {
      world.deploy('f', { code: 'exports.handler = async () => {};' });
      world.queue('f');
      outage(403, 60);
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.invoked')).toEqual([0]);
    });
  });

  describe('decisions', () => {
    const limits = { maximumRetryAttempts: 2, maximumEventAgeSeconds: 21_600 };

    test('a throttle never uses up an attempt', () => {
      expect(afterRequeue({ ageMs: 0, failures: 2, requeues: 30 }, limits)).toEqual({
        kind: 'retry',
        delaySeconds: 300,
      });
    });

    test('an event may be tried to the last second of its age, and no longer', () => {
      const atTheEdge = { failures: 1, requeues: 0 };
      expect(afterFailure({ ...atTheEdge, ageMs: 21_539_999 }, limits)).toEqual({ kind: 'retry', delaySeconds: 60 });
      const tooOld = { kind: 'give-up', condition: 'EventAgeExceeded' };
      expect(afterFailure({ ...atTheEdge, ageMs: 21_540_000 }, limits)).toEqual(tooOld);
    });
  });
});

describe('what Lambda sends in the end (aws-semantics section 8)', () => {
  const FAILING = 'exports.handler = async () => { throw new Error("no"); };';

  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('dead');
  });
  afterEach(() => world.close());

  const deploy = (code: string): void => {
    world.deploy('f', { code, deadLetterTargetArn: queue.arn });
    retryNever({});
  };

  function retryNever(destinations: { readonly onSuccessArn?: string; readonly onFailureArn?: string }): void {
    const { eventInvokes } = world.lambda.functionNamed('f');
    eventInvokes.put(undefined, { ...eventInvokes.of(), maximumRetryAttempts: 0, ...destinations });
  }

  function invoke(Payload: string): void {
    world.lambda.call('Invoke', ADMIN, { FunctionName: 'f', InvocationType: 'Event', Payload });
  }

  const errorMessages = () =>
    world.receive(queue.url).map(({ MessageAttributes }) => MessageAttributes?.['ErrorMessage']?.StringValue);

  describe('where the queue fails', () => {
    test.each([
      ['answers 503', { service: 'sqs', action: 'SendMessage' }],
      ['throttles', { service: 'sqs', action: 'SendMessage', throttle: true }],
    ] as const)('for two seconds, and %s, it is tried again and nothing is lost', async (_, fault) => {
      deploy(FAILING);
      world.faults.set({ ...fault, untilMs: START_MS + 2000 });
      invoke('{"n":1}');
      await world.timeline.runUntilIdle();
      expect(world.times('sqs.refused')).toEqual([0, 1]);
      expect(world.times('lambda.dead-lettered')).toEqual([3]);
      expect(world.happened('lambda.lost')).toEqual([]);
      expect(world.total('DeadLetterErrors')).toBe(0);
    });

    test('for long, it is given up after three retries, and counted once', async () => {
      deploy(FAILING);
      retryNever({ onFailureArn: queue.arn });
      world.faults.set({ service: 'sqs', action: 'SendMessage' });
      invoke('{"n":1}');
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.dead-letter-failed')).toEqual([7]);
      expect(world.times('lambda.destination-failed')).toEqual([7]);
      expect(world.happened('lambda.lost')).toMatchObject([{ reason: 'every target rejected it' }]);
      expect(world.total('DeadLetterErrors')).toBe(1);
      expect(world.total('DestinationDeliveryFailures')).toBe(1);
    });

    test('for good, it is not tried again', async () => {
      deploy(FAILING);
      world.sqs.call('DeleteQueue', ADMIN, { QueueUrl: queue.url });
      invoke('{"n":1}');
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.dead-letter-failed')).toEqual([0]);
      expect(world.times('lambda.lost')).toEqual([0]);
    });
  });

  test('is there when a slow queue has answered', async () => {
    deploy(FAILING);
    retryNever({ onFailureArn: queue.arn });
    world.faults.set({ service: 'sqs', action: 'SendMessage', latencyMs: 5000 });
    invoke('{"n":1}');
    await world.timeline.runUntilIdle();
    expect(world.times('lambda.dead-lettered')).toEqual([5]);
    expect(world.times('lambda.destination-delivered')).toEqual([5]);
  });

  test.each([
    ['a coloured error', '"bad \\u0000\\u001b[31m red"', 'bad \ufffd\ufffd[31m red'],
    ['half a character', '"half \\ud83d"', 'half \ufffd'],
    ['lines and other scripts', '"first\\n\\tzweitens \u{1f48c}"', 'first\n\tzweitens \u{1f48c}'],
  ])('keeps the event of %s', async (_, text, shown) => {
    deploy(`exports.handler = async () => { throw new Error(${text}); };`);
    invoke('{"n":1}');
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.dead-lettered')).toHaveLength(1);
    expect(errorMessages()).toEqual([shown]);
  });

  test.each([
    ['onSuccessArn', 'exports.handler = async event => event;'],
    ['onFailureArn', FAILING],
  ])('hands an event to %s as it came: deep, and with numbers no double holds', async (destination, code) => {
    const event = `{ "id": 12345678901234567890, "price": 1.10, "deep": ${'['.repeat(999)}${']'.repeat(999)} }`;
    world.deploy('f', { code });
    retryNever({ [destination]: queue.arn });
    invoke(event);
    await world.timeline.runUntilIdle();
    const [record] = world.receive(queue.url);
    expect(record?.Body).toContain(`"requestPayload":${event},`);
    expect(JSON.parse(record?.Body ?? '')).toMatchObject({ version: '1.0', requestPayload: { price: 1.1 } });
  });
});
