import { type Behaviour, noAnswer, response, silence } from '../../../local';
import { closedBooks } from './relay-books';
import { RelaySimulation } from './relay-world';

const MINUTE_MS = 60_000;

/** Ways of being down, each of which a request meets once: one whose kept connection broke would be sent a second time. */
const DOWNS = [
  response(503),
  response(500, 'oops'),
  noAnswer('ECONNREFUSED'),
  noAnswer('HPE_INVALID_CONSTANT'),
  silence(),
];

/** Up and down in turn, each for up to half an hour, a working day long. */
function flaps({ chance }: RelaySimulation): readonly Behaviour[] {
  return Array.from({ length: 24 }, (_, turn) => {
    const reply = turn % 2 === 0 ? (DOWNS[chance.integer(0, DOWNS.length - 1)] ?? silence()) : response(202);
    return { reply, forMs: chance.integer(1, 30) * MINUTE_MS };
  });
}

describe('An endpoint that goes up and down', () => {
  test.each([{ seed: 11 }, { seed: 12 }])('gets every message through a relay (seed $seed)', async ({ seed }) => {
    const world = await RelaySimulation.deploy({ seed });
    world.partner.behave(...flaps(world));
    for (let index = 0; index < 40; index += 1) {
      await world.publish(`order ${index}`);
      await world.advance({ seconds: world.chance.integer(0, 900) });
    }
    await world.advance({ hours: 8 });
    expect(await world.books()).toEqual(closedBooks(40));
    expect(world.queued).toBe(0);
    // The relay's own count of attempts is what came to the endpoint, or to its closed door.
    const { posted, partner } = world;
    expect(await world.metric('Attempts')).toBe(posted.length + partner.failedConnections.length);
    expect(await world.metric('FailedAttempts')).toBe(
      posted.filter(({ isTaken }) => !isTaken).length + partner.failedConnections.length,
    );
    expect(await world.metric('FailedAttempts')).toBeGreaterThan(40);
    expect(await world.metric('Delivered')).toBe(40);
  });
});
