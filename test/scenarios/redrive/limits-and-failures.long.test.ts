import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { DeadLetterQueue, RedriveDestination, RedriveLane } from '../../../lib';
import { closedBooks, redriveBooks } from './redrive-books';
import { DEAD, DOWN, mostWithin, RedriveSimulation } from './redrive-simulation';

const STEPS = [
  { messagesPerSecond: 1, messages: 10 },
  { messagesPerSecond: 2, messages: 50 },
  { messagesPerSecond: 10 },
];

/** At 10 a second, a task could move 1,301 messages if one check is lost. So the last step is never that fast. */
const MESSAGES_PER_DAY = 500;

describe('With more dead letters than may move in a day,', () => {
  test('a run goes at the rates there is room for, and ends before the budget is passed; a human is told, and no other asks for more (seed 68)', async () => {
    const redriven = () => ({ steps: STEPS, runsPerDay: 3, messagesPerDay: MESSAGES_PER_DAY });
    const world = await RedriveSimulation.deploy({ seed: 68, redrive: redriven });
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
      '122 of the day’s 500 messages are left, and this step could move more',
    );
    expect(world.reported(/StoppedAlarm|Moved \d/)).toHaveLength(2);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([2, 0, 2]);
    expect(await world.books()).toEqual(closedBooks(378, { dead: 522 }));
  });
});

describe('A function that breaks off', () => {
  const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

  /** Ends the next invocation after it has sent this many requests. The last one arrives, but its answer does not. */
  function interrupt({ deployed }: RedriveSimulation, afterRequests: number): void {
    deployed.aws.interruptions.set({ functionName: deployed.ref('Redrive/Function'), how: 'exit', afterRequests });
  }

  /** Returns the number of interrupted invocations. */
  function brokenOff({ deployed }: RedriveSimulation): number {
    return deployed.happened('lambda.finished').filter(({ outcome }) => outcome !== 'success').length;
  }

  test('just when SQS has its request to start the canary, to cancel it, and to start the next step, does none of them twice (seed 66)', async () => {
    const world = await RedriveSimulation.deploy({ seed: 66, redrive: () => ({ steps: STEPS }) });
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
    // The function that began these tasks wrote no record.
    expect(redrive.deeds.filter(deed => deed.startsWith('start'))).toEqual([]);
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '5/s COMPLETED 87']);
    expect(mostWithin(world.movedAtMs, 1_000)).toBe(5);
    expect(world.reported(/Moved \d|StoppedAlarm/)).toEqual(['Moved 150 dead letters: Test/Redrive']);
    expect(await world.books()).toEqual(closedBooks(150));
  });

  test('twice while it copies does one order more than once each time, at most, and loses none (seed 67)', async () => {
    const world = await RedriveSimulation.deploy({
      seed: 67,
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
    // The function may still run: 15 minutes, and three more because metrics may be late.
    await world.advance({ minutes: 20 });
    for (let minute = 0; minute < 7; minute += 1) {
      // Only copying makes so many requests.
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
  });
});

describe('By a lane, and two schedules that come at the same instant,', () => {
  const QUARANTINE = 'Lane/Quarantine';
  const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

  /** How often a lane tries a message. */
  const RECEIVES = 3;

  test('good letters go home, and poison among them is in quarantine after exactly one pass, where nothing touches it (seed 64)', async () => {
    const world = await RedriveSimulation.deploy({
      seed: 64,
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

    expect(redrive.tasks).toEqual([expect.stringMatching(/^1\/s CANCELLED/), expect.stringMatching(/^5\/s COMPLETED/)]);
    expect(redrive.deeds.slice(0, 2).sort()).toEqual(['start already-running', 'start done']);
    const moved = deployed.happened('sqs.dead-lettered').map(it => it.deadLetterQueueArn);
    const [dead, quarantined] = [DEAD, QUARANTINE].map(path => moved.filter(arn => arn === deployed.arn(path)).length);
    expect([dead, quarantined, world.movedAtMs.length]).toEqual([106, 6, 106]);
    // Each message was received `maxReceiveCount` times in the lane, and never in the quarantine.
    const receivesOf = (path: string) =>
      deployed.happened('sqs.received').filter(({ queueArn }) => queueArn === deployed.arn(path)).length;
    expect([receivesOf('Lane/Queue'), receivesOf(QUARANTINE)]).toEqual([100 + 6 * RECEIVES, 0]);
    expect(deployed.alarmed(`${QUARANTINE}/GrowthAlarm`)).toHaveLength(1);
    expect(world.reported(/Moved \d/)).toEqual(['Moved 106 dead letters: Test/Redrive']);
    expect(await world.books(QUARANTINE)).toEqual(closedBooks(150, { quarantined: 6 }));
  });
});

describe('quarantined before', () => {
  const QUARANTINE = 'Lane/Quarantine';

  /** CloudWatch has a queue's value of the last minute at best, and none of a queue that was idle: aws-semantics.md, section 9. */
  test('What lay in quarantine a moment before a run is none of its letters, and what comes there by it is (seed 16)', async () => {
    const world = await RedriveSimulation.deploy({
      seed: 16,
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
    expect(world.reported(/Moved \d/)).toEqual(['Moved 30 dead letters: Test/Redrive']);

    warehouse.behave(DOWN);
    await world.send(20, { to: DEAD });
    await redrive.invoke('operator');
    await world.advance({ minutes: 15 });
    expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
      cause: 'returned',
      reason: '20 of 20 messages came back',
    });
  });
});
