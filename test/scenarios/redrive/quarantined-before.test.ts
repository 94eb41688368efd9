import { Duration } from 'aws-cdk-lib';
import { RedriveDestination, RedriveLane } from '../../../lib';
import { DEAD, DOWN, RedriveSimulation } from './redrive-world';

const QUARANTINE = 'Lane/Quarantine';

/** CloudWatch has a queue's figure of the last minute at best, and none of one that was idle: aws-semantics.md, section 9. */
test.each([{ seed: 16 }])(
  'What lay in quarantine a moment before a run is none of its letters, and what comes there by it is (seed $seed)',
  async ({ seed }) => {
    const world = await RedriveSimulation.deploy({
      seed,
      redrive: ({ stack, ops, orders }) => {
        const alarmActions = [ops];
        const visibilityTimeout = Duration.seconds(30);
        const lane = new RedriveLane(stack, 'Lane', { laneOf: orders, alarmActions, visibilityTimeout });
        return { destination: RedriveDestination.lane(lane) };
      },
    });
    const { redrive, warehouse } = world;
    await world.advance({ minutes: 3 });
    await world.send(30, { to: DEAD });
    await world.send(40, { to: QUARANTINE });
    await redrive.invoke('operator');
    await world.advance({ minutes: 15 });
    expect([redrive.deeds, world.processed.length]).toEqual([['start done', 'finish done', 'finish done'], 30]);
    expect(world.reported(/went home/)).toEqual(['30 dead letters went home: Test/Redrive']);

    warehouse.behave(DOWN);
    await world.send(20, { to: DEAD });
    await redrive.invoke('operator');
    await world.advance({ minutes: 15 });
    expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
      cause: 'came-back',
      reason: '20 of 20 messages came back',
    });
  },
);
