import { response } from '../../../local';
import { closedBooks } from './redrive-books';
import { DEAD, DOWN, mostWithin, RedriveSimulation } from './redrive-world';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OUTAGE_MS = 6 * HOUR_MS;

/** In the fourth hour it is well for three minutes, and that is no recovery. */
const FLAP_MS = 3.5 * HOUR_MS;

const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

describe('A consumer that is broken for six hours, while orders come all the time,', () => {
  test.each([{ seed: 61 }])(
    'and then repaired gets every one of them back by itself, no faster than it may be, and people are told of it from end to end (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: ({ errors }) => ({ recoveryAlarms: [errors], steps: STEPS }),
      });
      const { deployed, redrive, warehouse } = world;
      const startMs = deployed.aws.nowMs;
      const untilMs = startMs + OUTAGE_MS;
      warehouse.behave(
        { ...DOWN, untilMs: startMs + FLAP_MS },
        { reply: response(200), forMs: 3 * MINUTE_MS },
        { ...DOWN, untilMs },
      );
      await world.send(150);
      await world.sendEvery(2, 6 * 60);
      const { dead } = redrive;
      // All but one that came while it was well, and the last, which is still being tried.
      expect([world.sent.length, dead]).toEqual([330, 328]);
      expect(world.movedAtMs).toEqual([]);
      await world.sendEvery(2, 40);

      expect(await world.books()).toEqual(closedBooks(350));
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63', `5/s COMPLETED ${dead - 63}`]);
      const { movedAtMs } = world;
      const canaries = movedAtMs.slice(0, 63);
      expect([movedAtMs.length, mostWithin(movedAtMs, 1_000), mostWithin(canaries, 1_000)]).toEqual([dead, 5, 1]);
      const [first = Number.NaN] = canaries;
      const [, recovered] = deployed.rings('Errors').filter(({ to }) => to === 'OK');
      expect(deployed.secondsAt(first)).toBeGreaterThanOrEqual((recovered?.seconds ?? Number.NaN) + 5 * 60);

      // A human heard that letters are there, and where to read on; and how it ended. Nobody had to do anything.
      expect(deployed.alarmed(`${DEAD}/WaitingAlarm`)).toHaveLength(1);
      expect(world.reported(/./)).toEqual([
        expect.stringMatching(/^ALARM: .*WaitingAlarm/),
        `${dead} dead letters went home: Test/Redrive`,
      ]);
      expect(world.mailOn(/WaitingAlarm/)).toMatch(/docs\/runbook\.md#[a-z-]+/);
      expect(world.mailOn(/went home/)).toContain(`Moved: ${dead}\nCame back: 0\n`);
      expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped', 'Moved', 'Returned')).toEqual([
        1,
        1,
        0,
        dead,
        0,
      ]);
      expect(await redrive.errors()).toBe(0);
    },
  );
});
