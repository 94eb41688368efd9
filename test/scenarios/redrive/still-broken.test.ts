import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { closedBooks } from './redrive-books';
import { DEAD, DOWN, RedriveSimulation } from './redrive-world';

const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 10 }];

/** What stands in the records of the runs that did not begin. */
function left({ redrive }: RedriveSimulation): ReadonlySet<string | undefined> {
  return new Set(redrive.records.filter(({ did }) => did === 'leave').map(({ cause }) => cause));
}

describe('While a consumer stays broken', () => {
  test.each([{ seed: 62 }])(
    'and looks well whenever it has nothing to do, each recovery costs a canary, as many as may be in a day, and a human is told of each once (seed $seed)',
    async ({ seed }) => {
      const runsPerDay = 2;
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: ({ errors }) => ({
          recoveryAlarms: [errors],
          steps: STEPS,
          runsPerDay,
          healthyFor: Duration.minutes(2),
          restAfterReturn: Duration.minutes(10),
        }),
      });
      const { deployed, redrive, warehouse } = world;
      warehouse.behave(DOWN);
      await world.send(30);
      await world.advance({ hours: 2 });
      // The letters are as many as the canary moves before anybody looks.
      expect(redrive.tasks).toEqual(Array.from({ length: runsPerDay }, () => '1/s COMPLETED 30'));
      expect(left(world)).toContain('runs-spent');
      expect(deployed.alarmed('Redrive/StoppedAlarm')).toHaveLength(runsPerDay);
      expect(world.reported(/StoppedAlarm/)).toHaveLength(runsPerDay);
      expect(world.reported(/went home/)).toEqual([]);
      expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([runsPerDay, 0, runsPerDay]);
      expect(await world.books()).toEqual(closedBooks(0, { dead: 30 }));
    },
  );

  test.each([{ seed: 63 }])(
    'and a schedule asks again and again, the canary comes back, and after that the budget is kept (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: () => ({
          schedules: [ScheduleExpression.rate(Duration.minutes(15))],
          steps: STEPS,
          messagesPerDay: 150,
          restAfterReturn: Duration.minutes(30),
        }),
      });
      const { deployed, redrive, warehouse } = world;
      warehouse.behave(DOWN);
      await world.send(100, { to: DEAD });
      await world.advance({ minutes: 100 });
      // The first that asks again does so before the run has ended. After 63 the 131 a canary may move before it is stopped are more than are left of 150.
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
      expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
        cause: 'came-back',
        reason: '63 of 63 messages came back',
      });
      expect([...left(world)]).toEqual(['resting', 'messages-spent']);
      expect(deployed.alarmed('Redrive/StoppedAlarm')).toHaveLength(1);
      expect(await redrive.counts('RunsStarted', 'RunsStopped', 'Moved', 'Returned')).toEqual([1, 1, 63, 63]);
      expect(await world.books()).toEqual(closedBooks(0, { dead: 100 }));
    },
  );
});
