import { response } from '../../../local';
import { overtaken } from './overtaken';
import { closedBooks } from './relay-books';
import { DOWN, RelaySimulation } from './relay-world';

const MINUTE_MS = 60_000;

const groupOf = (message: string): string => message.slice(0, message.lastIndexOf(' '));

/** One message more for each of the customers. */
async function publishRound(world: RelaySimulation, customers: number, round: number): Promise<void> {
  for (let customer = 0; customer < customers; customer += 1) {
    await world.publish(`customer-${customer} ${round}`, `customer-${customer}`);
  }
}

describe('A FIFO relay keeps each customer’s orders in order', () => {
  test.each([{ seed: 61 }])(
    'though its breaker stops it, probes and starts it again (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({ seed, relay: () => ({ fifo: true, circuitBreaker: {} }) });
      const { deployed } = world;
      world.partner.behave({ ...DOWN, untilMs: deployed.aws.nowMs + 45 * MINUTE_MS });
      const [customers, rounds] = [12, 10];
      for (let round = 0; round < rounds; round += 1) {
        await publishRound(world, customers, round);
        await world.advance({ minutes: 6 });
      }
      await world.advance({ hours: 2 });
      expect(deployed.happened('lambda.mapping-disabled').length).toBeGreaterThan(0);
      expect(await world.books()).toEqual(closedBooks(customers * rounds));
      expect(overtaken(world.posted, groupOf)).toEqual([]);
    },
  );

  test.each([{ seed: 62 }, { seed: 63 }])(
    'though its function is killed in the middle of a batch (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({ seed, relay: () => ({ fifo: true }) });
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
    },
  );
});
