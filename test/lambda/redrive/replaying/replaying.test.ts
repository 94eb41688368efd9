import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Duration, type Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { DeployedMovePass, type MovePassQueues } from '../../../mover/stint-fixture';
import { inlineFunction } from '../../../support/inline-function';

const EMPTY = 'no letter is visible any more';

const PRINTS = 'exports.handler = async event => { console.log("EVENT " + JSON.stringify(event)); };';

/** Fails at poison, and before an hour has come at all that names one. */
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
  gone.grantInvoke(movePass);
}

describe('A stint of replaying from the fan-out dead-letter queue of a subscription', () => {
  test('invokes the function with the very event SNS would have, field by field', async () => {
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
});

/** A function that Lambda tries so many more times, the first of them a minute later. */
function failingAfter(retryAttempts: number) {
  return (stack: Stack, { dead }: MovePassQueues, movePass: LambdaFunction): void => {
    const fails = inlineFunction(stack, 'Fails', FAILS, {
      deadLetterQueue: dead,
      retryAttempts,
      timeout: Duration.seconds(5),
    });
    fails.grantInvoke(movePass);
  };
}

const failing = failingAfter(0);

async function invoke({ deployed }: DeployedMovePass, event: object): Promise<void> {
  const command = new InvokeCommand({
    FunctionName: deployed.ref('Fails'),
    InvocationType: 'Event',
    Payload: JSON.stringify(event),
  });
  await new LambdaClient(deployed.aws.clientConfig()).send(command);
}

describe('A stint of replaying from a function’s own dead-letter queue', () => {
  const destinationOf = ({ deployed }: DeployedMovePass) =>
    ({ kind: 'function', arn: deployed.arn('Fails'), bodyIs: 'event' }) as const;

  const failed = (movePass: DeployedMovePass) => movePass.deployed.advance({ seconds: 10 });

  test('replays each event once, and what fails again while it goes on goes to the quarantine, with the reasons', async () => {
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
      QuarantineReason: 'was replayed, and the function failed again',
      QuarantinedFrom: movePass.deployed.arn('Dead'),
      ErrorCode: '200',
      ErrorMessage: 'no such vehicle class',
    });
    const counted = {
      StintRate: 10,
      StintToMove: 4,
      StintMoved: 4,
      StintSetAside: 1,
      StintReturned: 1,
      StintEnd: 1,
      StintSeconds: expect.any(Number),
    };
    expect(Object.values(movePass.metrics)).toEqual([counted]);
  });

  test.each([
    { later: 'the same run', isSameRun: true, returned: { returned: 1 } },
    { later: 'a later run', isSameRun: false, returned: {} },
  ])('knows in another invocation, in $later, what had its replay', async ({ isSameRun, returned }) => {
    const movePass = await DeployedMovePass.deploy({ more: failingAfter(1) });
    await movePass.deadLetterMessage(['{"order":1,"poison":true}', '{"order":2}']);
    const runStartedAtMs = movePass.deployed.aws.nowMs;
    expect(await movePass.run(destinationOf(movePass), { runStartedAtMs })).toMatchObject({ moved: 2 });
    await movePass.deployed.advance({ minutes: 2 });
    expect([movePass.held('Dead'), movePass.held('Quarantine')]).toEqual([1, 0]);

    const order = isSameRun ? { runStartedAtMs } : {};
    const came = await movePass.run(destinationOf(movePass), order);
    expect(came).toEqual({
      outcome: 'stint',
      status: 'COMPLETED',
      reason: EMPTY,
      moved: 0,
      quarantined: 1,
      ...returned,
    });
    await movePass.deployed.advance({ minutes: 2 });
    expect([movePass.held('Dead'), movePass.held('Quarantine')]).toEqual([0, 1]);
    const poison = eventsOf(movePass, 'Fails').filter(event => JSON.stringify(event) === '{"order":1}');
    // Lambda's own attempts at the one replay.
    expect(poison).toHaveLength(2);
  });

  test('leaves what came back among the dead letters where there is no quarantine, and replays it no more', async () => {
    const movePass = await DeployedMovePass.deploy({ more: failing });
    await invoke(movePass, { order: 1, poison: true });
    await failed(movePass);
    const settings = { deadLetters: movePass.queue('Dead'), destination: destinationOf(movePass), settleMs: 0 };
    expect(await movePass.run(destinationOf(movePass), { settings })).toMatchObject({ moved: 1 });
    const left = [expect.objectContaining({ reason: 'was replayed, and the function failed again', messages: 1 })];
    expect(await movePass.run(destinationOf(movePass), { settings })).toMatchObject({
      status: 'COMPLETED',
      moved: 0,
      left,
    });
    expect([movePass.visible('Dead'), eventsOf(movePass, 'Fails')]).toEqual([1, [{ order: 1 }, { order: 1 }]]);
  });

  test('puts what is no event into the quarantine, untried and beside its quota', async () => {
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

  test('waits where Lambda throttles, keeps its pace, and loses nothing', async () => {
    const movePass = await DeployedMovePass.deploy({ more: failing });
    const resource = movePass.deployed.arn('Fails');
    await movePass.deadLetterMessage(Array.from({ length: 12 }, (_, order) => JSON.stringify({ order })));
    movePass.deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', resource, throttle: true, forMs: 2_000 });
    expect(await movePass.run(destinationOf(movePass), { messagesPerSecond: 10 })).toMatchObject({ moved: 12 });
    await failed(movePass);
    expect(new Set(eventsOf(movePass, 'Fails').map(event => JSON.stringify(event))).size).toBe(12);
    expect(movePass.held('Dead')).toBe(0);
  });

  test('fails where it may not invoke, and gives all letters back', async () => {
    const movePass = await DeployedMovePass.deploy({ more: failing });
    await movePass.deadLetterMessage(['{"order":1}', '{"order":2}']);
    const gone = { ...destinationOf(movePass), arn: `${movePass.deployed.arn('Fails')}-of-old` };
    const reason = expect.stringMatching(/^Invoke: .+/);
    expect(await movePass.run(gone)).toMatchObject({ status: 'FAILED', moved: 0, reason });
    expect(movePass.visible('Dead')).toBe(2);
  });

  test.each([2, 3, 4])(
    'replays once more, and loses nothing, where it breaks off after %i requests',
    async afterRequests => {
      const movePass = await DeployedMovePass.deploy({ more: failing, timeoutSeconds: 60 });
      await movePass.deadLetterMessage(['{"order":1}', '{"order":2}']);
      movePass.deployed.aws.interruptions.set({
        functionName: movePass.deployed.ref('Stint'),
        how: 'exit',
        afterRequests,
      });
      const { error } = await movePass.tryRun(destinationOf(movePass));
      expect(error).toBeDefined();
      await movePass.deployed.advance({ minutes: 2 });
      expect(await movePass.run(destinationOf(movePass))).toMatchObject({ status: 'COMPLETED' });
      await failed(movePass);
      expect(new Set(eventsOf(movePass, 'Fails').map(event => JSON.stringify(event))).size).toBe(2);
      expect([movePass.held('Dead'), movePass.held('Quarantine')]).toEqual([0, 0]);
    },
  );
});
