import { DeadLetterQueue } from '../../../lib';
import { closedBooks, redriveBooks } from './redrive-books';
import { DEAD, mostWithin, RedriveSimulation } from './redrive-world';

const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

/** Ends the next invocation of the function once it has sent so many requests: the last arrives, its answer does not. */
function interrupt({ deployed }: RedriveSimulation, afterRequests: number): void {
  deployed.aws.interruptions.set({ functionName: deployed.ref('Redrive/Function'), how: 'exit', afterRequests });
}

/** How often an invocation broke off. */
function brokenOff({ deployed }: RedriveSimulation): number {
  return deployed.happened('lambda.finished').filter(({ outcome }) => outcome !== 'success').length;
}

describe('A function that breaks off', () => {
  test.each([{ seed: 66 }])(
    'just when SQS has its request to start the canary, to cancel it, and to start the next step, does none of them twice (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({ seed, redrive: () => ({ steps: STEPS }) });
      const { deployed, redrive } = world;
      await world.send(150, { to: DEAD });
      const asked = () => [
        deployed.happened('sqs.move-task-started').length,
        deployed.happened('sqs.move-task-cancelling').length,
        brokenOff(world),
      ];
      interrupt(world, 8);
      await redrive.invoke('operator');
      await world.advance({ seconds: 50 });
      expect(asked()).toEqual([1, 0, 1]);
      interrupt(world, 8);
      await world.advance({ seconds: 50 });
      expect(asked()).toEqual([1, 1, 2]);
      await world.advance({ minutes: 4, seconds: 50 });
      interrupt(world, 11);
      await world.advance({ minutes: 1 });
      expect(asked()).toEqual([2, 1, 3]);
      await world.advance({ minutes: 20 });
      // Who began them never said so.
      expect(redrive.deeds.filter(deed => deed.startsWith('start'))).toEqual([]);
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '5/s COMPLETED 87']);
      expect(mostWithin(world.movedAtMs, 1_000)).toBe(5);
      expect(world.reported(/went home|StoppedAlarm/)).toEqual(['150 dead letters went home: Test/Redrive']);
      expect(await world.books()).toEqual(closedBooks(150));
    },
  );

  test.each([{ seed: 67 }])(
    'twice while it copies does one order more than once each time, at most, and loses none (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: ({ stack, ops }) => ({
          deadLetterQueue: new DeadLetterQueue(stack, 'Unnamed', { alarmActions: [ops] }),
          anchor: false,
          steps: STEPS,
        }),
      });
      const { deployed, redrive } = world;
      await world.send(100, { to: 'Unnamed' });
      interrupt(world, 19);
      await redrive.invoke('operator');
      // It may be that it still runs, for the 15 minutes a function may, and the three that metrics may be late.
      await world.advance({ minutes: 20 });
      for (let minute = 0; minute < 7; minute += 1) {
        // Only who copies makes so many.
        interrupt(world, 119);
        await world.advance({ minutes: 1 });
      }
      deployed.aws.interruptions.clear();
      expect(brokenOff(world)).toBe(2);
      await world.advance({ minutes: 30 });
      expect(redrive.tasks).toEqual([]);
      expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([1, 1, 0]);
      const dead = await world.drain('Unnamed');
      const books = redriveBooks(world.sent, { processed: world.processed, dead });
      expect(books).toEqual({ ...closedBooks(100), repeated: books.repeated });
      expect([1, 2]).toContain(books.repeated);
    },
  );
});
