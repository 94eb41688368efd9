import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { response } from '../../../local';
import { closedBooks } from './relay-books';
import { DEAD, RelaySimulation, SHORT } from './relay-world';

const MESSAGES = 40;

async function publishAll(world: RelaySimulation, count = MESSAGES): Promise<void> {
  for (let index = 0; index < count; index += 1) await world.publish(`order ${index}`);
}

describe('A function that is killed in the middle of a batch', () => {
  test.each([
    { seed: 41, how: 'exit', afterRequests: 3 },
    { seed: 42, how: 'out-of-memory', afterRequests: 7 },
    { seed: 43, how: 'timeout', afterRequests: 5 },
  ] as const)(
    'by $how behind request $afterRequests loses none of it: what the endpoint had is sent again (seed $seed)',
    async ({ seed, how, afterRequests }) => {
      const world = await RelaySimulation.deploy({ seed });
      const { functionName } = world;
      // Side by side, so that all of a batch is on its way when the process ends.
      world.partner.behave({ reply: response(200, '', {}, { latencyMs: 200 }) });
      world.deployed.aws.interruptions.set({ functionName, how, afterRequests, count: 3 });
      await publishAll(world);
      await world.advance({ hours: 1 });
      const books = await world.books();
      expect(world.deployed.happened('lambda.finished').filter(({ outcome }) => outcome !== 'success')).toHaveLength(3);
      expect(books).toEqual({ ...closedBooks(MESSAGES), repeated: books.repeated });
      expect(books.repeated).toBe(3 * afterRequests);
      expect(world.queued).toBe(0);
      expect(world.deployed.alarmed('Relay/ErrorsAlarm')).not.toEqual([]);
    },
  );

  test('once the endpoint has refused and the dead-letter queue has it leaves a dead letter more, and no message less (seed 44)', async () => {
    const world = await RelaySimulation.deploy({ seed: 44 });
    const { functionName } = world;
    world.partner.behave({ reply: response(422), count: 2 });
    // Behind the request to the endpoint and the one to the dead-letter queue.
    world.deployed.aws.interruptions.set({ functionName, how: 'exit', afterRequests: 2 });
    await publishAll(world, 1);
    await world.advance({ hours: 1 });
    expect(await world.books()).toEqual(closedBooks(0, { refused: 1 }));
    expect(world.dead.all).toHaveLength(2);
    expect(world.queued).toBe(0);
  });
});

describe('A function without concurrency', () => {
  const reserve = async ({ deployed: { aws }, functionName: FunctionName }: RelaySimulation, concurrency?: number) => {
    const lambda = new LambdaClient(aws.clientConfig());
    if (concurrency === undefined) await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    else {
      const ReservedConcurrentExecutions = concurrency;
      await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
    }
  };

  test('delivers all once it has some again, and most of the schedule is still there (seed 45)', async () => {
    const world = await RelaySimulation.deploy({ seed: 45 });
    await reserve(world, 0);
    await publishAll(world);
    await world.advance({ hours: 1 });
    expect(world.posted).toEqual([]);
    expect(world.queued).toBe(MESSAGES);
    expect(world.deployed.alarmed('Relay/ThrottlesAlarm')).toHaveLength(1);
    world.partner.behave({ reply: response(503), count: MESSAGES });
    await reserve(world);
    await world.advance({ hours: 2 });
    expect(await world.books()).toEqual(closedBooks(MESSAGES));
    expect(world.queued).toBe(0);
    expect(world.posted).toHaveLength(2 * MESSAGES);
    // SQS hands a message that is throttled out again each 270 s: what is due at the first request is no later retry than
    // the 14th of 93, for a receive counts as an attempt where the schedule could have come so far.
    const firsts = new Map(
      [...world.attempts].reverse().map(it => [it.notification.messageId, it.delivery.attempts ?? 0]),
    );
    expect(Math.max(...firsts.values())).toBeLessThanOrEqual(14);
  });

  test('for longer than its policy is long leaves each message its last attempt (seed 47)', async () => {
    const world = await RelaySimulation.deploy({ seed: 47, relay: () => SHORT });
    await reserve(world, 0);
    await publishAll(world);
    await world.advance({ minutes: 30 });
    // One of two fails: of what SQS counts nobody can tell that nothing was tried before.
    world.partner.behave({ reply: response(503), count: MESSAGES / 2 });
    await reserve(world);
    await world.advance({ minutes: 30 });
    expect(await world.books()).toEqual(closedBooks(MESSAGES / 2, { 'retries-spent': MESSAGES / 2 }));
    expect(world.posted).toHaveLength(MESSAGES);
    expect(world.queued).toBe(0);
  });

  test('for longer than the backstop leaves all to SQS, and a move back brings each to the endpoint (seed 46)', async () => {
    const world = await RelaySimulation.deploy({ seed: 46, relay: () => SHORT });
    await reserve(world, 0);
    await publishAll(world);
    // 14 receives, each hidden for the 180 seconds of the queue's visibility timeout: 42 minutes.
    await world.advance({ minutes: 50 });
    expect([world.queued, world.posted.length]).toEqual([0, 0]);
    expect(world.deployed.happened('sqs.dead-lettered')).toHaveLength(MESSAGES);
    // What SQS moves itself is not counted as sent, and the alarm on what waits tells of it.
    expect(world.deployed.alarmed(`${DEAD}/WaitingAlarm`)).toHaveLength(1);
    await reserve(world);
    await world.moveBack();
    await world.advance({ minutes: 10 });
    expect(await world.books()).toEqual(closedBooks(MESSAGES));
    expect(world.posted).toHaveLength(MESSAGES);
    expect(world.queued).toBe(0);
  });
});
