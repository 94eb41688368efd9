import type { HttpRelayOptions } from '../../../lib';
import { response } from '../../../local';
import { closedBooks } from './relay-books';
import { RelaySimulation } from './relay-world';

/** The most requests within any stretch of so many milliseconds, its end not included. */
function mostWithin(ms: number, { posted }: RelaySimulation): number {
  return Math.max(
    ...posted.map(from => posted.filter(({ atMs }) => atMs >= from.atMs && atMs < from.atMs + ms).length),
  );
}

/** Environments of the relay's function that ran. */
function environments({ deployed, functionName }: RelaySimulation): number {
  const ran = deployed.happened('lambda.invoked').filter(({ functionArn }) => functionArn.endsWith(`:${functionName}`));
  return new Set(ran.map(({ environment }) => environment)).size;
}

/** A hundred orders at once, through a relay to an endpoint that fails now and then, and is slow. */
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
    { seed: 92, maximumConcurrency: 5, maxReceivesPerSecond: 5 },
    { seed: 93, maximumConcurrency: 5, maxReceivesPerSecond: 20 },
    { seed: 94, maximumConcurrency: 3, maxReceivesPerSecond: 10 },
    { seed: 95, maximumConcurrency: 5, maxReceivesPerSecond: 7 },
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
