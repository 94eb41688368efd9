import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import fc from 'fast-check';
import { copyRunner } from '../../../lambda/redrive/copy-or-replay';
import {
  DeployedMovePass,
  deadLetters,
  grantReplay,
  type MovePassQueues,
  mostInASecond,
} from '../../mover/move-pass-fixture';
import { FACTS, NOW } from '../../policy/redrive/fixtures';
import { inlineFunction } from '../../support/inline-function';
import { CANARY } from './redrive-fixture';

describe('copying', () => {
  const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

  const EMPTY = 'no message is visible any more';

  /** Runs a pass with a client that answers all calls like this. */
  function passWith(send: () => Promise<unknown>) {
    const written: unknown[] = [];
    const queue = {
      url: 'https://sqs.eu-west-1.amazonaws.com/111111111111/dead',
      arn: 'arn:aws:sqs:eu-west-1:111111111111:dead',
    };
    const client = Object.assign(new SQSClient({ region: 'eu-west-1' }), { send });
    const runner = copyRunner({
      client,
      deadLetters: queue,
      destination: queue,
      nowMs: () => NOW,
      wait: async () => {},
      writeMetrics: (atMs, metrics) => written.push([atMs, metrics]),
    });
    const order = { facts: FACTS, runStartedAtMs: NOW, remainingMs: () => 900_000, check: async () => undefined };
    return { written, ended: runner.start({ ...order, decision: { ...CANARY, carrier: 'copy' } }) };
  }

  test('An answer whose messages may have been lost is reported, because SQS may have hidden them', async () => {
    const lost = Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} });
    const send = jest.fn().mockRejectedValueOnce(lost).mockResolvedValue({});
    const reason = `${EMPTY}; 1 answer of SQS with messages may have been lost, which hides them for 120 s`;
    expect(await passWith(send).ended).toMatchObject({ status: 'COMPLETED', reason });
    expect(await passWith(async () => ({})).ended).toMatchObject({ status: 'COMPLETED', reason: EMPTY });
  });

  test('A programming error is thrown after the pass has written its end', async () => {
    const { written, ended } = passWith(() => Promise.reject(new TypeError('ours')));
    await expect(ended).rejects.toThrow('ours');
    expect(written).toEqual([
      [NOW, { MovePassRate: CANARY.messagesPerSecond, MovePassToMove: FACTS.deadLetters?.visible }],
      [NOW, { MovePassEnd: 4, MovePassSeconds: 0 }],
    ]);
  });

  describe('A move pass of copying', () => {
    test('moves exactly its quota, never above its rate in any second, and another pass continues', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(120));
      const first = await movePass.copy({ messagesPerSecond: 25, messages: 50 });
      expect(first).toEqual({
        outcome: 'move-pass',
        status: 'COMPLETED',
        moved: 50,
        reason: 'it has moved as many messages as it should',
      });
      expect([movePass.visible('Dead'), movePass.held('Dead'), movePass.held('Home')]).toEqual([70, 70, 50]);
      expect(await movePass.copy({ messagesPerSecond: 25 })).toMatchObject({
        status: 'COMPLETED',
        moved: 70,
        reason: EMPTY,
      });
      expect(movePass.held('Dead')).toBe(0);
      expect(mostInASecond(movePass.arrivals('Home'))).toBe(25);
      expect(sorted(await movePass.drain('Home'))).toEqual(sorted(deadLetters(120)));
      // Each pass is reported once, at the time it began.
      expect(Object.values(movePass.metrics)).toEqual([
        {
          MovePassRate: 25,
          MovePassToMove: 120,
          MovePassMoved: 50,
          MovePassEnd: 1,
          MovePassSeconds: expect.any(Number),
        },
        {
          MovePassRate: 25,
          MovePassToMove: 70,
          MovePassMoved: 70,
          MovePassEnd: 1,
          MovePassSeconds: expect.any(Number),
        },
      ]);
    });

    test('copies a message with all its attributes between queues with different keys', async () => {
      const movePass = await DeployedMovePass.deploy({ encrypted: true });
      const trace = 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1';
      const MessageAttributes = {
        class: { DataType: 'String', StringValue: 'compact' },
        days: { DataType: 'Number.int', StringValue: '3' },
        token: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
      };
      const AWSTraceHeader = { DataType: 'String', StringValue: trace } as const;
      await movePass.deadLetterMessage([
        { MessageBody: 'order', MessageAttributes, MessageSystemAttributes: { AWSTraceHeader } },
      ]);
      expect(await movePass.copy()).toMatchObject({ status: 'COMPLETED', moved: 1 });
      const [copy] = await movePass.deployed.receive('Home');
      expect(copy).toMatchObject({ Body: 'order', MessageAttributes, Attributes: { AWSTraceHeader: trace } });
    });

    test('reaches the maximum rate of a move task although each call takes time', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(1_250));
      movePass.deployed.aws.faults.set({ service: 'sqs', latencyMs: 15 });
      expect(await movePass.copy({ messagesPerSecond: 500 })).toMatchObject({ status: 'COMPLETED', moved: 1_250 });
      const arrivals = movePass.arrivals('Home');
      const [first = 0, last = 0] = [Math.min(...arrivals), Math.max(...arrivals)];
      expect(mostInASecond(arrivals)).toBeLessThanOrEqual(500);
      // The rate counts a call until one second after its answer, so the latency of 15 ms lowers the rate a little.
      expect((1_250 / (last - first)) * 1_000).toBeGreaterThan(485);
    });

    test('leaves a message that the destination refuses, makes it visible at the end, and reports which and why', async () => {
      const movePass = await DeployedMovePass.deploy({ home: { maxMessageSizeBytes: 1_024 } });
      const large = 'x'.repeat(1_025);
      await movePass.deadLetterMessage([...deadLetters(4), large, ...deadLetters(8).slice(4)]);
      const came = await movePass.copy({ messages: 8 });
      const reason = expect.stringMatching(/InvalidParameterValue.*1024 bytes/);
      expect(came).toMatchObject({ status: 'COMPLETED', moved: 8, left: [{ reason, messages: 1 }] });
      expect(sorted(await movePass.drain('Home'))).toEqual(sorted(deadLetters(8)));
      const [message] = await movePass.deployed.receive('Dead');
      expect(message).toMatchObject({ Body: large, MessageId: came.left?.[0]?.example });
    });

    test('waits longer and longer while SQS throttles, and then continues at its rate', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(30));
      const resource = movePass.deployed.arn('Home');
      movePass.deployed.aws.faults.set({
        service: 'sqs',
        action: 'SendMessageBatch',
        resource,
        throttle: true,
        forMs: 3_000,
      });
      expect(await movePass.copy({ messagesPerSecond: 10 })).toMatchObject({
        status: 'COMPLETED',
        moved: 30,
        reason: EMPTY,
      });
      expect(mostInASecond(movePass.arrivals('Home'))).toBeLessThanOrEqual(10);
      expect(sorted(await movePass.drain('Home'))).toEqual(sorted(deadLetters(30)));
    });

    test('pauses if SQS keeps throttling, and makes all messages visible again', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(30));
      const resource = movePass.deployed.arn('Home');
      movePass.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch', resource, throttle: true });
      const reason = 'SendMessageBatch: RequestThrottled: Request is throttled.';
      expect(await movePass.copy()).toMatchObject({ status: 'PAUSED', moved: 0, reason });
      expect([movePass.visible('Dead'), movePass.held('Home')]).toEqual([30, 0]);
    });

    test('fails with AWS’s error if it may not send, and makes all messages visible again', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(3));
      const none = { ...movePass.queue('Home'), url: movePass.deployed.ref('Home').replace(/[^/]+$/, 'no-such-queue') };
      const came = await movePass.run({ kind: 'queue', ...none });
      expect(came).toMatchObject({
        status: 'FAILED',
        moved: 0,
        reason: expect.stringMatching(/^SendMessageBatch: .+/),
      });
      expect(movePass.visible('Dead')).toBe(3);
      expect(Object.values(movePass.metrics)).toEqual([
        { MovePassRate: 500, MovePassToMove: 3, MovePassEnd: 4, MovePassSeconds: expect.any(Number) },
      ]);
    });

    test('checks every 30 seconds whether it may continue, and makes its messages visible again if not', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(200));
      const offAtMs = movePass.deployed.aws.nowMs + 40_000;
      const came = await movePass.copy({ messagesPerSecond: 2, offAtMs });
      expect(came).toMatchObject({ status: 'CANCELLED', cause: 'switched-off', reason: 'the kill switch is off' });
      expect(came.moved).toBeGreaterThan(80);
      expect(came.moved).toBeLessThanOrEqual(2 * 61);
      expect([movePass.visible('Dead'), movePass.held('Home')]).toEqual([200 - came.moved, came.moved]);
    });

    test('pauses before Lambda’s timeout, and another pass continues without exceeding the rate in any second', async () => {
      const movePass = await DeployedMovePass.deploy({ timeoutSeconds: 60 });
      await movePass.deadLetterMessage(deadLetters(100));
      const first = await movePass.copy({ messagesPerSecond: 2 });
      expect(first).toMatchObject({ status: 'PAUSED', reason: 'the function ran out of time' });
      expect(first.moved).toBeGreaterThan(55);
      expect(movePass.visible('Dead')).toBe(100 - first.moved);
      const second = await movePass.copy({ messagesPerSecond: 2 });
      expect(second).toMatchObject({ status: 'COMPLETED', moved: 100 - first.moved });
      expect(mostInASecond(movePass.arrivals('Home'))).toBe(2);
      expect(sorted(await movePass.drain('Home'))).toEqual(sorted(deadLetters(100)));
    });

    test('moves each message once in a run: messages that return meanwhile stay for the next run', async () => {
      const movePass = await DeployedMovePass.deploy({
        timeoutSeconds: 60,
        home: { visibilityTimeout: Duration.seconds(1) },
      });
      await movePass.deadLetterMessage(deadLetters(5));
      const runStartedAtMs = movePass.deployed.aws.nowMs;
      await movePass.deployed.advance({ seconds: 1 });
      await movePass.deadLetterMessage(['came back']);
      const came = await movePass.copy({ runStartedAtMs });
      const left = [expect.objectContaining({ reason: 'was sent after the run began', messages: 1 })];
      expect(came).toMatchObject({ status: 'COMPLETED', moved: 5, left });
      expect([movePass.visible('Dead'), movePass.held('Home')]).toEqual([1, 5]);
      expect(await movePass.copy()).toMatchObject({ moved: 1 });
    });

    test('pauses if SQS deletes nothing: what was copied is copied once more, and nothing is lost', async () => {
      const movePass = await DeployedMovePass.deploy();
      await movePass.deadLetterMessage(deadLetters(5));
      const resource = movePass.deployed.arn('Dead');
      const fault = movePass.deployed.aws.faults.set({ service: 'sqs', action: 'DeleteMessageBatch', resource });
      const reason = expect.stringMatching(/ServiceUnavailable/);
      expect(await movePass.copy()).toMatchObject({ status: 'PAUSED', moved: 5, reason });
      expect([movePass.held('Dead'), movePass.held('Home')]).toEqual([5, 5]);
      fault.end();
      await movePass.deployed.advance({ minutes: 2 });
      expect(await movePass.copy()).toMatchObject({ status: 'COMPLETED', moved: 5 });
      expect([movePass.held('Dead'), movePass.held('Home')]).toEqual([0, 10]);
    });
  });

  describe('A move pass of copying from a FIFO queue', () => {
    const messageOf = (group: string, number: number, more = '') => ({
      MessageBody: `${group}${number}${more}`,
      MessageGroupId: group,
      MessageDeduplicationId: `${group}${number}`,
    });

    test('keeps the group, the order in it, and a deduplication id by which a second copy is dropped', async () => {
      const movePass = await DeployedMovePass.deploy({ fifo: true });
      const deadLettered = Array.from({ length: 12 }, (_, number) =>
        ['a', 'b', 'c'].map(group => messageOf(group, number)),
      ).flat();
      await movePass.deadLetterMessage(deadLettered);
      const ids = new Set(movePass.deployed.happened('sqs.sent').map(({ messageId }) => messageId));
      expect(await movePass.copy({ messagesPerSecond: 100 })).toMatchObject({ status: 'COMPLETED', moved: 36 });
      const copies: { body: string; group: string; deduplicationId: string }[] = [];
      for (let index = 0; index < 12; index += 1) {
        const taken = await movePass.deployed.receive('Home');
        for (const { Body = '', Attributes = {} } of taken) {
          const { MessageGroupId: group = '', MessageDeduplicationId: deduplicationId = '' } = Attributes;
          copies.push({ body: Body, group, deduplicationId });
        }
      }
      for (const group of ['a', 'b', 'c']) {
        const ofGroup = copies.filter(copy => copy.group === group);
        expect(ofGroup.map(({ body }) => body)).toEqual(ofGroup.map((_, number) => `${group}${number}`));
      }
      expect(copies.length).toBeGreaterThanOrEqual(12);
      expect(copies.every(({ deduplicationId }) => ids.has(deduplicationId))).toBe(true);
    });

    test('leaves the messages behind one that stays, and continues with other groups', async () => {
      const movePass = await DeployedMovePass.deploy({ fifo: true, home: { maxMessageSizeBytes: 1_024 } });
      const tooLarge = 'x'.repeat(1_024);
      await movePass.deadLetterMessage([
        messageOf('a', 0),
        messageOf('a', 1, tooLarge),
        messageOf('a', 2),
        messageOf('b', 0),
        messageOf('b', 1),
      ]);
      const came = await movePass.copy();
      expect(came).toMatchObject({ status: 'COMPLETED', moved: 3 });
      expect(came.left?.reduce((sum, { messages: count }) => sum + count, 0)).toBeGreaterThanOrEqual(1);
      expect(movePass.held('Dead')).toBe(2);
      expect(sorted(await movePass.drain('Home'))).toEqual(['a0', 'b0', 'b1']);
      expect((await movePass.deployed.receive('Dead')).map(({ Body }) => Body)).toEqual([`a1${tooLarge}`, 'a2']);
    });
  });
});

