import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { AlarmSet } from '../../../lib';
import { noAnswer, response, silence } from '../../../local';
import { MINUTE_MS } from '../../../policy/time-units';
import { LedgerSums, seedsToPlay } from '../seeds';
import { playRelay } from './random-relays';
import { closedBooks } from './relay-books';
import { DOWN, overtaken, RelaySimulation, SHORT } from './relay-simulation';

/** Some simulations last for a day, which takes long on a busy machine. */
const sums = new LedgerSums();

afterAll(() => sums.print());

test.each(seedsToPlay(2))(
  'Whatever happens to it, a message is delivered, or queued, or dead: at every moment, and in the end not queued with 30 messages (seed %i)',
  async seed => {
    const ledger = await playRelay(seed);
    sums.add('relay', ledger);
    expect(ledger).toMatchObject({ lost: [], withoutReason: [] });
  },
);

const MESSAGES = 20;

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
      const world = await RelaySimulation.deploy({ seed, relay: () => ({ alarms: AlarmSet.ALL }) });
      const { functionName } = world;
      // The endpoint is slow, so that all requests of a batch are under way when the process ends.
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
    // After the request to the endpoint and the one to the dead-letter queue.
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
    expect(world.deployed.alarmed('Relay/StalledAlarm')).toHaveLength(1);
    world.partner.behave({ reply: response(503), count: MESSAGES });
    await reserve(world);
    await world.advance({ hours: 2 });
    expect(await world.books()).toEqual(closedBooks(MESSAGES));
    expect(world.queued).toBe(0);
    expect(world.posted).toHaveLength(2 * MESSAGES);
    // SQS returns a throttled message again each 270 s. A receive counts as an attempt only if the schedule could have come
    // that far, so the first request is at most the 14th of 93 retries.
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
    // Half of the requests fail. SQS's receive count does not show that nothing was tried before.
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
    // NumberOfMessagesSent does not count messages that SQS moves itself. The growth of the queue reports them.
    expect(world.deployed.alarmed('Relay/DeadLetteredAlarm')).toHaveLength(1);
    await reserve(world);
    await world.moveBack();
    await world.advance({ minutes: 10 });
    expect(await world.books()).toEqual(closedBooks(MESSAGES));
    expect(world.posted).toHaveLength(MESSAGES);
    expect(world.queued).toBe(0);
  });
});

/** Plays an hour of a relay with a breaker. Its endpoint fails at random, and its function is sometimes interrupted. */
async function play(seed: number): Promise<string> {
  const world = await RelaySimulation.deploy({
    seed,
    relay: () => ({ circuitBreaker: {}, maxReceivesPerSecond: 10 }),
  });
  const { chance, functionName, deployed } = world;
  const replies = [
    response(200),
    response(503),
    response(429, '', { 'Retry-After': '70' }),
    response(422),
    silence(),
    noAnswer(),
  ];
  world.partner.behave(
    ...Array.from({ length: 50 }, () => ({
      reply: replies[chance.integer(0, replies.length - 1)] ?? silence(),
      count: 1,
    })),
  );
  deployed.aws.interruptions.set({ functionName, how: 'exit', invocation: 9, afterRequests: 2, count: 2 });
  for (let index = 0; index < 30; index += 1) {
    await world.publish(`order ${index}`);
    await world.advance({ seconds: chance.integer(0, 60) });
  }
  await world.advance({ hours: 1 });
  return deployed.aws.trace.toJsonLines();
}

test('same bytes: The same seed writes the same bytes of a relay', async () => {
  const once = await play(71);
  expect(await play(71)).toBe(once);
  for (const type of ['lambda.batch-finished', 'sqs.visibility-changed', 'sqs.deleted', 'sqs.sent']) {
    expect(once).toContain(`"type":"${type}"`);
  }
});

const groupOf = (message: string): string => message.slice(0, message.lastIndexOf(' '));

/** Publishes one more message for each customer. */
async function publishRound(world: RelaySimulation, customers: number, round: number): Promise<void> {
  for (let customer = 0; customer < customers; customer += 1) {
    await world.publish(`customer-${customer} ${round}`, `customer-${customer}`);
  }
}

describe('A FIFO relay keeps each customer’s orders in order', () => {
  test('though its breaker stops it, probes and starts it again (seed 61)', async () => {
    const world = await RelaySimulation.deploy({ seed: 61, relay: () => ({ fifo: true, circuitBreaker: {} }) });
    const { deployed } = world;
    world.partner.behave({ ...DOWN, untilMs: deployed.aws.nowMs + 30 * MINUTE_MS });
    const [customers, rounds] = [8, 6];
    for (let round = 0; round < rounds; round += 1) {
      await publishRound(world, customers, round);
      await world.advance({ minutes: 6 });
    }
    await world.advance({ hours: 2 });
    expect(deployed.happened('lambda.mapping-disabled').length).toBeGreaterThan(0);
    expect(await world.books()).toEqual(closedBooks(customers * rounds));
    expect(overtaken(world.posted, groupOf)).toEqual([]);
  });

  test('though its function is killed in the middle of a batch (seed 62)', async () => {
    const world = await RelaySimulation.deploy({ seed: 62, relay: () => ({ fifo: true }) });
    const { functionName } = world;
    world.partner.behave({ ...DOWN, count: 5 }, { reply: response(200, '', {}, { latencyMs: 200 }) });
    const [customers, rounds] = [4, 6];
    for (let round = 0; round < rounds; round += 1) await publishRound(world, customers, round);
    const { interruptions } = world.deployed.aws;
    interruptions.set({ functionName, how: 'exit', afterRequests: 2, count: 4 });
    await world.advance({ hours: 3 });
    const books = await world.books();
    const died = world.deployed.happened('lambda.finished').filter(({ outcome }) => outcome !== 'success');
    expect(died).toHaveLength(4);
    expect(books).toEqual({ ...closedBooks(customers * rounds), repeated: books.repeated });
    expect(books.repeated).toBeGreaterThan(0);
    expect(overtaken(world.posted, groupOf)).toEqual([]);
  });
});
