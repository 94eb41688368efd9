import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { Duration } from 'aws-cdk-lib';
import { Webhook } from 'standardwebhooks';
import type { HttpRelayOptions } from '../../../lib';
import { type Behaviour, response } from '../../../local';
import { STACK_BREAKER } from '../../support/breakers';
import { relaySpending, type Spent } from '../../support/relay-spending';
import { statedSecret } from '../../support/stated-secret';
import { closedBooks } from './relay-books';
import { DOWN, MOVED_BY_SQS, type Posted, RelaySimulation, type RelayWorldOptions, SHORT } from './relay-simulation';

describe('retry after', () => {
  async function publishAll(world: RelaySimulation, count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      await world.publish(`order ${index}`);
      await world.advance({ seconds: world.chance.integer(0, 90) });
    }
  }

  /** https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
  describe('An endpoint that answers 429', () => {
    test.each([{ seed: 21 }])(
      'and how many seconds to wait is not asked again before they are over (seed $seed)',
      async ({ seed }) => {
        const world = await RelaySimulation.deploy({ seed });
        const asked = Array.from({ length: 60 }, () => world.chance.integer(1, 3_000));
        world.partner.behave(
          ...asked.map((seconds): Behaviour => {
            return { reply: response(429, 'slow down', { 'Retry-After': String(seconds) }), count: 1 };
          }),
        );
        await publishAll(world, 20);
        await world.advance({ hours: 12 });
        expect(await world.books()).toEqual(closedBooks(20));
        expect(world.posted).toHaveLength(60 + 20);
        // The n-th request got the n-th delay as its `Retry-After`.
        const reported = world.posted.map((posted, index) => ({ ...posted, waitSeconds: asked[index] ?? 0 }));
        const early = reported.flatMap(({ messageId, message, atMs, waitSeconds }, index) => {
          const next = reported.slice(index + 1).find(it => it.messageId === messageId);
          return next && next.atMs < atMs + waitSeconds * 1_000 ? [{ message, atMs, waitSeconds }] : [];
        });
        expect(early).toEqual([]);
      },
    );
  });
});

describe('poison', () => {
  /** Disables the mapping while messages are published, so that they come in one batch. */
  async function setEnabled({ deployed: { aws } }: RelaySimulation, Enabled: boolean): Promise<void> {
    const [mapping] = aws.services.lambda.mappings.all();
    await new LambdaClient(aws.clientConfig()).send(
      new UpdateEventSourceMappingCommand({ UUID: mapping?.uuid, Enabled }),
    );
    await aws.advance({ minutes: 2 });
  }

  const batchSizes = ({ deployed }: RelaySimulation): readonly number[] =>
    deployed.happened('lambda.batch-received').map(({ messageIds }) => messageIds.length);

  describe('One poison message', () => {
    test('of a batch of ten, which the endpoint refuses, dies alone and says why: the other nine are delivered (seed 31)', async () => {
      const world = await RelaySimulation.deploy({ seed: 31 });
      await setEnabled(world, false);
      for (let index = 0; index < 10; index += 1) await world.publish(`order ${index}`);
      world.partner.behave(
        { reply: response(200), count: 6 },
        { reply: response(422, 'no such vehicle class'), count: 1 },
      );
      await setEnabled(world, true);
      expect(batchSizes(world)).toEqual([10]);
      expect(await world.books()).toEqual(closedBooks(9, { refused: 1 }));
      expect(world.queued).toBe(0);
      expect(world.posted).toHaveLength(10);
      const [message] = world.dead.all;
      expect(message?.messageId).toBe(world.posted.find(({ status }) => status === 422)?.messageId);
      expect(message?.attributes).toMatchObject({
        DeadLetterCause: 'refused',
        DeadLetterReason: 'the endpoint refuses it (422)',
        AttemptsSpent: '1',
        LastStatusCode: '422',
      });
    });

    test('that no relay can read dies alone too, untried (seed 32)', async () => {
      const world = await RelaySimulation.deploy({ seed: 32 });
      await setEnabled(world, false);
      for (let index = 0; index < 9; index += 1) await world.publish(`order ${index}`);
      await world.deployed.send('Relay/Queue', '{"Type":"Notification","MessageId":"by hand"}');
      await setEnabled(world, true);
      expect(batchSizes(world)).toEqual([10]);
      expect(await world.books()).toEqual(closedBooks(9));
      expect(world.queued).toBe(0);
      expect(world.dead.all).toMatchObject([{ cause: 'not-an-envelope', attributes: { AttemptsSpent: '0' } }]);
    });
  });

  /**
   * No known message makes the bundle crash, so the test sets a fault: each invocation
   * with the first message of the group ends at once.
   */
  describe('One message with which the process dies, time and again,', () => {
    test('is moved to the dead-letter queue by SQS, and its group goes on (seed 33)', async () => {
      // The first request waits for its turn, and is never sent.
      const relay = () => ({ ...SHORT, fifo: true, maxReceivesPerSecond: 10 });
      const world = await RelaySimulation.deploy({ seed: 33, relay });
      const { functionName } = world;
      // Three retries need four receives. Ten more are kept in reserve.
      const receives = 4 + 10;
      world.deployed.aws.interruptions.set({ functionName, how: 'exit', count: receives });
      for (const message of ['poison', 'second', 'third']) await world.publish(message, 'customer-7');
      await world.advance({ hours: 2 });
      expect(await world.books()).toEqual(closedBooks(2, { [MOVED_BY_SQS]: 1 }));
      expect(world.queued).toBe(0);
      expect(world.posted.map(({ message }) => message)).toEqual(['second', 'third']);
      expect(world.dead.all.map(({ message }) => message)).toEqual(['poison']);
      expect(world.deployed.happened('sqs.dead-lettered').map(({ receiveCount }) => receiveCount)).toEqual([receives]);
      expect(world.deployed.alarmed('Relay/StalledAlarm').length).toBeGreaterThan(0);
    });
  });
});

