import { Duration } from 'aws-cdk-lib';
import { response } from '../../../local';
import { closedBooks } from './redrive-books';
import { DEAD, DOWN, mostWithin, RedriveSimulation } from './redrive-world';

const MINUTE_MS = 60_000;
const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 2 }];

describe('An alarm that fires again and again', () => {
  test.each([{ seed: 65 }])(
    'has a task cancelled that moves letters, ends each run of which a human hears once, and the last goes well (seed $seed)',
    async ({ seed }) => {
      const runsPerDay = 5;
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: ({ errors }) => ({
          recoveryAlarms: [errors],
          steps: STEPS,
          runsPerDay,
          healthyFor: Duration.minutes(2),
          restAfterReturn: Duration.minutes(0),
        }),
      });
      const { deployed, redrive, warehouse } = world;
      const up = { reply: response(200) };
      warehouse.behave(
        { ...DOWN, forMs: 5 * MINUTE_MS },
        { ...up, forMs: 7 * MINUTE_MS },
        // What the first canary moved settles.
        { ...DOWN, forMs: 2 * MINUTE_MS },
        { ...up, forMs: 20.5 * MINUTE_MS },
        // The second run has gone on to its second step.
        { ...DOWN, forMs: 2 * MINUTE_MS },
      );
      await world.send(400, { to: DEAD });
      await world.sendEvery(0.5, 60);
      expect(await world.books()).toEqual(closedBooks(520));
      expect(redrive.deeds.filter(deed => /^(start|cancel) /.test(deed))).toEqual([
        'start done',
        'cancel step-done',
        'start done',
        'cancel step-done',
        'start done',
        'cancel alarm-firing',
        'start done',
        'cancel step-done',
        'start done',
      ]);
      expect(redrive.tasks).toEqual([
        '1/s CANCELLED 63',
        '1/s CANCELLED 63',
        expect.stringMatching(/^2\/s CANCELLED/),
        '1/s CANCELLED 63',
        expect.stringMatching(/^2\/s COMPLETED/),
      ]);
      expect(mostWithin(world.movedAtMs, 1_000)).toBe(2);
      expect(deployed.rings('Errors').filter(({ to }) => to === 'OK')).toHaveLength(3);
      expect(deployed.alarmed('Redrive/StoppedAlarm')).toHaveLength(2);
      expect([world.reported(/StoppedAlarm/).length, world.reported(/went home/).length]).toEqual([2, 1]);
      expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([3, 1, 2]);
    },
  );
});
