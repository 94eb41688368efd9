import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import { BackoffFunction, type HealthyRetryPolicy } from 'aws-cdk-lib/aws-sns';
import fc from 'fast-check';
import type { HttpRelayOptions } from '../../../lib';
import { type Behaviour, noAnswer, response, silence } from '../../../local';
import type { Ledger } from '../seeds';
import { DEAD, DOWN, MOVED_BY_SQS, numberOf, overtaken, RelaySimulation } from './relay-simulation';

const MESSAGES = 30;

const groupOf = (message: string): string => `group-${numberOf(message) % 3}`;

/** Short, so that messages also come to the end of it. */
const retryPolicy: fc.Arbitrary<HealthyRetryPolicy> = fc
  .record({
    delays: fc.tuple(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 600 })),
    phases: fc.tuple(fc.nat(1), fc.nat(2), fc.nat(3), fc.nat(2)),
    backoffFunction: fc.constantFrom(...Object.values(BackoffFunction)),
  })
  .map(({ delays, phases: [numNoDelayRetries, numMinDelayRetries, between, numMaxDelayRetries], backoffFunction }) => ({
    minDelayTarget: Duration.seconds(Math.min(...delays)),
    maxDelayTarget: Duration.seconds(Math.max(...delays)),
    numRetries: numNoDelayRetries + numMinDelayRetries + between + numMaxDelayRetries,
    numNoDelayRetries,
    numMinDelayRetries,
    numMaxDelayRetries,
    backoffFunction,
  }));

const relay: fc.Arbitrary<HttpRelayOptions> = fc
  .record({
    retryPolicy,
    jitterPercent: fc.constantFrom(0, 10, 50),
    fifo: fc.boolean(),
    maxReceivesPerSecond: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    breaks: fc.boolean(),
    /** With a retention of four hours, an open breaker gives up messages older than three hours, and looks for them each half hour. */
    isKeptForHours: fc.boolean(),
  })
  .map(({ maxReceivesPerSecond, breaks, isKeptForHours, ...others }) => ({
    ...others,
    ...(isKeptForHours && { retentionPeriod: Duration.hours(4) }),
    circuitBreaker: { enabled: breaks, minimumAttempts: 3 },
    ...(maxReceivesPerSecond !== undefined && { maxReceivesPerSecond }),
  }));

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  reply: fc.constantFrom(
    response(200),
    response(503),
    response(503),
    response(429, '', { 'Retry-After': '45' }),
    response(404),
    response(302, '', { Location: 'https://elsewhere.example.com/' }),
    response(410),
    response(422),
    response(200, '', {}, { latencyMs: 20_000 }),
    silence(),
    noAnswer('ECONNREFUSED'),
    noAnswer('ECONNRESET'),
  ),
  forMs: fc.integer({ min: 1_000, max: 900_000 }),
});

/** An endpoint that is down for about as long as the queue keeps its messages, or longer. */
const outage = fc.record({
  hours: fc.integer({ min: 2, max: 6 }),
  messages: fc.integer({ min: 10, max: 30 }),
});

