import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { RedriveDestination } from '../../../lib';
import { closedBooks } from './redrive-books';
import { DEAD, DOWN, mostWithin, RedriveSimulation } from './redrive-world';

const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

/** What an operator's run came to at once. */
async function askedFor({ redrive, deployed }: RedriveSimulation) {
  await redrive.invoke('operator');
  await deployed.advance({ seconds: 10 });
  const { did, cause, outcome, failure } = redrive.records.at(-1) ?? {};
  return { did, cause: cause ?? outcome, ...(failure !== undefined && { failure }) };
}

describe('A destination that only turns out to be wrong when it is there', () => {
  test.each([
    {
      what: 'of another type',
      seed: 81,
      name: '123456789012:other.fifo',
      comes: {
        did: 'start',
        cause: 'refused',
        failure:
          'StartMessageMoveTask: InvalidParameterValue: The source queue and destination queue must be of the same queue type.',
      },
      // The function fails, and is tried again twice: of that somebody hears.
      reported: 1,
    },
    {
      what: 'of another account',
      seed: 82,
      name: '999999999999:other',
      comes: { did: 'leave', cause: 'no-destination' },
      reported: 0,
    },
  ])('$what is left alone, and so are the letters (seed $seed)', async ({ seed, name, comes, reported }) => {
    const world = await RedriveSimulation.deploy({
      seed,
      redrive: ({ stack }) => {
        const { valueAsString: queueArn } = new CfnParameter(stack, 'Destination', {
          default: `arn:aws:sqs:us-east-1:${name}`,
        });
        return { destination: RedriveDestination.queue(Queue.fromQueueAttributes(stack, 'Other', { queueArn })) };
      },
    });
    const { deployed, redrive } = world;
    const Attributes = { FifoQueue: 'true' };
    await deployed.sqs.send(new CreateQueueCommand({ QueueName: 'other.fifo', Attributes }));
    await world.send(20, { to: DEAD });
    expect(await askedFor(world)).toEqual(comes);
    await world.advance({ minutes: 6 });
    expect(deployed.alarmed('Redrive/ErrorsAlarm')).toHaveLength(reported);
    expect(redrive.tasks).toEqual([]);
    expect(await world.books()).toEqual(closedBooks(0, { dead: 20 }));
  });
});

