import { closedBooks } from './relay-books';
import { DOWN, RelaySimulation } from './relay-world';

const HOUR_MS = 3_600_000;
const OUTAGE_MS = 26 * HOUR_MS;

/** Enough for a breaker to judge by. */
const AT_FIRST = 50;

describe('While a partner is down for 26 hours, a relay with its breaker', () => {
  test.each([{ seed: 3 }])('is stopped all the time, and then delivers every order (seed $seed)', async ({ seed }) => {
    const world = await RelaySimulation.deploy({ seed, relay: () => ({ circuitBreaker: {} }) });
    const { deployed } = world;
    const untilMs = deployed.aws.nowMs + OUTAGE_MS;
    world.partner.behave({ ...DOWN, untilMs });
    for (let order = 0; order < AT_FIRST; order += 1) await world.publish(`order ${order}`);
    for (let hour = 0; hour < 27; hour += 1) {
      await world.publish(`order ${AT_FIRST + hour}`);
      await world.advance({ hours: 1 });
    }
    await world.advance({ hours: 2 });
    expect(await world.books()).toEqual(closedBooks(AT_FIRST + 27));
    expect([world.queued, await world.metric('Dead')]).toEqual([0, 0]);
    expect(deployed.alarmed('Relay/StoppedAlarm')).toHaveLength(1);
    expect(deployed.rings('Relay/StoppedAlarm').at(-1)?.to).toBe('OK');
    const failed = world.posted.filter(({ isTaken }) => !isTaken).map(({ atSeconds }) => atSeconds);
    // Stopped within minutes; from then on it asks twice in five minutes at most whether the partner is back.
    const [first = Number.NaN] = failed;
    const probes = failed.filter(at => at > first + 15 * 60);
    expect(probes.length).toBeGreaterThan(26 * 6);
    expect(probes.length).toBeLessThanOrEqual(26 * 12 * 2);
  });
});
