import {
  DescribeRuleCommand,
  DisableRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
} from '@aws-sdk/client-eventbridge';
import { GetEventSourceMappingCommand, InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import type { HttpRelayOptions } from '../../../lib';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { breakerPayload, STACK_BREAKER } from '../../support/breakers';
import { closedBooks } from './relay-books';
import { DEAD, DOWN, RelaySimulation, SHORT } from './relay-simulation';

/** The messages a minute that a breaker needs for a decision. */
const A_MINUTE = 10;

/** A relay with its breaker, and what they did. */
class BreakerWorld {
  private readonly lambda: LambdaClient;
  private published = 0;

  private constructor(readonly world: RelaySimulation) {
    this.lambda = new LambdaClient(world.deployed.aws.clientConfig());
  }

  static async deploy(seed: number): Promise<BreakerWorld> {
    const it = new BreakerWorld(await RelaySimulation.deploy({ seed, relay: () => ({ circuitBreaker: {} }) }));
    // The breaker is checked at minutes 2, 7, 12 and so on. The alarm fires between two checks.
    await it.world.advance({ minutes: 1 });
    return it;
  }

  get breakerName(): string {
    return this.world.deployed.ref(`${STACK_BREAKER}/Function`);
  }

  /** Publishes, minute by minute. */
  async trade(minutes: number, perMinute = A_MINUTE): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let index = 0; index < perMinute; index += 1) {
        await this.world.publish(`order ${this.published}`);
        this.published += 1;
      }
      await this.world.advance({ minutes: 1 });
    }
  }

  goDown(minutes: number): void {
    this.world.partner.behave({ ...DOWN, untilMs: this.world.deployed.aws.nowMs + minutes * MINUTE_MS });
  }

  /** The changes that the breaker made. */
  get steps(): readonly string[] {
    const lines = this.world.deployed.log(this.world.deployed.ref(`${STACK_BREAKER}/Log`));
    const reported = lines
      .filter(line => line.includes('"message":"breaker"'))
      .map(line => JSON.parse(line.slice(line.indexOf('{'))));
    return reported.filter(({ did }) => did !== 'leave').map(({ did, from, to }) => `${did}: ${from} to ${to}`);
  }

  /** In seconds since the start of the simulation. */
  get openedAt(): readonly number[] {
    const { deployed } = this.world;
    return deployed.happened('lambda.mapping-disabled').map(({ atMs }) => deployed.secondsAt(atMs));
  }

  /** Leaves the rule only its schedule, so that it does not run the breaker when the alarm fires. */
  async loseEvents(): Promise<void> {
    const { deployed } = this.world;
    const client = new EventBridgeClient(deployed.aws.clientConfig());
    const { Name, ScheduleExpression } = await client.send(new DescribeRuleCommand({ Name: this.rule }));
    await client.send(new PutRuleCommand({ Name, ScheduleExpression }));
  }

  async disableRule(): Promise<void> {
    const client = new EventBridgeClient(this.world.deployed.aws.clientConfig());
    await client.send(new DisableRuleCommand({ Name: this.rule }));
  }

  private get rule(): string {
    return this.world.deployed.ref(`${STACK_BREAKER}/Rule`);
  }

  async mapping() {
    const UUID = this.uuid;
    const { State, ScalingConfig } = await this.lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return { state: State, concurrency: ScalingConfig?.MaximumConcurrency };
  }

  /** Runs the breaker this many times at once. */
  async runAtOnce(times: number): Promise<void> {
    const Payload = await breakerPayload(this.world.deployed);
    const invoke = () => this.lambda.send(new InvokeCommand({ FunctionName: this.breakerName, Payload }));
    const runs = Promise.all(Array.from({ length: times }, invoke));
    await this.world.advance({ minutes: 2 });
    for (const { FunctionError } of await runs) expect(FunctionError).toBeUndefined();
  }

  private get uuid(): string | undefined {
    return this.world.deployed.aws.services.lambda.mappings.all()[0]?.uuid;
  }
}