describe('A run', () => {
  test.each([{ seed: 83 }])(
    'whose task fails half way is over and told once, and the next goes on with what is left (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({ seed, redrive: () => ({ steps: STEPS }) });
      const { redrive } = world;
      await world.send(200, { to: DEAD });
      await redrive.invoke('operator');
      await world.advance({ minutes: 7, seconds: 10 });
      await redrive.deny('sqs:SendMessage');
      await world.advance({ minutes: 8 });
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '5/s FAILED 51']);
      expect(redrive.records.at(-1)).toMatchObject({ did: 'stop', cause: 'task-failed', level: 'WARN' });
      expect(redrive.records.at(-1)?.reason).toBe('the move failed: AccessDenied');
      expect([redrive.dead, world.reported(/StoppedAlarm/).length]).toEqual([200 - 63 - 51, 1]);
      await redrive.deny();
      await redrive.invoke('operator');
      await world.advance({ minutes: 14 });
      expect(redrive.tasks.slice(2)).toEqual(['1/s CANCELLED 53', '5/s COMPLETED 33']);
      expect(world.reported(/StoppedAlarm|went home/)).toHaveLength(2);
      expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([2, 1, 1]);
      expect(await world.books()).toEqual(closedBooks(200));
    },
  );

  test.each([{ seed: 84 }])(
    'of a queue that refills as fast as it drains is cancelled, and told once (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({ seed, redrive: () => ({ steps: [{ messagesPerSecond: 1 }] }) });
      const { redrive, warehouse } = world;
      warehouse.behave(DOWN);
      // What is received three times is back after 90 s, and the task would never come to an end.
      await world.send(100, { to: DEAD });
      await redrive.invoke('operator');
      await world.advance({ minutes: 13 });
      expect(redrive.tasks).toEqual(['1/s CANCELLED 303']);
      expect(redrive.records.find(({ did }) => did === 'cancel')).toMatchObject({
        cause: 'came-back',
        outcome: 'done',
      });
      expect(redrive.records.at(-1)).toMatchObject({ did: 'stop', cause: 'came-back' });
      expect(mostWithin(world.movedAtMs, 1_000)).toBe(1);
      expect(world.reported(/StoppedAlarm/)).toHaveLength(1);
      expect(await redrive.counts('RunsStopped', 'Moved')).toEqual([1, 303]);
      expect(await world.books()).toEqual(closedBooks(0, { dead: 100 }));
    },
  );

  test.each([{ seed: 85 }])(
    'in whose midst somebody moves the rest by hand begins nothing any more, and the budget knows (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({ seed, redrive: () => ({ steps: STEPS, messagesPerDay: 300 }) });
      const { redrive } = world;
      await world.send(250, { to: DEAD });
      await redrive.invoke('operator');
      await world.advance({ minutes: 3 });
      await redrive.moveByHand(2);
      await world.advance({ minutes: 1 });
      expect(await askedFor(world)).toEqual({ did: 'leave', cause: 'foreign-task' });
      await world.advance({ minutes: 5 });
      await world.send(100, { to: DEAD });
      expect(await askedFor(world)).toEqual({ did: 'leave', cause: 'messages-spent' });
      expect(redrive.records.at(-1)?.reason).toMatch(/^of 300 messages a day 50 are left/);
      await world.advance({ minutes: 10 });
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '2/s COMPLETED 187']);
      expect(await world.books()).toEqual(closedBooks(250, { dead: 100 }));
    },
  );

  test.each([{ seed: 86 }])(
    'for which metrics are not there when its canary has settled waits for them, and people hear of the function (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({ seed, redrive: () => ({ steps: STEPS }) });
      const { deployed, redrive } = world;
      await world.send(80, { to: DEAD });
      await redrive.invoke('operator');
      await world.advance({ minutes: 2 });
      deployed.aws.faults.set({ service: 'cloudwatch', action: 'GetMetricData', forMs: 490_000 });
      await world.advance({ minutes: 8 });
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
      expect(redrive.records.at(-1)).toMatchObject({ did: 'wait', level: 'ERROR' });
      expect(redrive.records.at(-1)?.unread?.[0]).toContain('GetMetricData: ServiceUnavailable');
      expect(deployed.alarmed('Redrive/ErrorsAlarm')).toHaveLength(1);
      await world.advance({ minutes: 8 });
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '5/s COMPLETED 17']);
      expect(world.reported(/StoppedAlarm|went home/)).toEqual(['80 dead letters went home: Test/Redrive']);
      expect(await world.books()).toEqual(closedBooks(80));
    },
  );

  test.each([{ seed: 87 }])(
    'to a queue of which CloudWatch has no figure, for nobody reads it, goes no further than its canary (seed $seed)',
    async ({ seed }) => {
      const world = await RedriveSimulation.deploy({
        seed,
        redrive: ({ stack }) => ({
          destination: RedriveDestination.queue(new Queue(stack, 'Unread')),
          steps: STEPS,
          settle: Duration.minutes(3),
        }),
      });
      const { redrive } = world;
      await world.send(100, { to: DEAD });
      await redrive.invoke('operator');
      await world.advance({ minutes: 20 });
      expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
      expect(redrive.records.at(-1)).toMatchObject({ did: 'stop', cause: 'unproven' });
      expect(world.reported(/StoppedAlarm/)).toHaveLength(1);
      expect((await world.drain('Unread')).length + (await world.drain(DEAD)).length).toBe(100);
    },
  );
});
