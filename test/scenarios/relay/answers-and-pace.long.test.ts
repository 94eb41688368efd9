import { Duration } from 'aws-cdk-lib';
import { type Behaviour, response } from '../../../local';
import { STACK_BREAKER } from '../../support/breakers';
import { relaySpending, type Spent } from '../../support/relay-spending';
import { closedBooks } from './relay-books';
import { DOWN, MOVED_BY_SQS, RelaySimulation, type RelayWorldOptions, SHORT } from './relay-simulation';

/**
 * No known message makes the bundle crash, so the test sets a fault: each invocation
 * with the first message of the group ends at once.
 */
test('One message with which the process dies, time and again, is moved to the dead-letter queue by SQS, and its group goes on (seed 33)', async () => {
  // The first request waits for its turn, and is never sent.
  const relay = () => ({ ...SHORT, fifo: true, maxReceivesPerSecond: 10 });
  const world = await RelaySimulation.deploy({ seed: 33, relay });
  const { functionName } = world;
  // Three retries need four receives. Ten more are kept in reserve.
  const receives = 4 + 10;
  world.deployed.aws.interruptions.set({ functionName, how: 'exit', count: receives });
  for (const message of ['poison', 'second', 'third']) await world.publish(message, 'customer-7');
  await world.advance({ hours: 2 });
  expect(await world.books()).toEqual(closedBooks(2, { [MOVED_BY_SQS]: 1 }));
  expect(world.queued).toBe(0);
  expect(world.posted.map(({ message }) => message)).toEqual(['second', 'third']);
  expect(world.dead.all.map(({ message }) => message)).toEqual(['poison']);
  expect(world.deployed.happened('sqs.dead-lettered').map(({ receiveCount }) => receiveCount)).toEqual([receives]);
  expect(world.deployed.alarmed('Relay/StalledAlarm').length).toBeGreaterThan(0);
});

const MESSAGES = 500;
const BATCH = 10;
const FAILING = MESSAGES / 20;

/** Every twentieth request gets another answer. */
const oneIn20 = (status: number): readonly Behaviour[] =>
  Array.from({ length: FAILING }, () => [
    { reply: response(200), count: 19 },
    { reply: response(status), count: 1 },
  ]).flat();

/** Messages that came at once, as after an outage. */
async function play(behaviours: readonly Behaviour[], relay?: RelayWorldOptions['relay']) {
  const world = await RelaySimulation.deploy({ seed: 51, ...(relay && { relay }) });
  const { deployed, partner } = world;
  const spent = relaySpending(deployed.aws, deployed.ref('Relay/Role'), deployed.arn('Relay/Function'));
  partner.behave(...behaviours);
  const { sns } = deployed.aws.services;
  const TopicArn = deployed.ref('Orders');
  for (let i = 0; i < MESSAGES; i += 1) sns.call('Publish', sns.owner, { TopicArn, Message: `order ${i}` });
  await world.advance({ minutes: 10 });
  expect(world.queued).toBe(0);
  const taken = world.posted.filter(({ isTaken }) => isTaken).length;
  return { spent: spent(), requests: world.posted.length, taken };
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-batch-api-actions.html */
describe('Five hundred messages of a relay (seed 51)', () => {
  const batches = MESSAGES / BATCH;
  const healthy: Spent = {
    received: batches,
    receivedNothing: 5,
    deleted: batches,
    hidden: 0,
    deadLettered: 0,
    others: [],
    invocations: batches,
  };

  test('take a receive, a run and a delete for ten of them where all is well', async () => {
    expect(await play([])).toEqual({ spent: healthy, requests: MESSAGES, taken: MESSAGES });
  });

  test('take no more where a twentieth fails once, for they are tried again at once', async () => {
    expect(await play(oneIn20(503))).toEqual({ spent: healthy, requests: MESSAGES + FAILING, taken: MESSAGES });
  });

  test('take a call more for each batch with failures, and a receive, a run and a delete for each batch that comes back', async () => {
    const { spent, requests, taken } = await play(oneIn20(503), () => SHORT);
    // The rate ceiling makes the messages fail one after the other, two or three in a batch. They return in the same order.
    const failed = { received: 60, deleted: 60, invocations: 60, hidden: 10 };
    expect({ requests, taken }).toEqual({ requests: MESSAGES + FAILING, taken: MESSAGES });
    expect(spent).toEqual({ ...healthy, ...failed, receivedNothing: 25 });
  });

  test('take one call for each that is refused: the one that sends it to the dead-letter queue', async () => {
    const { spent, requests, taken } = await play(oneIn20(422));
    expect({ requests, taken }).toEqual({ requests: MESSAGES, taken: MESSAGES - FAILING });
    expect(spent).toEqual({ ...healthy, deadLettered: FAILING });
  });
});

/** With a retention of three hours, a breaker sweeps its queue each 22.5 minutes. */
test('swept: What waits behind an open breaker has its whole schedule left, however often the breaker went through it (seed 98)', async () => {
  const circuitBreaker = { probeInterval: Duration.minutes(30) };
  const options = { ...SHORT, retentionPeriod: Duration.hours(3), circuitBreaker };
  const world = await RelaySimulation.deploy({ seed: 98, relay: () => options });
  world.partner.behave(DOWN);
  for (let minute = 0; minute < 3; minute += 1) {
    for (let index = 0; index < 12; index += 1) await world.publish(`early ${minute}.${index}`);
    await world.advance({ minutes: 1 });
  }
  await world.advance({ minutes: 7 });
  const waiting = new Set<string>();
  for (let index = 0; index < 30; index += 1) waiting.add(await world.publish(`waiting ${index}`));
  await world.advance({ minutes: 75 });
  const log = world.deployed.log(world.deployed.ref(`${STACK_BREAKER}/Log`));
  expect(log.filter(line => line.includes('"message":"expiring"')).length).toBeGreaterThanOrEqual(3);
  // A probe succeeds, and then the first attempts of the waiting messages fail.
  world.partner.behave({ reply: response(200), count: 1 }, { ...DOWN, count: 40 });
  await world.advance({ minutes: 45 });
  const ours = world.postedByMessage.filter(([first]) => waiting.has(first?.messageId ?? ''));
  expect(ours.map(posts => posts.map(({ status }) => status))).toEqual([...waiting].map(() => [503, 200]));
  expect((await world.books()).dead).toEqual({});
});
