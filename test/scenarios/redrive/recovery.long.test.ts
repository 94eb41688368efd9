import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { OpsTopic, ProcessingQueue, Redrive, RedriveDestination } from '../../../lib';
import { response } from '../../../local';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { DeployedRedrive } from '../../lambda/redrive/redrive-fixture';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { closedBooks } from './redrive-books';
import { DEAD, DOWN, mostWithin, RedriveSimulation } from './redrive-simulation';

const OUTAGE_MS = HOUR_MS;

/** The consumer works for three minutes, which is too short for a recovery. */
const FLAP_MS = 0.75 * HOUR_MS;

const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 5 }];

describe('A consumer that is broken for an hour, while orders come all the time,', () => {
  test('and then repaired gets every one of them back by itself, no faster than it may be, and people are told of it from end to end (seed 61)', async () => {
    const world = await RedriveSimulation.deploy({
      seed: 61,
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
    await world.send(80);
    await world.sendEvery(2, 60);
    const { dead } = redrive;
    // All failed, except one that came while the consumer worked, and the last one, which is still being tried.
    expect([world.sent.length, dead]).toEqual([110, 108]);
    expect(world.movedAtMs).toEqual([]);
    await world.sendEvery(2, 40);

    expect(await world.books()).toEqual(closedBooks(130));
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', `5/s COMPLETED ${dead - 63}`]);
    const { movedAtMs } = world;
    const canaries = movedAtMs.slice(0, 63);
    expect([movedAtMs.length, mostWithin(movedAtMs, 1_000), mostWithin(canaries, 1_000)]).toEqual([dead, 5, 1]);
    const [first = Number.NaN] = canaries;
    const [, recovered] = deployed.rings('Errors').filter(({ to }) => to === 'OK');
    expect(deployed.secondsAt(first)).toBeGreaterThanOrEqual((recovered?.seconds ?? Number.NaN) + 5 * 60);

    // The operator was notified of the dead-letter messages and of the result, and had to do nothing.
    expect(deployed.alarmed(`${DEAD}/GrowthAlarm`)).toHaveLength(1);
    expect(world.reported(/./)).toEqual([
      expect.stringMatching(/^ALARM: .*GrowthAlarm/),
      `Moved ${dead} dead letters: Test/Redrive`,
    ]);
    expect(world.mailOn(/GrowthAlarm/)).toMatch(/docs\/runbook\.md#[a-z-]+/);
    expect(world.mailOn(/Moved \d/)).toContain(`Moved: ${dead}\nReturned to the dead-letter queue: 0\n`);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped', 'Moved', 'Returned')).toEqual([
      1,
      1,
      0,
      dead,
      0,
    ]);
    expect(await redrive.errors()).toBe(0);
  });
});

describe('An alarm that fires again and again', () => {
  const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 2 }];

  test('has a task cancelled that moves letters, ends each run of which a human hears once, and the last goes well (seed 65)', async () => {
    const runsPerDay = 5;
    const world = await RedriveSimulation.deploy({
      seed: 65,
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
      // The messages of the first canary settle.
      { ...DOWN, forMs: 2 * MINUTE_MS },
      { ...up, forMs: 20.5 * MINUTE_MS },
      // The second run has started its second step.
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
    expect([world.reported(/StoppedAlarm/).length, world.reported(/Moved \d/).length]).toEqual([2, 1]);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([3, 1, 2]);
  });
});

describe('While a consumer stays broken', () => {
  const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 10 }];

  /** Returns the causes in the records of runs that did not begin. */
  function left({ redrive }: RedriveSimulation): ReadonlySet<string | undefined> {
    return new Set(redrive.records.filter(({ did }) => did === 'leave').map(({ cause }) => cause));
  }

  test('and looks well whenever it has nothing to do, each recovery costs a canary, as many as may be in a day, and a human is told of each once (seed 62)', async () => {
    const runsPerDay = 2;
    const world = await RedriveSimulation.deploy({
      seed: 62,
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
    // There are as many messages as the canary moves before the first check.
    expect(redrive.tasks).toEqual(Array.from({ length: runsPerDay }, () => '1/s COMPLETED 30'));
    expect(left(world)).toContain('runs-spent');
    expect(deployed.alarmed('Redrive/StoppedAlarm')).toHaveLength(runsPerDay);
    expect(world.reported(/StoppedAlarm/)).toHaveLength(runsPerDay);
    expect(world.reported(/Moved \d/)).toEqual([]);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([runsPerDay, 0, runsPerDay]);
    expect(await world.books()).toEqual(closedBooks(0, { dead: 30 }));
  });

  test('and a schedule asks again and again, the canary comes back, and after that the budget is kept (seed 63)', async () => {
    const world = await RedriveSimulation.deploy({
      seed: 63,
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
    // The first schedule comes before the run has ended. After 63 messages, 87 of the 150 are left, and a canary may move 131.
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
    expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
      cause: 'returned',
      reason: '63 of 63 messages came back',
    });
    expect([...left(world)]).toEqual(['resting', 'messages-spent']);
    expect(deployed.alarmed('Redrive/StoppedAlarm')).toHaveLength(1);
    expect(await redrive.counts('RunsStarted', 'RunsStopped', 'Moved', 'Returned')).toEqual([1, 1, 63, 63]);
    expect(await world.books()).toEqual(closedBooks(0, { dead: 100 }));
  });
});

describe('not-consumed', () => {
  const OPS = 'ops@example.com';

  /** Makes a request to a slow host for each message, and fails on poison. */
  const SLOW_CONSUMER = `exports.handler = async ({ Records: [{ body }] }) => {
  await fetch('https://slow.example.com/', { method: 'POST', body });
  if (body.startsWith('poison')) throw new Error('indigestible');
};`;

  /** Deploys a queue with a default redrive. The slow consumer reads it, two messages at a time, or there is no consumer. */
  async function deploy(isRead: boolean) {
    const deployed = await Deployed.stack(stack => {
      const ops = new OpsTopic(stack, 'Ops', { email: OPS });
      const alarmActions = [ops];
      const orders = new ProcessingQueue(stack, 'Orders', {
        alarmActions,
        visibilityTimeout: Duration.seconds(60),
        maxReceiveCount: 3,
      });
      if (isRead) {
        const consumer = inlineFunction(stack, 'Consumer', SLOW_CONSUMER, { timeout: Duration.seconds(10) });
        orders.addFunctionConsumer(consumer, { batchSize: 1, maxConcurrency: 2 });
      }
      new Redrive(stack, 'Redrive', {
        deadLetterQueue: orders.deadLetters,
        destination: RedriveDestination.queue(orders),
        alarmActions,
        resultsTopic: ops,
        enabled: true,
      });
    });
    deployed.aws.confirmSubscription(OPS);
    deployed.aws.endpoint('slow.example.com').behave({ reply: response(200, '', {}, { latencyMs: 4_000 }) });
    const redrive = new DeployedRedrive(deployed, 'Orders/DeadLetterQueue');
    const mails = () => deployed.aws.recipients.receipts(OPS).map(({ subject }) => subject);
    return { deployed, redrive, mails };
  }

  test('A canary behind a backlog proves nothing: nothing faster follows, and a human is told', async () => {
    const { deployed, redrive, mails } = await deploy(true);
    const sqs = new SQSClient(deployed.aws.clientConfig());
    for (let batch = 0; batch < 150; batch += 1) {
      const Entries = Array.from({ length: 10 }, (_, i) => ({ Id: `${i}`, MessageBody: `good ${10 * batch + i}` }));
      await sqs.send(new SendMessageBatchCommand({ QueueUrl: deployed.ref('Orders'), Entries }));
    }
    await deployed.advance({ minutes: 3 });
    await redrive.deadLetterMessage(Array.from({ length: 500 }, (_, i) => `poison ${i}`));
    await redrive.invoke('operator');
    await deployed.advance({ minutes: 25 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63']);
    expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
      cause: 'not-consumed',
      reason: '63 of the canary’s 63 messages may still wait in the destination, behind others',
    });
    expect(mails().filter(subject => /StoppedAlarm/.test(subject ?? ''))).toHaveLength(1);
    expect(mails().filter(subject => /Moved \d/.test(subject ?? ''))).toEqual([]);
  });

  test('If all messages were moved to a queue without a consumer, an operator is notified that they were not consumed', async () => {
    const { deployed, redrive, mails } = await deploy(false);
    await redrive.deadLetterMessage(Array.from({ length: 40 }, (_, i) => `order ${i}`));
    await redrive.invoke('operator');
    await deployed.advance({ minutes: 30 });
    expect(redrive.tasks).toEqual(['1/s COMPLETED 40']);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped')).toEqual([1, 0, 1]);
    expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({
      cause: 'not-consumed',
      state: 'stopped',
    });
    expect(mails().filter(subject => /StoppedAlarm/.test(subject ?? ''))).toHaveLength(1);
    expect(mails().filter(subject => /Moved \d/.test(subject ?? ''))).toEqual([]);
  });
});