const crash = fc.record({
  fifo: fc.boolean(),
  count: fc.integer({ min: 1, max: 40 }),
  messagesPerSecond: fc.constantFrom(5, 50, 500),
  how: fc.constantFrom('exit', 'out-of-memory', 'timeout'),
  /** The last request arrives, but its answer does not. */
  afterRequests: fc.integer({ min: 1, max: 25 }),
});

/** Each run deploys its own stack. */
const RUNS = 10;

test('A copying move pass that is interrupted at any point loses no message, and the next one duplicates none in a FIFO queue', async () => {
  await fc.assert(
    fc.asyncProperty(crash, async ({ fifo, count, messagesPerSecond, how, afterRequests }) => {
      const movePass = await DeployedMovePass.deploy({ fifo, timeoutSeconds: 60 });
      const bodies = deadLetters(count);
      const inGroup = (MessageBody: string, index: number) => ({
        MessageBody,
        MessageGroupId: `group-${index % 3}`,
        MessageDeduplicationId: String(index),
      });
      await movePass.deadLetterMessage(fifo ? bodies.map(inGroup) : bodies);
      movePass.deployed.aws.interruptions.set({
        functionName: movePass.deployed.ref('MovePass'),
        how,
        afterRequests,
      });
      const home = { kind: 'queue', ...movePass.queue('Home') } as const;
      const { answer } = await movePass.tryRun(home, { messagesPerSecond });
      const arrivedBefore = movePass.arrivals('Home').length;
      // The messages that the interrupted pass held become visible again.
      await movePass.deployed.advance({ minutes: 2 });
      expect(await movePass.copy({ messagesPerSecond: 500 })).toMatchObject({ status: 'COMPLETED' });
      expect(movePass.held('Dead')).toBe(0);
      const [broken] = Object.values(movePass.metrics);
      if (!answer) expect(broken).not.toHaveProperty('MovePassEnd');
      // No message is reported as moved that has not arrived.
      expect(broken?.['MovePassMoved'] ?? 0).toBeLessThanOrEqual(arrivedBefore);
      const copies = await movePass.drain('Home');
      expect([...new Set(copies)].sort()).toEqual([...bodies].sort());
      if (fifo) expect(copies).toHaveLength(count);
      await movePass.deployed.close();
    }),
    { numRuns: RUNS, seed: 6, endOnFailure: true },
  );
});