/** What happens between two checks of the ledger. */
const stretch = fc.record({
  messages: fc.nat(7),
  minutes: fc.integer({ min: 1, max: 20 }),
  isThrottled: fc.boolean(),
  /** Whether an operator stops the relay for this time. */
  isStopped: fc.boolean(),
  /** For a minute, SQS fails one of the calls by which Lambda or the relay uses the queue. */
  failing: fc.constantFrom(undefined, 'ReceiveMessage', 'DeleteMessageBatch', 'ChangeMessageVisibilityBatch'),
  /** For this many minutes, the dead-letter queue refuses the relay. */
  takesNoDead: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
  dies: fc.option(
    fc.record({
      how: fc.constantFrom('exit', 'out-of-memory', 'timeout'),
      afterRequests: fc.integer({ min: 1, max: 6 }),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    { nil: undefined },
  ),
});

const scenario = fc.record({
  relay,
  behaviours: fc.array(behaviour, { maxLength: 10 }),
  stretches: fc.array(stretch, { minLength: 1, maxLength: 4 }),
  outage: fc.option(outage, { nil: undefined }),
});

async function throttle({ deployed: { aws }, functionName: FunctionName }: RelaySimulation, isThrottled: boolean) {
  const lambda = new LambdaClient(aws.clientConfig());
  if (!isThrottled) await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  else await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
}

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** A simulated relay, and the number of published messages. */
class Story {
  published = 0;
  private isStopped = false;

  constructor(
    readonly world: RelaySimulation,
    private readonly isFifo: boolean,
  ) {}

  /** Publishes that many messages, but no more than all together. */
  async publish(messages: number): Promise<void> {
    const count = Math.min(messages, MESSAGES - this.published);
    for (let index = 0; index < count; index += 1) {
      const message = `order ${this.published}`;
      await this.world.publish(message, this.isFifo ? groupOf(message) : undefined);
      this.published += 1;
    }
  }

  async advance(...time: Parameters<RelaySimulation['advance']>): Promise<void> {
    await this.world.advance(...time);
    expect(await this.world.books()).toMatchObject({ published: this.published, lost: 0 });
  }

  async live({
    messages,
    minutes,
    isThrottled,
    isStopped,
    failing,
    takesNoDead = 0,
    dies,
  }: Scenario['stretches'][number]): Promise<void> {
    const { functionName, deployed } = this.world;
    await throttle(this.world, isThrottled);
    await this.stop(isStopped);
    if (failing) {
      const resource = deployed.arn('Relay/Queue');
      deployed.aws.faults.set({ service: 'sqs', action: failing, resource, forMs: 60_000 });
    }
    if (dies) deployed.aws.interruptions.set({ functionName, ...dies });
    const forMs = takesNoDead * 60_000;
    const fault = { service: 'sqs', action: 'SendMessage', resource: deployed.arn(DEAD), forMs } as const;
    if (forMs > 0) deployed.aws.faults.set(fault);
    await this.publish(messages);
    await this.advance({ minutes });
  }

  /** An operator stops the relay, or starts it again. A relay that its breaker has stopped stays as it is. */
  private async stop(isStopped: boolean): Promise<void> {
    const [mapping] = this.world.deployed.aws.services.lambda.mappings.all();
    const lambda = new LambdaClient(this.world.deployed.aws.clientConfig());
    const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID: mapping?.uuid }));
    const canChange = isStopped ? State === 'Enabled' : this.isStopped && State === 'Disabled';
    if (!canChange) return;
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping?.uuid, Enabled: !isStopped }));
    this.isStopped = isStopped;
  }

  /** Ends what an operator and Lambda do to the relay. */
  async release(): Promise<void> {
    await throttle(this.world, false);
    await this.stop(false);
  }

  /** What became of the messages at the end. */
  async ledger(): Promise<Ledger> {
    const { published, delivered, dead, lost } = await this.world.books();
    const withoutReason = this.world.dead.all.filter(({ cause }) => cause === MOVED_BY_SQS);
    return {
      published,
      delivered,
      deadLettered: Object.values(dead).reduce((sum, count) => sum + count, 0),
      // SQS itself moves a message for which the relay never reached a decision. Its receive count is the reason.
      withoutReason: withoutReason.filter(({ receiveCount }) => receiveCount < 3).map(({ message }) => message),
      lost: Array.from({ length: lost }, () => 'a message'),
    };
  }

  /** Publishes for three minutes, which is enough to open a breaker. */
  async endure({ hours, messages }: NonNullable<Scenario['outage']>): Promise<void> {
    const { partner, deployed } = this.world;
    partner.behave({ ...DOWN, untilMs: deployed.aws.nowMs + hours * 3_600_000 });
    for (let minute = 0; minute < 3; minute += 1) {
      await this.publish(Math.ceil(messages / 3));
      await this.advance({ minutes: 1 });
    }
    for (let hour = 0; hour < hours; hour += 1) await this.advance({ hours: 1 });
  }

  /** Ends all faults, so that the relay can finish every message. */
  async end(): Promise<void> {
    await this.release();
    await this.advance({ hours: 12 });
    const { delivered, dead } = await this.world.books();
    const died = Object.values(dead).reduce((sum, count) => sum + count, 0);
    expect({ queued: this.world.queued, ended: delivered + died }).toEqual({ queued: 0, ended: this.published });
  }
}

/** Plays one seed: a random relay, endpoint, crashes, faults of SQS and Lambda, and an operator who stops the relay. */
export async function playRelay(seed: number): Promise<Ledger> {
  const [given] = fc.sample(scenario, { seed, numRuns: 1 });
  if (!given) throw new Error('fast-check has made no scenario');
  const { relay: options, behaviours, stretches, outage } = given;
  const world = await RelaySimulation.deploy({ seed, relay: () => options });
  try {
    world.partner.behave(...behaviours);
    const story = new Story(world, options.fifo ?? false);
    for (const stretch of stretches) await story.live(stretch);
    await story.release();
    if (outage) await story.endure(outage);
    await story.publish(MESSAGES - story.published);
    await story.end();
    if (options.fifo) expect(overtaken(world.posted, groupOf)).toEqual([]);
    return await story.ledger();
  } finally {
    await world.deployed.close();
  }
}
