import { response } from '../../../local';
import { closedBooks } from './relay-books';
import { DOWN, RelaySimulation } from './relay-world';

/** Of the fifty requests a second by default, those of each of its five invocations. A breaker starts with two. */
const SHARE = 10;

const BACKLOG = 1_200;

/** The most requests within any second, to an endpoint that comes back after half an hour and answers in 50 ms. */
async function worstSecondAfterReturn(seed: number, enabled: boolean): Promise<number> {
  const world = await RelaySimulation.deploy({ seed, relay: () => ({ circuitBreaker: { enabled } }) });
  const { deployed, partner } = world;
  const backAtMs = deployed.aws.nowMs + 30 * 60_000;
  partner.behave({ ...DOWN, untilMs: backAtMs }, { reply: response(200, '', {}, { latencyMs: 50 }) });
  const { sns } = deployed.aws.services;
  const TopicArn = deployed.ref('Orders');
  const publish = (order: number) => sns.call('Publish', sns.owner, { TopicArn, Message: `order ${order}` });
  // Enough of them for the breaker to open, and the rest while nobody asks for them.
  for (let minute = 0; minute < 5; minute += 1) {
    for (let index = 0; index < 10; index += 1) publish(10 * minute + index);
    await world.advance({ minutes: 1 });
  }
  await world.advance({ minutes: 24 });
  for (let order = 50; order < BACKLOG; order += 1) publish(order);
  await world.advance({ hours: 2 });
  expect(await world.books()).toEqual(closedBooks(BACKLOG));
  const after = world.posted.filter(({ atMs }) => atMs >= backAtMs);
  expect(after.length).toBeGreaterThanOrEqual(BACKLOG);
  return Math.max(
    ...after.map(from => after.filter(({ atMs }) => atMs >= from.atMs && atMs < from.atMs + 1_000).length),
  );
}

describe('A relay by its defaults, of which 1,200 messages wait as its partner returns', () => {
  test('asks it twenty times in the worst second where a breaker starts the relay again (seed 97)', async () => {
    expect(await worstSecondAfterReturn(97, true)).toBe(2 * SHARE);
  });

  test('asks it fifty times in the worst second without one (seed 98)', async () => {
    expect(await worstSecondAfterReturn(98, false)).toBe(5 * SHARE);
  });
});