/** From the first failure to the last step back, while the endpoint is down for half an hour. */
const WHOLE_CYCLE = [
  'open: closed to open',
  ...Array.from({ length: 4 }, () => 'probe: open to open'),
  'half-open: open to half-open',
  'widen: half-open to half-open',
  'widen: half-open to closed',
];

describe('A breaker', () => {
  test('opens, probes an endpoint that is down, and closes step by step once it is back: nothing is lost (seed 81)', async () => {
    const it = await BreakerWorld.deploy(81);
    it.goDown(30);
    await it.trade(60);
    expect(it.steps).toEqual(WHOLE_CYCLE);
    expect(await it.mapping()).toEqual({ state: 'Enabled', concurrency: 5 });
    expect(await it.world.books()).toEqual(closedBooks(600));
    expect(it.world.queued).toBe(0);
  });

  test('opens by its own look where the alarm’s event is lost, at most five minutes later (seed 83)', async () => {
    const openedAt = async (isEventLost: boolean): Promise<number> => {
      const it = await BreakerWorld.deploy(83);
      if (isEventLost) await it.loseEvents();
      it.goDown(30);
      await it.trade(13);
      expect(it.steps[0]).toBe('open: closed to open');
      const [at = Number.NaN] = it.openedAt;
      return at;
    };
    const [reported, unknownBecause] = [await openedAt(false), await openedAt(true)];
    expect(unknownBecause).toBeGreaterThan(reported);
    expect(unknownBecause - reported).toBeLessThanOrEqual(300);
  });

  test('that runs three times at once does no more harm than one that runs once (seed 84)', async () => {
    const it = await BreakerWorld.deploy(84);
    await it.disableRule();
    it.goDown(12);
    await it.trade(5);
    expect(await it.mapping()).toEqual({ state: 'Enabled', concurrency: 5 });
    await it.runAtOnce(3);
    expect(await it.mapping()).toEqual({ state: 'Disabled', concurrency: 2 });
    await it.world.advance({ minutes: 6 });
    const before = it.world.posted.length;
    await it.runAtOnce(3);
    // Three probes of three messages, each answered, and the relay is started once.
    expect(it.steps.filter(step => step.startsWith('half-open'))).not.toEqual([]);
    expect(await it.mapping()).toEqual({ state: 'Enabled', concurrency: 2 });
    expect(it.world.posted.length).toBeGreaterThan(before);
    await it.world.advance({ hours: 1 });
    expect(await it.world.books()).toEqual(closedBooks(5 * A_MINUTE));
  });
});

/** A relay with a breaker, whose queue keeps messages for 90 minutes. Messages older than 67.5 minutes are expiring. */
const SHORT_RETENTION: HttpRelayOptions = { ...SHORT, retentionPeriod: Duration.minutes(90), circuitBreaker: {} };

function deploy(seed: number, options: HttpRelayOptions = SHORT_RETENTION): Promise<RelaySimulation> {
  return RelaySimulation.deploy({ seed, relay: () => options });
}

/** Publishes this many messages each minute. */
async function trade(world: RelaySimulation, minutes: number, perMinute: number, groups = 0): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let index = 0; index < perMinute; index += 1) {
      const group = groups > 0 ? `group-${index % groups}` : undefined;
      await world.publish(`order ${minute}.${index}`, group);
    }
    await world.advance({ minutes: 1 });
  }
}

/** Returns the breaker's records about expiring messages. */
function drains(
  world: RelaySimulation,
): readonly { readonly givenUp: number; readonly putBack: number; readonly ended: string }[] {
  const lines = world.deployed.log(world.deployed.ref(`${STACK_BREAKER}/Log`));
  return lines.filter(line => line.includes('"message":"expiring"')).map(line => JSON.parse(line));
}

function givenUpOf(world: RelaySimulation): number {
  return drains(world).reduce((sum, { givenUp }) => sum + givenUp, 0);
}