describe('replaying', () => {
  const PRINTS = 'exports.handler = async event => { console.log("EVENT " + JSON.stringify(event)); };';

  /** Fails on poison, and until a given time on events that name one. */
  const FAILS = `exports.handler = async ({ order, poison = false, fromMs = 0 }) => {
  console.log('EVENT ' + JSON.stringify({ order }));
  if (poison || Date.now() < fromMs) throw new RangeError('no such vehicle class');
};`;

  /** The events a function was invoked with. */
  function eventsOf(movePass: DeployedMovePass, id: string): readonly unknown[] {
    const lines = movePass.deployed.log(`/aws/lambda/${movePass.deployed.ref(id)}`);
    return lines.flatMap(line => {
      const [, event] = /EVENT (\{.*\})/.exec(line) ?? [];
      return event === undefined ? [] : [JSON.parse(event)];
    });
  }

  function twoSubscribers(stack: Stack, { dead }: MovePassQueues, movePass: LambdaFunction): void {
    const topic = new Topic(stack, 'Topic');
    const [works, gone] = [inlineFunction(stack, 'Works', PRINTS), inlineFunction(stack, 'Gone', PRINTS)];
    topic.addSubscription(new LambdaSubscription(works));
    topic.addSubscription(new LambdaSubscription(gone, { deadLetterQueue: dead }));
    grantReplay(gone, movePass);
  }

  test('A move pass that replays a subscription’s dead letters invokes the function with exactly the event of SNS', async () => {
    const movePass = await DeployedMovePass.deploy({ more: twoSubscribers });
    const { deployed } = movePass;
    const arn = deployed.arn('Gone');
    deployed.aws.faults.set({
      service: 'lambda',
      resource: arn,
      code: 'AccessDeniedException',
      httpStatus: 403,
      forMs: 1_000,
    });
    const MessageAttributes = {
      class: { DataType: 'String', StringValue: 'compact' },
      token: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255, 7) },
    };
    await deployed.publish('Topic', '{"order":1}', { Subject: 'An order', MessageAttributes });
    await deployed.publish('Topic', 'Zoë \u{1f697}\n"quoted"');
    await deployed.advance({ minutes: 1 });
    expect(movePass.held('Dead')).toBe(2);

    expect(await movePass.run({ kind: 'function', arn, bodyIs: 'envelope' })).toMatchObject({
      status: 'COMPLETED',
      moved: 2,
    });
    await deployed.advance({ minutes: 1 });
    const [sent, replayed] = [eventsOf(movePass, 'Works'), eventsOf(movePass, 'Gone')];
    expect(replayed).toHaveLength(2);
    const arnOf = (events: readonly unknown[]) =>
      /"EventSubscriptionArn":"([^"]+)"/.exec(JSON.stringify(events))?.[1] ?? '';
    const [own, other] = [arnOf(replayed), arnOf(sent)];
    expect(own).not.toBe(other);
    // The two subscriptions have their own ARNs and addresses to unsubscribe at, and everything else in common.
    const expected: unknown[] = JSON.parse(JSON.stringify(sent).replaceAll(other, own));
    expect(replayed).toEqual(expect.arrayContaining(expected));
    expect(movePass.held('Dead')).toBe(0);
  });

  function failing(stack: Stack, { dead }: MovePassQueues, movePass: LambdaFunction): void {
    const timeout = Duration.seconds(5);
    grantReplay(inlineFunction(stack, 'Fails', FAILS, { deadLetterQueue: dead, retryAttempts: 0, timeout }), movePass);
  }

  const SLOW_MS = 200_000;

  function slow(stack: Stack, _: MovePassQueues, movePass: LambdaFunction): void {
    const code = `exports.handler = async ({ order }) => {
  console.log('EVENT ' + JSON.stringify({ order }));
  await new Promise(resolve => setTimeout(resolve, ${SLOW_MS}));
};`;
    grantReplay(inlineFunction(stack, 'Fails', code, { timeout: Duration.minutes(4) }), movePass);
  }

  function endless(stack: Stack, _: MovePassQueues, movePass: LambdaFunction): void {
    grantReplay(inlineFunction(stack, 'Fails', FAILS, { timeout: Duration.minutes(15) }), movePass);
  }

  function succeeding(stack: Stack, { home }: MovePassQueues, movePass: LambdaFunction): void {
    grantReplay(inlineFunction(stack, 'Fails', FAILS, { onSuccess: new SqsDestination(home) }), movePass);
  }

  async function invoke({ deployed }: DeployedMovePass, event: object): Promise<void> {
    const command = new InvokeCommand({
      FunctionName: deployed.ref('Fails'),
      InvocationType: 'Event',
      Payload: JSON.stringify(event),
    });
    await new LambdaClient(deployed.aws.clientConfig()).send(command);
  }

  describe('A move pass that replays from a function’s own dead-letter queue', () => {
    const destinationOf = ({ deployed }: DeployedMovePass) =>
      ({ kind: 'function', arn: deployed.arn('Fails'), bodyIs: 'event' }) as const;

    const failed = (movePass: DeployedMovePass) => movePass.deployed.advance({ seconds: 10 });

    test('replays each event once, and moves what fails again to the quarantine, with the reasons', async () => {
      const movePass = await DeployedMovePass.deploy({ more: failing });
      const fromMs = movePass.deployed.aws.nowMs + 5_000;
      for (const order of [1, 2, 3]) await invoke(movePass, { order, fromMs });
      await invoke(movePass, { order: 4, poison: true });
      await failed(movePass);
      expect(movePass.held('Dead')).toBe(4);

      const came = await movePass.run(destinationOf(movePass), { messagesPerSecond: 10 });
      expect(came).toMatchObject({ status: 'COMPLETED', moved: 4, quarantined: 1, returned: 1 });
      await failed(movePass);
      expect([movePass.held('Dead'), movePass.held('Quarantine')]).toEqual([0, 1]);
      const orders = eventsOf(movePass, 'Fails').map(event => JSON.stringify(event));
      expect(orders.sort()).toEqual([1, 1, 2, 2, 3, 3, 4, 4].map(order => JSON.stringify({ order })));

      const [message] = await movePass.deployed.receive('Quarantine');
      expect(message?.Body).toBe('{"order":4,"poison":true}');
      const texts = Object.entries(message?.MessageAttributes ?? {}).map(([name, { StringValue }]) => [
        name,
        StringValue,
      ]);
      expect(Object.fromEntries(texts)).toMatchObject({
        QuarantineCause: 'came-back',
        QuarantineReason: 'was replayed, and the function failed again: RangeError: no such vehicle class',
        QuarantinedFrom: movePass.deployed.arn('Dead'),
        ErrorCode: '200',
        ErrorMessage: 'no such vehicle class',
      });
      const counted = {
        MovePassRate: 10,
        MovePassToMove: 4,
        MovePassMoved: 4,
        MovePassQuarantined: 1,
        MovePassReturned: 1,
        MovePassEnd: 1,
        MovePassSeconds: expect.any(Number),
      };
      expect(Object.values(movePass.metrics)).toEqual([counted]);
    });

    // "If an event fails all attempts … Lambda sends it to the dead-letter queue" is true of asynchronous invocations:
    // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html. One in which SQS refuses that send is lost.
    test('loses no event on which the function fails while its dead-letter queue refuses messages', async () => {
      const movePass = await DeployedMovePass.deploy({ more: failing });
      await movePass.deadLetterMessage(['{"order":1,"poison":true}', '{"order":2}']);
      movePass.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', httpStatus: 503, forMs: 3_600_000 });
      const settings = { deadLetters: movePass.queue('Dead'), destination: destinationOf(movePass) };
      expect(await movePass.run(destinationOf(movePass), { settings })).toMatchObject({ moved: 2, returned: 1 });
      await movePass.deployed.advance({ hours: 7 });
      expect(movePass.visible('Dead')).toBe(1);
    });

    test('leaves what fails again in the dead-letter queue if there is no quarantine, and a later pass replays it', async () => {
      const movePass = await DeployedMovePass.deploy({ more: failing });
      await movePass.deadLetterMessage(['{"order":1,"poison":true}']);
      const settings = { deadLetters: movePass.queue('Dead'), destination: destinationOf(movePass) };
      const reason = 'was replayed, and the function failed again: RangeError: no such vehicle class';
      for (const times of [1, 2]) {
        expect(await movePass.run(destinationOf(movePass), { settings })).toMatchObject({
          status: 'COMPLETED',
          moved: 1,
          returned: 1,
          left: [{ reason, messages: 1 }],
        });
        expect([movePass.visible('Dead'), eventsOf(movePass, 'Fails').length]).toEqual([1, times]);
      }
    });

    test('waits for a slow function, and keeps its message hidden meanwhile', async () => {
      const movePass = await DeployedMovePass.deploy({ more: slow });
      await movePass.deadLetterMessage(['{"order":1}', '{"order":2}', '{"order":3}']);
      const startedAtMs = movePass.deployed.aws.nowMs;
      const came = await movePass.run(destinationOf(movePass), { messagesPerSecond: 2 });
      expect(came).toMatchObject({ status: 'COMPLETED', moved: 3 });
      expect(eventsOf(movePass, 'Fails')).toHaveLength(3);
      // At most as many at once as the rate: two, and then one.
      expect(movePass.deployed.aws.nowMs - startedAtMs).toBeGreaterThan(2 * SLOW_MS);
      expect(movePass.deployed.aws.nowMs - startedAtMs).toBeLessThan(3 * SLOW_MS);
      expect(movePass.held('Dead')).toBe(0);
    });

    test.each([
      { what: 'has an on-success destination', more: succeeding, says: / has an on-success destination, arn:aws:sqs:/ },
      {
        what: 'may run too long',
        more: endless,
        says: / has a timeout of 900 seconds, and a replay can wait at most 780/,
      },
    ])('refuses a function that $what, and touches no message', async ({ more, says }) => {
      const movePass = await DeployedMovePass.deploy({ more });
      await movePass.deadLetterMessage(['{"order":1}']);
      const { answer } = await movePass.tryRun(destinationOf(movePass));
      expect(answer).toEqual({
        outcome: 'failed',
        code: 'FunctionNotReplayable',
        reason: expect.stringMatching(says),
      });
      expect([movePass.visible('Dead'), eventsOf(movePass, 'Fails')]).toEqual([1, []]);
    });

    test('moves a message that is no event to the quarantine without an invocation, outside its quota', async () => {
      const movePass = await DeployedMovePass.deploy({ more: failing });
      await movePass.deadLetterMessage(['{"order":', 'garbage', '{"order":1}', '{"order":2}']);
      const came = await movePass.run(destinationOf(movePass), { messages: 2 });
      expect(came).toMatchObject({ status: 'COMPLETED', moved: 2, quarantined: 2 });
      await failed(movePass);
      expect(eventsOf(movePass, 'Fails')).toHaveLength(2);
      const causes = (await movePass.deployed.receive('Quarantine')).map(
        ({ MessageAttributes }) => MessageAttributes?.['QuarantineReason']?.StringValue,
      );
      expect(causes).toEqual(['is not JSON', 'is not JSON']);
    });

    test('waits while Lambda throttles, keeps its rate, and loses nothing', async () => {
      const movePass = await DeployedMovePass.deploy({ more: failing });
      const resource = movePass.deployed.arn('Fails');
      await movePass.deadLetterMessage(Array.from({ length: 12 }, (_, order) => JSON.stringify({ order })));
      movePass.deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', resource, throttle: true, forMs: 2_000 });
      expect(await movePass.run(destinationOf(movePass), { messagesPerSecond: 10 })).toMatchObject({ moved: 12 });
      await failed(movePass);
      expect(new Set(eventsOf(movePass, 'Fails').map(event => JSON.stringify(event))).size).toBe(12);
      expect(movePass.held('Dead')).toBe(0);
    });

    test('fails if the function does not exist, and touches no message', async () => {
      const movePass = await DeployedMovePass.deploy({ more: failing });
      await movePass.deadLetterMessage(['{"order":1}', '{"order":2}']);
      const gone = { ...destinationOf(movePass), arn: `${movePass.deployed.arn('Fails')}-of-old` };
      const reason = expect.stringMatching(/^reading the configuration of the function: ResourceNotFoundException: .+/);
      const { answer } = await movePass.tryRun(gone);
      expect(answer).toEqual({ outcome: 'failed', code: 'ResourceNotFoundException', reason });
      expect(movePass.visible('Dead')).toBe(2);
    });

    test.each([3, 4, 5, 6])(
      'replays a message once more, and loses none, if it crashes after %i requests',
      async afterRequests => {
        const movePass = await DeployedMovePass.deploy({ more: failing, timeoutSeconds: 60 });
        await movePass.deadLetterMessage(['{"order":1}', '{"order":2}']);
        movePass.deployed.aws.interruptions.set({
          functionName: movePass.deployed.ref('MovePass'),
          how: 'exit',
          afterRequests,
        });
        const { error } = await movePass.tryRun(destinationOf(movePass));
        expect(error).toBeDefined();
        await movePass.deployed.advance({ minutes: 4 });
        expect(await movePass.run(destinationOf(movePass))).toMatchObject({ status: 'COMPLETED' });
        await failed(movePass);
        expect(new Set(eventsOf(movePass, 'Fails').map(event => JSON.stringify(event))).size).toBe(2);
        expect([movePass.held('Dead'), movePass.held('Quarantine')]).toEqual([0, 0]);
      },
    );
  });
});