describe('pace', () => {
  /** Returns the highest number of requests within any interval of this many milliseconds, without its end. */
  function mostWithin(ms: number, { posted }: RelaySimulation): number {
    return Math.max(
      ...posted.map(from => posted.filter(({ atMs }) => atMs >= from.atMs && atMs < from.atMs + ms).length),
    );
  }

  /** Counts the execution environments of the relay's function. */
  function environments({ deployed, functionName }: RelaySimulation): number {
    const ran = deployed
      .happened('lambda.invoked')
      .filter(({ functionArn }) => functionArn.endsWith(`:${functionName}`));
    return new Set(ran.map(({ environment }) => environment)).size;
  }

  /** Sends a hundred orders at once through a relay to a slow endpoint that sometimes fails. */
  async function rush(seed: number, options: HttpRelayOptions): Promise<RelaySimulation> {
    const world = await RelaySimulation.deploy({ seed, relay: () => options });
    const moods = Array.from({ length: 60 }, () => world.chance.integer(0, 2));
    world.partner.behave(
      ...moods.map(mood => ({ reply: response(mood === 0 ? 503 : 200, '', {}, { latencyMs: 100 * mood }), count: 1 })),
    );
    for (let index = 0; index < 100; index += 1) await world.publish(`order ${index}`);
    await world.advance({ minutes: 30 });
    expect(await world.books()).toEqual(closedBooks(100));
    expect(environments(world)).toBeGreaterThan(1);
    return world;
  }

  describe('maxReceivesPerSecond', () => {
    test.each([
      { seed: 91, maximumConcurrency: 2, maxReceivesPerSecond: 2 },
      { seed: 93, maximumConcurrency: 5, maxReceivesPerSecond: 20 },
      { seed: 94, maximumConcurrency: 3, maxReceivesPerSecond: 10 },
    ])(
      'of $maxReceivesPerSecond is exceeded in no second, while more is due and $maximumConcurrency environments run (seed $seed)',
      async ({ seed, ...options }) => {
        const world = await rush(seed, options);
        expect(mostWithin(1_000, world)).toBeLessThanOrEqual(options.maxReceivesPerSecond);
      },
    );

    test('of fewer than there are environments holds for the time in which each sends once (seed 96)', async () => {
      const world = await rush(96, { maximumConcurrency: 5, maxReceivesPerSecond: 2 });
      expect(mostWithin(2_500, world)).toBeLessThanOrEqual(5);
    });
  });
});

