import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import { BackoffFunction, type HealthyRetryPolicy } from 'aws-cdk-lib/aws-sns';
import fc from 'fast-check';
import type { HttpRelayOptions } from '../../../lib';
import { type Behaviour, noAnswer, response, silence } from '../../../local';
import { numberOf, overtaken } from './overtaken';
import { DEAD, DOWN, RelaySimulation } from './relay-world';

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
    /** Of four hours a breaker that is open gives up what is three hours old, and looks for it each half hour. */
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
    response(410),
    response(422),
    response(200, '', {}, { latencyMs: 20_000 }),
    silence(),
    noAnswer('ECONNREFUSED'),
    noAnswer('ECONNRESET'),
  ),
  forMs: fc.integer({ min: 1_000, max: 900_000 }),
});

/** What becomes of an endpoint that is down for longer than a queue keeps its messages, or nearly. */
const outage = fc.record({
  hours: fc.integer({ min: 2, max: 6 }),
  messages: fc.integer({ min: 10, max: 30 }),
});

/** What happens in one of the stretches of time between two looks at the books. */
const stretch = fc.record({
  messages: fc.nat(12),
  minutes: fc.integer({ min: 1, max: 20 }),
  isThrottled: fc.boolean(),
  /** For so many minutes the dead-letter queue takes nothing from the relay. */
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
  seed: fc.nat(1_000_000),
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

/** A relay's world, and how many messages it was given. */
class Story {
  private published = 0;

  constructor(
    readonly world: RelaySimulation,
    private readonly isFifo: boolean,
  ) {}

  async publish(messages: number): Promise<void> {
    for (let index = 0; index < messages; index += 1) {
      const message = `order ${this.published}`;
      await this.world.publish(message, this.isFifo ? groupOf(message) : undefined);
      this.published += 1;
    }
  }

  async advance(...time: Parameters<RelaySimulation['advance']>): Promise<void> {
    await this.world.advance(...time);
    expect(await this.world.books()).toMatchObject({ published: this.published, lost: 0 });
  }

  async live({ messages, minutes, isThrottled, takesNoDead = 0, dies }: Scenario['stretches'][number]): Promise<void> {
    const { functionName, deployed } = this.world;
    await throttle(this.world, isThrottled);
    if (dies) deployed.aws.interruptions.set({ functionName, ...dies });
    const forMs = takesNoDead * 60_000;
    const fault = { service: 'sqs', action: 'SendMessage', resource: deployed.arn(DEAD), forMs } as const;
    if (forMs > 0) deployed.aws.faults.set(fault);
    await this.publish(messages);
    await this.advance({ minutes });
  }

  /** Messages come in for three minutes, which is enough to open a breaker. */
  async endure({ hours, messages }: NonNullable<Scenario['outage']>): Promise<void> {
    const { partner, deployed } = this.world;
    partner.behave({ ...DOWN, untilMs: deployed.aws.nowMs + hours * 3_600_000 });
    for (let minute = 0; minute < 3; minute += 1) {
      await this.publish(Math.ceil(messages / 3));
      await this.advance({ minutes: 1 });
    }
    for (let hour = 0; hour < hours; hour += 1) await this.advance({ hours: 1 });
  }

  /** Nothing keeps the relay from being done with everything. */
  async end(): Promise<void> {
    await throttle(this.world, false);
    await this.advance({ hours: 12 });
    const { delivered, dead } = await this.world.books();
    const died = Object.values(dead).reduce((sum, count) => sum + count, 0);
    expect({ queued: this.world.queued, ended: delivered + died }).toEqual({ queued: 0, ended: this.published });
  }
}

/** A failure says its seed and its path, and is not made smaller: each run deploys a stack of its own. */
const RUNS = { numRuns: 6, endOnFailure: true };

test('Whatever happens to it, a message is delivered, or queued, or dead: at every moment, and in the end not queued', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ seed, relay: options, behaviours, stretches, outage }) => {
      const world = await RelaySimulation.deploy({ seed, relay: () => options });
      world.partner.behave(...behaviours);
      const story = new Story(world, options.fifo ?? false);
      for (const stretch of stretches) await story.live(stretch);
      await throttle(world, false);
      if (outage) await story.endure(outage);
      await story.end();
      if (options.fifo) expect(overtaken(world.posted, groupOf)).toEqual([]);
      await world.deployed.close();
    }),
    RUNS,
  );
  // Some worlds last for a day, which on a machine that has other things to do takes its time.
}, 240_000);
