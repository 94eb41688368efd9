import { Duration } from 'aws-cdk-lib';
import { DeployedMovePass, deadLetters, mostInASecond } from '../../../mover/stint-fixture';

const sorted = (texts: readonly string[]): readonly string[] => [...texts].sort();

const EMPTY = 'no letter is visible any more';

describe('A stint of copying', () => {
  test('moves its quota to the letter, at no more than its rate in any second, and another goes on', async () => {
    const movePass = await DeployedMovePass.deploy();
    await movePass.deadLetterMessage(deadLetters(120));
    const first = await movePass.copy({ messagesPerSecond: 25, messages: 50 });
    expect(first).toEqual({ outcome: 'stint', status: 'COMPLETED', moved: 50, reason: 'it has moved what it should' });
    expect([movePass.visible('Dead'), movePass.held('Dead'), movePass.held('Home')]).toEqual([70, 70, 50]);
    expect(await movePass.copy({ messagesPerSecond: 25 })).toMatchObject({
      status: 'COMPLETED',
      moved: 70,
      reason: EMPTY,
    });
    expect(movePass.held('Dead')).toBe(0);
    expect(mostInASecond(movePass.arrivals('Home'))).toBe(25);
    expect(sorted(await movePass.drain('Home'))).toEqual(sorted(deadLetters(120)));
    // Each at the instant it began, and told of once.
    expect(Object.values(movePass.metrics)).toEqual([
      { StintRate: 25, StintToMove: 120, StintMoved: 50, StintEnd: 1, StintSeconds: expect.any(Number) },
      { StintRate: 25, StintToMove: 70, StintMoved: 70, StintEnd: 1, StintSeconds: expect.any(Number) },
    ]);
  });

  test('copies all that belongs to a letter, between queues that have keys of their own', async () => {
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

  test('reaches the rate a task of SQS has at most, though each call takes its time', async () => {
    const movePass = await DeployedMovePass.deploy();
    await movePass.deadLetterMessage(deadLetters(1_250));
    movePass.deployed.aws.faults.set({ service: 'sqs', latencyMs: 15 });
    expect(await movePass.copy({ messagesPerSecond: 500 })).toMatchObject({ status: 'COMPLETED', moved: 1_250 });
    const arrivals = movePass.arrivals('Home');
    const [first = 0, last = 0] = [Math.min(...arrivals), Math.max(...arrivals)];
    expect(mostInASecond(arrivals)).toBeLessThanOrEqual(500);
    // A place in the second is free again a second after the answer: the 15 ms are what it costs.
    expect((1_250 / (last - first)) * 1_000).toBeGreaterThan(485);
  });

  test('leaves what the destination refuses, gives it back at its end, and says which and why', async () => {
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

  test('waits longer and longer while SQS throttles, and goes on at the rate it should', async () => {
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

  test('pauses where SQS throttles on and on, and gives all letters back', async () => {
    const movePass = await DeployedMovePass.deploy();
    await movePass.deadLetterMessage(deadLetters(30));
    const resource = movePass.deployed.arn('Home');
    movePass.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch', resource, throttle: true });
    const reason = 'SendMessageBatch: RequestThrottled: Request is throttled.';
    expect(await movePass.copy()).toMatchObject({ status: 'PAUSED', moved: 0, reason });
    expect([movePass.visible('Dead'), movePass.held('Home')]).toEqual([30, 0]);
  });

  test('fails where it may not send, with what AWS says, and gives all letters back', async () => {
    const movePass = await DeployedMovePass.deploy();
    await movePass.deadLetterMessage(deadLetters(3));
    const none = { ...movePass.queue('Home'), url: movePass.deployed.ref('Home').replace(/[^/]+$/, 'no-such-queue') };
    const came = await movePass.run({ kind: 'queue', ...none });
    expect(came).toMatchObject({ status: 'FAILED', moved: 0, reason: expect.stringMatching(/^SendMessageBatch: .+/) });
    expect(movePass.visible('Dead')).toBe(3);
    expect(Object.values(movePass.metrics)).toEqual([
      { StintRate: 500, StintToMove: 3, StintEnd: 4, StintSeconds: expect.any(Number) },
    ]);
  });

  test('looks every 30 seconds whether it may go on, and gives back what it has where it may not', async () => {
    const movePass = await DeployedMovePass.deploy();
    await movePass.deadLetterMessage(deadLetters(200));
    const offAtMs = movePass.deployed.aws.nowMs + 40_000;
    const came = await movePass.copy({ messagesPerSecond: 2, offAtMs });
    expect(came).toMatchObject({ status: 'CANCELLED', cause: 'switched-off', reason: 'the switch is off' });
    expect(came.moved).toBeGreaterThan(80);
    expect(came.moved).toBeLessThanOrEqual(2 * 61);
    expect([movePass.visible('Dead'), movePass.held('Home')]).toEqual([200 - came.moved, came.moved]);
  });

  test('pauses in good time before Lambda stops it, and another goes on without a second above the rate', async () => {
    const movePass = await DeployedMovePass.deploy({ timeoutSeconds: 60 });
    await movePass.deadLetterMessage(deadLetters(100));
    const first = await movePass.copy({ messagesPerSecond: 2 });
    expect(first).toMatchObject({ status: 'PAUSED', reason: 'the time of the function was over' });
    expect(first.moved).toBeGreaterThan(55);
    expect(movePass.visible('Dead')).toBe(100 - first.moved);
    const second = await movePass.copy({ messagesPerSecond: 2 });
    expect(second).toMatchObject({ status: 'COMPLETED', moved: 100 - first.moved });
    expect(mostInASecond(movePass.arrivals('Home'))).toBe(2);
    expect(sorted(await movePass.drain('Home'))).toEqual(sorted(deadLetters(100)));
  });

  test('moves each letter once in a run: what comes back while it goes on stays for another', async () => {
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

  test('pauses where SQS deletes nothing: what was copied is copied once more, and nothing is lost', async () => {
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

describe('A stint of copying from a FIFO queue', () => {
  const messageOf = (group: string, number: number, more = '') => ({
    MessageBody: `${group}${number}${more}`,
    MessageGroupId: group,
    MessageDeduplicationId: `${group}${number}`,
  });

  test('keeps the group, the order in it, and an id by which a second copy is none', async () => {
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

  test('leaves what is behind a letter that stays, and other groups go on', async () => {
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
