import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { RedriveDestination, RedriveLane } from '../../../lib';
import { closedBooks } from './redrive-books';
import { DEAD, DOWN, RedriveSimulation } from './redrive-world';

const QUARANTINE = 'Lane/Quarantine';
const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

/** How often a lane tries what is in it. */
const RECEIVES = 3;

describe('By a lane, and two schedules that come at the same instant,', () => {
  test.each([{ seed: 64 }])(
    'good letters go home, and poison among them is in quarantine after exactly one pass, where nothing touches it (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: ({ stack, ops, orders }) => {
          const lane = new RedriveLane(stack, 'Lane', {
            laneOf: orders,
            alarmActions: [ops],
            visibilityTimeout: Duration.seconds(30),
            maxReceiveCount: RECEIVES,
          });
          const schedules = ['0/30', '30'].map(minute => ScheduleExpression.cron({ minute }));
          return { destination: RedriveDestination.lane(lane), schedules, steps: STEPS };
        },
      });
      const { deployed, redrive, warehouse } = world;
      warehouse.behave({ ...DOWN, forMs: 600_000 });
      await world.send(100);
      await world.send(6, { kind: 'poison' });
      await world.advance({ minutes: 5 });
      expect(redrive.dead).toBe(106);
      await world.advance({ minutes: 20 });
      await world.send(50);
      await world.advance({ minutes: 80 });

      expect(redrive.tasks).toEqual([
        expect.stringMatching(/^1\/s CANCELLED/),
        expect.stringMatching(/^5\/s COMPLETED/),
      ]);
      expect(redrive.deeds.slice(0, 2).sort()).toEqual(['start already-running', 'start done']);
      const moved = deployed.happened('sqs.dead-lettered').map(it => it.deadLetterQueueArn);
      const [dead, quarantined] = [DEAD, QUARANTINE].map(
        path => moved.filter(arn => arn === deployed.arn(path)).length,
      );
      expect([dead, quarantined, world.movedAtMs.length]).toEqual([106, 6, 106]);
      // Each was received in the lane as often as it may be, and in quarantine never.
      const receivesOf = (path: string) =>
        deployed.happened('sqs.received').filter(({ queueArn }) => queueArn === deployed.arn(path)).length;
      expect([receivesOf('Lane/Queue'), receivesOf(QUARANTINE)]).toEqual([100 + 6 * RECEIVES, 0]);
      expect(deployed.alarmed(`${QUARANTINE}/WaitingAlarm`)).toHaveLength(1);
      expect(world.reported(/went home/)).toEqual(['106 dead letters went home: Test/Redrive']);
      expect(await world.books(QUARANTINE)).toEqual(closedBooks(150, { quarantined: 6 }));
    },
  );
});