describe('spending', () => {
  const MESSAGES = 1_000;
  const BATCH = 10;
  const FAILING = MESSAGES / 20;

  /** Every twentieth request gets another answer. */
  const oneIn20 = (status: number): readonly Behaviour[] =>
    Array.from({ length: FAILING }, () => [
      { reply: response(200), count: 19 },
      { reply: response(status), count: 1 },
    ]).flat();

  /** Messages that came at once, as after an outage. */
  async function play(behaviours: readonly Behaviour[], relay?: RelayWorldOptions['relay']) {
    const world = await RelaySimulation.deploy({ seed: 51, ...(relay && { relay }) });
    const { deployed, partner } = world;
    const spent = relaySpending(deployed.aws, deployed.ref('Relay/Role'), deployed.arn('Relay/Function'));
    partner.behave(...behaviours);
    const { sns } = deployed.aws.services;
    const TopicArn = deployed.ref('Orders');
    for (let i = 0; i < MESSAGES; i += 1) sns.call('Publish', sns.owner, { TopicArn, Message: `order ${i}` });
    await world.advance({ minutes: 10 });
    expect(world.queued).toBe(0);
    const taken = world.posted.filter(({ isTaken }) => isTaken).length;
    return { spent: spent(), requests: world.posted.length, taken };
  }

  /** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-batch-api-actions.html */
  describe('A thousand messages of a relay (seed 51)', () => {
    const batches = MESSAGES / BATCH;
    const healthy: Spent = {
      received: batches,
      receivedNothing: 5,
      deleted: batches,
      hidden: 0,
      deadLettered: 0,
      others: [],
      invocations: batches,
    };

    test('take a receive, a run and a delete for ten of them where all is well', async () => {
      expect(await play([])).toEqual({ spent: healthy, requests: MESSAGES, taken: MESSAGES });
    });

    test('take no more where a twentieth fails once, for they are tried again at once', async () => {
      expect(await play(oneIn20(503))).toEqual({ spent: healthy, requests: MESSAGES + FAILING, taken: MESSAGES });
    });

    test('take a call more for each batch with failures, and a receive, a run and a delete for each batch that comes back', async () => {
      const { spent, requests, taken } = await play(oneIn20(503), () => SHORT);
      // The rate ceiling makes the messages fail one after the other, two or three in a batch. They return in the same order.
      const failed = { received: 120, deleted: 120, invocations: 120, hidden: 20 };
      expect({ requests, taken }).toEqual({ requests: MESSAGES + FAILING, taken: MESSAGES });
      expect(spent).toEqual({ ...healthy, ...failed, receivedNothing: 45 });
    });

    test('take one call for each that is refused: the one that sends it to the dead-letter queue', async () => {
      const { spent, requests, taken } = await play(oneIn20(422));
      expect({ requests, taken }).toEqual({ requests: MESSAGES, taken: MESSAGES - FAILING });
      expect(spent).toEqual({ ...healthy, deadLettered: FAILING });
    });
  });
});

