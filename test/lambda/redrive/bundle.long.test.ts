import { DeleteQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { FunctionFailures, OpsTopic, Quarantine, Redrive, RedriveDestination } from '../../../lib';
import { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';
import { DeployedRedrive } from './redrive-fixture';

const orders = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `order ${index}`);

/** A canary, then all other messages. */
const STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 50 }];

const SLOW_STEPS = [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 2 }];

/** Removes repeated entries. */
function distinct(deeds: readonly string[]): readonly string[] {
  return deeds.filter((deed, index) => deed !== deeds[index - 1]);
}

describe('A redrive', () => {
  test('redrives a canary first, then the rest, each message once, notifies the operator once, and then makes few requests', async () => {
    const messages = orders(150);
    const redrive = await DeployedRedrive.deploy(messages, { steps: STEPS });
    // Two triggers at the same instant, together with a tick.
    await Promise.all([redrive.invoke('operator'), redrive.invoke('schedule')]);
    await redrive.deployed.advance({ minutes: 20 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '50/s COMPLETED 87']);
    expect([redrive.dead, [...redrive.done].sort()]).toEqual([0, [...messages].sort()]);
    expect(redrive.deeds.filter(deed => !deed.startsWith('finish'))).toEqual([
      'start done',
      'start already-running',
      'cancel step-done',
      'start done',
    ]);
    expect(redrive.mails.filter(mail => !mail.startsWith('ALARM') && !mail.startsWith('OK'))).toEqual([
      'Moved 150 dead letters: Test/Redrive',
    ]);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'Moved', 'Returned')).toEqual([1, 1, 150, 0]);
    // From here on, a tick needs none of these permissions.
    await redrive.deployed.advance({ hours: 1 });
    await redrive.deny('ssm:*', 'cloudwatch:Describe*', 'lambda:Get*', 'sqs:StartMessageMoveTask');
    const { length } = redrive.records;
    await redrive.deployed.advance({ minutes: 5 });
    expect([redrive.records.length, await redrive.errors()]).toEqual([length, 0]);
  });

  test('that is switched off cancels its move task, starts nothing, and notifies once', async () => {
    const redrive = await DeployedRedrive.deploy(orders(400), { steps: SLOW_STEPS });
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 7, seconds: 30 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '2/s RUNNING 0']);
    await redrive.turnSwitch('off');
    await redrive.deployed.advance({ minutes: 10 });
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', '2/s CANCELLED 126']);
    expect([redrive.done.length, redrive.dead]).toEqual([189, 211]);
    await redrive.invoke('operator');
    await redrive.deployed.advance({ seconds: 10 });
    expect(distinct(redrive.deeds)).toEqual([
      'start done',
      'cancel step-done',
      'start done',
      'cancel switched-off',
      'stop switched-off',
      'leave switched-off',
    ]);
    expect(redrive.deployed.alarmed('Redrive/StoppedAlarm')).toHaveLength(1);
    expect(await redrive.counts('RunsStarted', 'RunsFinished', 'RunsStopped', 'Moved')).toEqual([1, 0, 1, 189]);
    await redrive.turnSwitch('on');
    await redrive.deployed.advance({ minutes: 5 });
    expect(redrive.tasks).toHaveLength(2);
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 15 });
    expect(redrive.tasks.slice(2)).toEqual(['1/s CANCELLED 23', '2/s COMPLETED 188']);
    expect([redrive.done.length, redrive.dead]).toEqual([400, 0]);
  });

  test('never touches a move that an operator started, and counts it', async () => {
    const redrive = await DeployedRedrive.deploy(orders(100), { steps: STEPS, messagesPerDay: 150 });
    await redrive.moveByHand(2);
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 3 });
    expect([redrive.tasks, distinct(redrive.deeds)]).toEqual([['2/s COMPLETED 100'], ['leave foreign-task']]);
    await redrive.deadLetterMessage(orders(60));
    await redrive.invoke('operator');
    await redrive.deployed.advance({ seconds: 10 });
    expect(redrive.records.at(-1)).toMatchObject({
      did: 'leave',
      cause: 'messages-spent',
      reason: '50 of the day’s 150 messages are left, and this step could move more',
    });
    expect([redrive.tasks.length, redrive.dead, await redrive.errors()]).toEqual([1, 60, 0]);
  });
});