describe('An outage that is longer than the queue keeps messages loses nothing:', () => {
  test('of a FIFO topic each group is given up in its order (seed 93)', async () => {
    const world = await deploy(93, { ...SHORT_RETENTION, fifo: true });
    world.partner.behave(DOWN);
    await trade(world, 10, 20, 2);
    await world.advance({ hours: 2 });
    const { dead, ...books } = await world.books();
    expect(books).toMatchObject({ published: 200, delivered: 0, queued: 0, lost: 0 });
    expect(Object.values(dead).reduce((sum, count) => sum + count, 0)).toBe(200);
  });

  test('what goes on coming in waits its own time, and is delivered once the endpoint is back (seed 94)', async () => {
    const world = await deploy(94);
    const { aws } = world.deployed;
    world.partner.behave({ ...DOWN, untilMs: aws.nowMs + 2 * HOUR_MS });
    await trade(world, 5, 20);
    await trade(world, 120, 1);
    await world.advance({ hours: 2 });
    const { dead, delivered, ...books } = await world.books();
    expect(books).toMatchObject({ published: 220, queued: 0, lost: 0, repeated: 0, deliveredAndDead: 0 });
    expect(delivered).toBeGreaterThan(60);
    expect(Object.keys(dead)).toEqual(['retention-spent']);
    expect(Math.max(...drains(world).map(({ putBack }) => putBack))).toBeGreaterThan(0);
    expect(await world.deployed.functionSum(`${STACK_BREAKER}/Function`, 'Errors')).toBe(0);
  });

  test('what SQS has put behind all others, as it was received three times, is found as well (seed 95)', async () => {
    const twoMinutes = Duration.minutes(2);
    const retryPolicy = { numRetries: 9, minDelayTarget: twoMinutes, maxDelayTarget: twoMinutes };
    const world = await deploy(95, { ...SHORT_RETENTION, retryPolicy });
    world.partner.behave(DOWN);
    // Too few attempts for the breaker: each message is tried four times, and then is last in the queue.
    await trade(world, 1, 5);
    await world.advance({ minutes: 6 });
    expect(world.postedByMessage.map(posts => posts.length)).toEqual([4, 4, 4, 4, 4]);
    await trade(world, 5, 40);
    await trade(world, 90, 1);
    const { dead, ...books } = await world.books();
    expect(books).toMatchObject({ published: 295, delivered: 0, lost: 0 });
    expect(dead['retention-spent']).toBeGreaterThan(150);
  });
});

describe('With a short retention too, and a dead-letter queue that takes nothing for a while (seed 92)', () => {
  let world: RelaySimulation;
  beforeAll(async () => {
    world = await deploy(92);
    world.partner.behave(DOWN);
    await trade(world, 10, 20);
    await world.advance({ minutes: 55 });
    expect(givenUpOf(world)).toBe(0);
    const resource = world.deployed.arn(DEAD);
    const fault = world.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource });
    await world.advance({ minutes: 10 });
    fault.end();
    await world.advance({ minutes: 60 });
  });

  test('nothing is lost', async () => {
    const { dead, ...books } = await world.books();
    expect(books).toMatchObject({ published: 200, delivered: 0, queued: 0, lost: 0 });
    expect(Object.values(dead).reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(dead['retention-spent']).toBeGreaterThan(150);
    expect(drains(world).map(({ ended }) => ended)).toContain('the dead-letter queue takes none');
  });

  test('the dead letter of a message that was given up says that the relay was stopped, and until when its queue would have kept it', async () => {
    const messages: string[] = [];
    for (const { attributes } of (await world.collectDead()).all) {
      const said = (name: string) => attributes[name] ?? '';
      if (!said('DeadLetterReason').startsWith('the relay was stopped because its endpoint failed')) continue;
      const until = new Date(Date.parse(said('SentAt')) + 1.5 * HOUR_MS).toISOString();
      expect(said('DeadLetterCause')).toBe('retention-spent');
      expect(said('DeadLetterReason')).toContain(until);
      expect(said('DeadLetteredAt') < until).toBe(true);
      messages.push(until);
    }
    expect(messages.length).toBeGreaterThan(100);
  });
});
