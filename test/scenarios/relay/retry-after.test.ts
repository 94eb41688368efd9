import { type Behaviour, response } from '../../../local';
import { closedBooks } from './relay-books';
import { RelaySimulation } from './relay-world';

/** How long after one request of a message the next one of it came, in seconds; one list a message. */
function waits({ postedByMessage }: RelaySimulation): readonly (readonly number[])[] {
  return postedByMessage.map(posted =>
    posted.slice(1).map(({ atSeconds }, index) => atSeconds - (posted[index]?.atSeconds ?? 0)),
  );
}

async function publishAll(world: RelaySimulation, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await world.publish(`order ${index}`);
    await world.advance({ seconds: world.chance.integer(0, 90) });
  }
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
describe('An endpoint that answers 429', () => {
  test.each([{ seed: 21 }, { seed: 22 }])(
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
      // The n-th request was told the n-th of them.
      const reported = world.posted.map((posted, index) => ({ ...posted, waitSeconds: asked[index] ?? 0 }));
      const early = reported.flatMap(({ messageId, message, atMs, waitSeconds }, index) => {
        const next = reported.slice(index + 1).find(it => it.messageId === messageId);
        return next && next.atMs < atMs + waitSeconds * 1_000 ? [{ message, atMs, waitSeconds }] : [];
      });
      expect(early).toEqual([]);
    },
  );

  test.each([{ seed: 23 }, { seed: 24 }])(
    'and from when on it takes requests gets none of those it refused before (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({ seed });
      const untilMs = Math.ceil(world.deployed.aws.nowMs / 1_000) * 1_000 + 50 * 60_000;
      const headers = { 'Retry-After': new Date(untilMs).toUTCString() };
      world.partner.behave({ reply: response(429, 'closed until then', headers), untilMs });
      await publishAll(world, 30);
      await world.advance({ hours: 2 });
      expect(await world.books()).toEqual(closedBooks(30));
      // Each was asked for once, and was told when to come back: no request is in vain, and none is early.
      for (const posted of world.postedByMessage) {
        expect(posted.map(({ isTaken }) => isTaken)).toEqual(posted.length === 1 ? [true] : [false, true]);
      }
      expect(world.posted.filter(({ isTaken }) => !isTaken).length).toBeGreaterThan(15);
    },
  );

  test('and asks for a day is asked again after the hour that a relay waits at most (seed 25)', async () => {
    const world = await RelaySimulation.deploy({ seed: 25 });
    world.partner.behave({ reply: response(429, '', { 'Retry-After': '86400' }), count: 3 });
    await world.publish('order 1');
    await world.advance({ hours: 6 });
    expect(await world.books()).toEqual(closedBooks(1));
    const [waited = []] = waits(world);
    expect(waited).toHaveLength(3);
    for (const seconds of waited) {
      expect(seconds).toBeGreaterThanOrEqual(3_600);
      expect(seconds).toBeLessThan(3_600 * 1.1 + 5);
    }
  });

  test.each([{ seed: 25 }])(
    'and to wait for two hours is heeded by hourly retries too: up to an hour above each delay (seed $seed)',
    async ({ seed }) => {
      const world = await RelaySimulation.deploy({ seed, relay: () => ({ jitterPercent: 0 }) });
      world.partner.behave({ reply: response(429, 'slow down', { 'Retry-After': '7200' }), count: 20 });
      await publishAll(world, 1);
      await world.advance({ hours: 40 });
      expect(await world.books()).toEqual(closedBooks(1));
      const [waited = []] = waits(world);
      expect(waited).toHaveLength(20);
      expect(waited[0]).toBeCloseTo(20 + 3_600, 0);
      for (const seconds of waited.slice(12)) expect(seconds).toBeCloseTo(3_600 + 3_600, 0);
    },
  );
});