describe('A redrive loses no message and moves none twice, even if', () => {
  test('a health alarm fires while it moves messages', async () => {
    const redrive = await DeployedRedrive.deploy(orders(200), { steps: SLOW_STEPS });
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 7, seconds: 30 });
    await redrive.fallIll();
    await redrive.deployed.advance({ minutes: 10 });
    expect(redrive.deeds.slice(3, 5)).toEqual(['cancel alarm-firing', 'stop alarm-firing']);
    expect(redrive.tasks).toEqual(['1/s CANCELLED 63', expect.stringMatching(/^2\/s CANCELLED/)]);
    expect([redrive.done.length + redrive.dead, redrive.deployed.alarmed('Redrive/StoppedAlarm').length]).toEqual([
      200, 1,
    ]);
  });

  // The function reads its facts with 8 requests, starts the canary with the 9th, and then reports it.
  test.each([[8], [9]])('its function crashes after %i requests', async afterRequests => {
    const redrive = await DeployedRedrive.deploy(orders(5), { steps: STEPS });
    const functionName = redrive.deployed.ref('Redrive/Function');
    redrive.deployed.aws.interruptions.set({ functionName, how: 'exit', afterRequests });
    await redrive.invoke('operator');
    await redrive.deployed.advance({ seconds: 1 });
    expect([redrive.records.length, redrive.tasks.length]).toEqual([0, afterRequests === 9 ? 1 : 0]);
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 10 });
    expect([redrive.tasks, [...redrive.done].sort(), redrive.dead]).toEqual([['1/s COMPLETED 5'], orders(5), 0]);
  });

  test('SNS is down at the tick that reports the end: Lambda retries the tick, and one report arrives', async () => {
    const redrive = await DeployedRedrive.deploy(orders(5), { steps: STEPS });
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 5, seconds: 30 });
    const fault = redrive.deployed.aws.faults.set({ service: 'sns', action: 'Publish' });
    await redrive.deployed.advance({ minutes: 1 });
    expect([await redrive.errors(), redrive.log('"message":"report-failed"').length]).toEqual([1, 1]);
    fault.end();
    await redrive.deployed.advance({ minutes: 10 });
    expect(redrive.mails.filter(mail => mail.includes('Moved '))).toEqual(['Moved 5 dead letters: Test/Redrive']);
    expect([await redrive.errors(), ...(await redrive.counts('RunsFinished', 'Moved'))]).toEqual([1, 1, 5]);
  });

  test('SQS refuses move tasks for its queue: it copies with the same steps', async () => {
    const redrive = await DeployedRedrive.deploy(orders(40), { steps: STEPS, anchor: false });
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 20 });
    expect([redrive.tasks, [...redrive.done].sort(), redrive.dead]).toEqual([[], [...orders(40)].sort(), 0]);
    const movePasses = redrive.records.flatMap(({ movePass }) => movePass ?? []);
    expect(movePasses).toMatchObject([
      { status: 'COMPLETED', moved: 10 },
      { status: 'COMPLETED', moved: 30 },
    ]);
    expect(redrive.records[0]?.refusal).toContain('Source queue must be configured as a Dead Letter Queue.');
    expect(redrive.mails).toContain('Moved 40 dead letters: Test/Redrive');
  });
});

describe('A redrive that AWS refuses a call', () => {
  test('copies with the same steps if SQS could not determine the source of a message', async () => {
    const redrive = await DeployedRedrive.deploy(orders(40), { steps: STEPS, anchor: true });
    const fault = redrive.deployed.aws.faults.set({
      service: 'sqs',
      action: 'ReceiveMessage',
      resource: redrive.deployed.arn('Unnamed'),
      code: 'CouldNotDetermineMessageSource',
      httpStatus: 400,
    });
    await redrive.invoke('operator');
    await redrive.deployed.advance({ seconds: 10 });
    expect(redrive.tasks).toEqual(['1/s FAILED 0']);
    fault.end();
    await redrive.deployed.advance({ minutes: 30 });
    expect([redrive.tasks, [...redrive.done].sort(), redrive.dead]).toEqual([
      ['1/s FAILED 0'],
      [...orders(40)].sort(),
      0,
    ]);
    const copied = redrive.records.find(({ movePass }) => movePass !== undefined);
    expect(copied?.reason).toBe('no task can move them: CouldNotDetermineMessageSource');
    expect(redrive.mails).toContain('Moved 40 dead letters: Test/Redrive');
  });

  test('for lack of a permission reports that, loses nothing, and continues once it is allowed', async () => {
    const redrive = await DeployedRedrive.deploy(orders(5), { steps: STEPS });
    const denied = async (...actions: readonly string[]) => {
      await redrive.deny(...actions);
      await redrive.invoke('operator');
      await redrive.deployed.advance({ seconds: 5 });
      const { level, did, outcome, cause } = redrive.records.at(-1) ?? {};
      return [level, did, outcome, cause];
    };
    expect(await denied('sqs:ListMessageMoveTasks')).toEqual(['ERROR', 'nothing', 'permissions-missing', undefined]);
    expect(await denied('sqs:StartMessageMoveTask')).toEqual(['ERROR', 'start', 'permissions-missing', undefined]);
    expect(redrive.records.at(-1)?.failure).toContain('StartMessageMoveTask: AccessDenied');
    expect(await denied('ssm:GetParameter')).toEqual(['ERROR', 'leave', 'done', 'switch-unknown']);
    expect(redrive.records.at(-1)?.unread).toEqual([expect.stringContaining('GetParameter: AccessDeniedException')]);
    expect(await denied('cloudwatch:DescribeAlarms')).toEqual(['ERROR', 'leave', 'done', 'alarm-missing']);
    expect(await denied('cloudwatch:GetMetricData')).toEqual(['ERROR', 'leave', 'done', 'history-too-short']);
    expect(await denied('lambda:GetEventSourceMapping')).toEqual(['ERROR', 'leave', 'done', 'consumer-stopped']);
    expect([redrive.tasks, redrive.dead, await redrive.errors()]).toEqual([[], 5, 6]);
    await redrive.deployed.advance({ minutes: 6 });
    expect(redrive.deployed.alarmed('Redrive/ErrorsAlarm')).toHaveLength(1);
    await redrive.deny();
    await redrive.invoke('operator');
    await redrive.deployed.advance({ minutes: 10 });
    expect([redrive.tasks, redrive.dead]).toEqual([['1/s COMPLETED 5'], 0]);
    const { deployed } = redrive;
    await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('Orders/DeadLetterQueue') }));
    await redrive.invoke('operator');
    await deployed.advance({ seconds: 5 });
    expect(redrive.deeds.at(-1)).toBe('leave no-dead-letter-queue');
  });
});

