import { closedBooks } from './redrive-books';
import { DEAD, mostWithin, RedriveSimulation } from './redrive-world';

const STEPS = [
  { messagesPerSecond: 1, messages: 10 },
  { messagesPerSecond: 2, messages: 50 },
  { messagesPerSecond: 10 },
];

/** At 10 a second a task could move 1,301 before somebody has looked twice, one look being lost: the last step is never so fast. */
const MESSAGES_PER_DAY = 500;

describe('Where more letters are dead than may be moved in a day,', () => {
  test.each([{ seed: 68 }])(
    'a run goes at the rates there is room for, and ends before the budget is passed; a human is told, and no other asks for more (seed $seed)',
    async ({ seed }) => {
      const redriven = () => ({ steps: STEPS, runsPerDay: 3, messagesPerDay: MESSAGES_PER_DAY });
      const world = await RedriveSimulation.deploy({ seed, redrive: redriven });
      const { redrive } = world;
      await world.send(900, { to: DEAD });
      for (let run = 0; run < 3; run += 1) {
        await redrive.invoke('operator');
        await world.advance({ minutes: 25 });
      }
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '2/s CANCELLED 126', '2/s CANCELLED 126', '1/s CANCELLED 63']);
      const { movedAtMs } = world;
      expect([movedAtMs.length, mostWithin(movedAtMs, 1_000)]).toEqual([378, 2]);
      expect(movedAtMs.length).toBeLessThanOrEqual(MESSAGES_PER_DAY);
      const spent = redrive.records.filter(({ cause }) => cause === 'messages-spent');
      expect(new Set(spent.map(({ did }) => did))).toEqual(new Set(['cancel', 'stop', 'leave']));
      expect(spent.find(({ did }) => did === 'leave')?.reason).toBe(
        'of 500 messages a day 122 are left, which this step could pass',
      );
      expect(world.reported(/StoppedAlarm|went home/)).toHaveLength(2);
      expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([2, 0, 2]);
      expect(await world.books()).toEqual(closedBooks(378, { dead: 522 }));
    },
  );
});
