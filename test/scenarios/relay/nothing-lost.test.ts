import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import { BackoffFunction, type HealthyRetryPolicy } from 'aws-cdk-lib/aws-sns';
import fc from 'fast-check';
import type { HttpRelayOptions } from '../../../lib';
import { type Behaviour, noAnswer, response, silence } from '../../../local';
import { numberOf, overtaken } from './overtaken';
import { RelayWorld } from './relay-world';

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
  })
  .map(({ maxReceivesPerSecond, breaks, ...others }) => ({
    ...others,
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

/** What happens in one of the stretches of time between two looks at the books. */
const stretch = fc.record({
  messages: fc.nat(12),
  minutes: fc.integer({ min: 1, max: 20 }),
  isThrottled: fc.boolean(),
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
});

async function throttle({ deployed: { aws }, functionName: FunctionName }: RelayWorld, isThrottled: boolean) {
  const lambda = new LambdaClient(aws.clientConfig());
  if (!isThrottled) await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  else await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
}

/** A failure says its seed and its path, and is not made smaller: each run deploys a stack of its own. */
const RUNS = { numRuns: 6, endOnFailure: true };

test('Whatever happens to it, a message is delivered, or queued, or dead: at every moment, and in the end not queued', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ seed, relay: options, behaviours, stretches }) => {
      const world = await RelayWorld.deploy({ seed, relay: () => options });
      world.partner.behave(...behaviours);
      let published = 0;
      for (const { messages, minutes, isThrottled, dies } of stretches) {
        await throttle(world, isThrottled);
        const { functionName } = world;
        if (dies) world.deployed.aws.interruptions.set({ functionName, ...dies });
        for (let index = 0; index < messages; index += 1) {
          await world.publish(`order ${published}`, options.fifo ? groupOf(`order ${published}`) : undefined);
          published += 1;
        }
        await world.advance({ minutes });
        expect(await world.books()).toMatchObject({ published, lost: 0 });
      }
      await throttle(world, false);
      await world.advance({ hours: 12 });
      const { delivered, dead, queued, lost } = await world.books();
      const died = Object.values(dead).reduce((sum, count) => sum + count, 0);
      expect({ queued, lost, ended: delivered + died }).toEqual({ queued: 0, lost: 0, ended: published });
      expect(world.queued).toBe(0);
      if (options.fifo) expect(overtaken(world.posted, groupOf)).toEqual([]);
      await world.deployed.close();
    }),
    RUNS,
  );
});