const RENTS = `exports.handler = async ({ order, poison, slowly }) => {
  console.log('tried: ' + order);
  if (slowly) await new Promise(resolve => setTimeout(resolve, 4900));
  if (poison) throw new RangeError('no such vehicle class');
};`;

const fill = (messagesPerSecond: number) => (stack: Stack) => {
  const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
  const handler = inlineFunction(stack, 'Consumer', RENTS, { timeout: Duration.seconds(5) });
  const failures = new FunctionFailures(stack, 'Failures', { handler, alarmActions });
  new Redrive(stack, 'Redrive', {
    deadLetterQueue: failures.deadLetterQueue,
    destination: RedriveDestination.failedEvents(handler),
    quarantine: new Quarantine(stack, 'Quarantine', { alarmActions }),
    steps: [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond }],
    enabled: true,
    alarmActions,
  });
};

function held(deployed: Deployed): number {
  const quarantine = deployed.aws.state().queues.find(({ name }) => name === deployed.name('Quarantine'));
  if (!quarantine) throw new Error('there is no quarantine');
  return quarantine.visible + quarantine.inFlight;
}

describe('A redrive of events on which a function failed', () => {
  test('replays each message once, and moves messages that fail again to the quarantine', async () => {
    const deployed = await Deployed.stack(fill(50));
    const redrive = new DeployedRedrive(deployed, 'Failures/DeadLetterQueue');
    const QueueUrl = deployed.ref('Failures/DeadLetterQueue');
    await deployed.advance({ minutes: 1 });
    const orders = Array.from({ length: 40 }, (_, order) => ({ order, poison: order % 10 === 0 }));
    for (const order of orders) {
      await deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(order) }));
    }
    await deployed.advance({ minutes: 1 });
    await redrive.invoke('operator');
    await deployed.advance({ minutes: 20 });
    const movePasses = () => redrive.records.flatMap(({ movePass }) => movePass ?? []);
    expect(movePasses()).toEqual([
      {
        status: 'COMPLETED',
        moved: 10,
        quarantined: 1,
        returned: 1,
        reason: 'it has moved as many messages as it should',
      },
      { status: 'COMPLETED', moved: 30, quarantined: 3, returned: 3, reason: 'no message is visible any more' },
    ]);
    expect(redrive.records.at(-1)).toMatchObject({ did: 'finish', run: { moved: 40, returned: 4 } });
    expect([redrive.dead, held(deployed)]).toEqual([0, 4]);
    const tries = deployed
      .log(`/aws/lambda/${deployed.ref('Consumer')}`)
      .flatMap(line => /tried: (\d+)/.exec(line)?.[1] ?? []);
    expect(tries.sort()).toEqual(orders.map(({ order }) => String(order)).sort());
  });

  test('stops during a move when the function fails on more than the allowed share, and leaves the others untouched', async () => {
    const deployed = await Deployed.stack(fill(5));
    const redrive = new DeployedRedrive(deployed, 'Failures/DeadLetterQueue');
    const QueueUrl = deployed.ref('Failures/DeadLetterQueue');
    await deployed.advance({ minutes: 1 });
    // All of the canary succeed, and then the function fails on every other: five seconds each.
    for (let order = 0; order < 400; order += 1) {
      const body = { order, poison: order >= 20 && order % 2 === 0, slowly: order >= 20 };
      await deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
    }
    await deployed.advance({ minutes: 1 });
    await redrive.invoke('operator');
    await deployed.advance({ minutes: 30 });
    const [, stopped] = redrive.records.flatMap(({ movePass }) => movePass ?? []);
    expect(stopped).toMatchObject({ status: 'CANCELLED', cause: 'returned' });
    expect(stopped?.reason).toMatch(/^the function failed on \d+ of \d+ messages$/);
    expect(redrive.records.find(({ did }) => did === 'stop')).toMatchObject({ cause: 'returned' });
    const { moved = 0, quarantined = 0 } = stopped ?? { moved: 0, quarantined: 0 };
    expect(moved).toBeLessThan(390);
    expect([redrive.dead, held(deployed)]).toEqual([400 - 10 - moved, quarantined]);
  });
});