describe('secret rotation', () => {
  const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
  const [OLD, NEW] = [keyOf(1), keyOf(2)];

  const HOUR_MS = 3_600_000;

  /** Whether a receiver that knows only this key accepts the request, by its clock. */
  function verifies(secret: string, { atMs, body, headers }: Posted): boolean {
    jest.setSystemTime(atMs);
    try {
      new Webhook(secret).verify(body, { ...headers }, { jsonParse: false });
      return true;
    } catch {
      return false;
    }
  }

  describe('A signing secret that is rotated in the middle of an outage', () => {
    afterEach(() => jest.useRealTimers());

    test.each([{ seed: 51 }])(
      'leaves no receiver behind: one with the old key and one with the new both verify what waited (seed $seed)',
      async ({ seed }) => {
        const world = await RelaySimulation.deploy({
          seed,
          relay: stack => ({ signingSecret: statedSecret(stack, 'Signing', OLD) }),
        });
        const { aws } = world.deployed;
        const rotatedAtMs = aws.nowMs + 3 * HOUR_MS;
        world.partner.behave({ ...DOWN, untilMs: aws.nowMs + 6 * HOUR_MS });
        const secrets = new SecretsManagerClient(aws.clientConfig());
        for (let hour = 0; hour < 8; hour += 1) {
          if (aws.nowMs === rotatedAtMs) {
            await secrets.send(
              new PutSecretValueCommand({ SecretId: world.deployed.ref('Signing'), SecretString: NEW }),
            );
          }
          for (let index = 0; index < 3; index += 1) await world.publish(`order ${hour}.${index}`);
          await world.advance({ hours: 1 });
        }
        expect(await world.books()).toEqual(closedBooks(24));
        expect(world.queued).toBe(0);

        jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
        const taken = world.posted.filter(({ isTaken }) => isTaken);
        expect(taken.filter(posted => verifies(OLD, posted) && verifies(NEW, posted))).toHaveLength(24);
        // Attempts before the rotation, and for at most five minutes after it, know only the old key.
        const signedBy = (secret: string) => world.posted.filter(posted => verifies(secret, posted));
        expect(signedBy(OLD)).toHaveLength(world.posted.length);
        const firstNewAtMs = Math.min(...signedBy(NEW).map(({ atMs }) => atMs));
        expect(firstNewAtMs).toBeGreaterThanOrEqual(rotatedAtMs);
        const stale = world.posted.filter(posted => posted.atMs >= rotatedAtMs && !verifies(NEW, posted));
        expect(stale.filter(({ atMs }) => atMs >= rotatedAtMs + 300_000)).toEqual([]);
      },
    );
  });
});

describe('swept', () => {
  /** With a retention of three hours, a breaker sweeps its queue each 22.5 minutes. */
  test('What waits behind an open breaker has its whole schedule left, however often the breaker went through it (seed 98)', async () => {
    const circuitBreaker = { probeInterval: Duration.minutes(30) };
    const options = { ...SHORT, retentionPeriod: Duration.hours(3), circuitBreaker };
    const world = await RelaySimulation.deploy({ seed: 98, relay: () => options });
    world.partner.behave(DOWN);
    for (let minute = 0; minute < 3; minute += 1) {
      for (let index = 0; index < 12; index += 1) await world.publish(`early ${minute}.${index}`);
      await world.advance({ minutes: 1 });
    }
    await world.advance({ minutes: 7 });
    const waiting = new Set<string>();
    for (let index = 0; index < 30; index += 1) waiting.add(await world.publish(`waiting ${index}`));
    await world.advance({ minutes: 75 });
    const log = world.deployed.log(world.deployed.ref(`${STACK_BREAKER}/Log`));
    expect(log.filter(line => line.includes('"message":"expiring"')).length).toBeGreaterThanOrEqual(3);
    // A probe succeeds, and then the first attempts of the waiting messages fail.
    world.partner.behave({ reply: response(200), count: 1 }, { ...DOWN, count: 40 });
    await world.advance({ minutes: 45 });
    const ours = world.postedByMessage.filter(([first]) => waiting.has(first?.messageId ?? ''));
    expect(ours.map(posts => posts.map(({ status }) => status))).toEqual([...waiting].map(() => [503, 200]));
    expect((await world.books()).dead).toEqual({});
  });
});
