import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { Duration } from 'aws-cdk-lib';
import { AlarmSet } from '../../../lib';
import { type Behaviour, Ledger, noAnswer, response, silence } from '../../../local';
import type { RelayAttemptRecord } from '../../../policy/messages/delivery-status';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';
import { closedBooks } from './relay-books';
import { DOWN, type RelayParts, RelaySimulation, SHORT } from './relay-simulation';

const NATIVE_HOST = 'native.example.com';
const NATIVE = `https://${NATIVE_HOST}/orders`;

const OUTAGE_HOURS = 5;
const OUTAGE_MS = OUTAGE_HOURS * 3_600_000;

/** Adds a subscription with SNS's maximum: 100 retries within an hour. */
function nativeSubscription({ topic }: RelayParts): void {
  const every = Duration.seconds(36);
  const healthyRetryPolicy = { numRetries: 100, minDelayTarget: every, maxDelayTarget: every };
  topic.deliverToEndpoint('Native', NATIVE, { deliveryPolicy: { healthyRetryPolicy } });
}

/** Returns the highest number of instants within any minute. */
function mostInAMinute(atMs: readonly number[]): number {
  return Math.max(...atMs.map(from => atMs.filter(at => at >= from && at < from + 60_000).length));
}

describe('While a partner is down for five hours', () => {
  test('SNS’s own subscription gives up each order after an hour, and the relay delivers every one (seed 1)', async () => {
    const world = await RelaySimulation.deploy({
      seed: 1,
      relay: () => ({ alarms: AlarmSet.ALL }),
      more: nativeSubscription,
    });
    const { aws } = world.deployed;
    aws.confirmSubscription(NATIVE);
    const untilMs = aws.nowMs + OUTAGE_MS;
    for (const host of [world.partner, aws.endpoint(NATIVE_HOST)]) host.behave({ ...DOWN, untilMs });
    // One each hour, the last two once the partner is back.
    for (let hour = 0; hour < OUTAGE_HOURS + 2; hour += 1) {
      await world.publish(`order ${hour}`);
      await world.advance({ hours: 1 });
    }
    await world.advance({ minutes: 10 });

    const [native] = Ledger.of(aws.trace.events)
      .accounts(world.deployed.ref('Orders'))
      .filter(({ endpoint }) => endpoint === NATIVE);
    // The order of the fifth hour had one retry left when the partner came back.
    expect(native).toMatchObject({ published: 7, delivered: 3, lost: 0, underWay: 0 });
    expect(Object.values(native?.deadLettered ?? {})).toEqual([4]);

    expect(await world.books()).toEqual(closedBooks(7));
    expect([world.queued, await world.metric('Delivered'), await world.metric('Dead')]).toEqual([0, 7, 0]);
    // No attempt counted as late, although jitter moves an hourly retry by six minutes.
    expect(world.deployed.alarmed('Relay/LatenessAlarm')).toEqual([]);
    // Five messages were waiting. Each is retried when it is due, and not all at once.
    const back = world.posted.filter(({ atMs }) => atMs >= untilMs).map(({ atMs }) => atMs);
    expect(back).toHaveLength(7);
    expect(mostInAMinute(back)).toBeLessThanOrEqual(2);
  });

  test('a FIFO relay holds each customer’s orders back, and then delivers them in order (seed 1)', async () => {
    const world = await RelaySimulation.deploy({ seed: 1, relay: () => ({ fifo: true }) });
    const { aws } = world.deployed;
    const customers = ['a', 'b', 'c'];
    world.partner.behave({ ...DOWN, untilMs: aws.nowMs + OUTAGE_MS });
    for (let hour = 0; hour <= OUTAGE_HOURS; hour += 1) {
      for (const customer of customers) await world.publish(`${customer}${hour}`, customer);
      await world.advance({ hours: 1 });
    }
    await world.advance({ hours: 2 });
    expect(await world.books()).toEqual(closedBooks(customers.length * (OUTAGE_HOURS + 1)));
    expect(world.queued).toBe(0);
    const taken = world.posted.filter(({ isTaken }) => isTaken).map(({ message }) => message);
    for (const customer of customers) {
      const inOrder = Array.from({ length: OUTAGE_HOURS + 1 }, (_, hour) => `${customer}${hour}`);
      expect(taken.filter(message => message.startsWith(customer))).toEqual(inOrder);
    }
    // While the first message of a group waits, no other message of the group is tried.
    const failed = world.posted.filter(({ isTaken }) => !isTaken).map(({ message }) => message);
    expect(new Set(failed)).toEqual(new Set(['a0', 'b0', 'c0']));
  });
});

describe('While a partner is down for four hours, a relay with its breaker', () => {
  const OUTAGE_HOURS = 4;

  /** Enough messages for a breaker's decision. */
  const AT_FIRST = 50;

  test('is stopped all the time, and then delivers every order (seed 3)', async () => {
    const world = await RelaySimulation.deploy({ seed: 3, relay: () => ({ circuitBreaker: {} }) });
    const { deployed } = world;
    const untilMs = deployed.aws.nowMs + OUTAGE_HOURS * HOUR_MS;
    world.partner.behave({ ...DOWN, untilMs });
    for (let order = 0; order < AT_FIRST; order += 1) await world.publish(`order ${order}`);
    for (let hour = 0; hour <= OUTAGE_HOURS; hour += 1) {
      await world.publish(`order ${AT_FIRST + hour}`);
      await world.advance({ hours: 1 });
    }
    await world.advance({ hours: 2 });
    expect(await world.books()).toEqual(closedBooks(AT_FIRST + OUTAGE_HOURS + 1));
    expect([world.queued, await world.metric('Dead')]).toEqual([0, 0]);
    expect(deployed.alarmed('Relay/EndpointFailingAlarm')).toHaveLength(1);
    expect(deployed.rings('Relay/EndpointFailingAlarm').at(-1)?.to).toBe('OK');
    const failed = world.posted.filter(({ isTaken }) => !isTaken).map(({ atSeconds }) => atSeconds);
    // The relay was stopped within minutes. After that, it makes at most two requests each five minutes.
    const [first = Number.NaN] = failed;
    const probes = failed.filter(at => at > first + 15 * 60);
    expect(probes.length).toBeGreaterThan(OUTAGE_HOURS * 6);
    expect(probes.length).toBeLessThanOrEqual(OUTAGE_HOURS * 12 * 2);
  });
});

/** Failures that each cost one request. A broken kept-alive connection would make the relay send it a second time. */
const DOWNS = [
  response(503),
  response(500, 'oops'),
  noAnswer('ECONNREFUSED'),
  noAnswer('HPE_INVALID_CONSTANT'),
  silence(),
];

/** Returns behaviours for a working day: up and down in turn, each for up to half an hour. */
function flaps({ chance }: RelaySimulation): readonly Behaviour[] {
  return Array.from({ length: 24 }, (_, turn) => {
    const reply = turn % 2 === 0 ? (DOWNS[chance.integer(0, DOWNS.length - 1)] ?? silence()) : response(202);
    return { reply, forMs: chance.integer(1, 30) * MINUTE_MS };
  });
}

test('An endpoint that goes up and down gets every message through a relay (seed 11)', async () => {
  const world = await RelaySimulation.deploy({ seed: 11 });
  world.partner.behave(...flaps(world));
  for (let index = 0; index < 40; index += 1) {
    await world.publish(`order ${index}`);
    await world.advance({ seconds: world.chance.integer(0, 900) });
  }
  await world.advance({ hours: 8 });
  expect(await world.books()).toEqual(closedBooks(40));
  expect(world.queued).toBe(0);
  // The relay's metric counts the requests that reached the endpoint and the connections that failed.
  const { posted, partner } = world;
  expect(await world.metric('Attempts')).toBe(posted.length + partner.failedConnections.length);
  expect(await world.metric('FailedAttempts')).toBe(
    posted.filter(({ isTaken }) => !isTaken).length + partner.failedConnections.length,
  );
  expect(await world.metric('FailedAttempts')).toBeGreaterThan(40);
  expect(await world.metric('Delivered')).toBe(40);
});

/** The share of each of five invocations in the default of 50 requests a second. A breaker starts with two invocations. */
const SHARE = 10;

/** Returns the highest number of requests within a second, to an endpoint that is back at this minute and answers in 50 ms. */
async function worstSecondAfterReturn(
  seed: number,
  enabled: boolean,
  minutes: number,
  backlog: number,
): Promise<number> {
  const world = await RelaySimulation.deploy({ seed, relay: () => ({ circuitBreaker: { enabled } }) });
  const { deployed, partner } = world;
  const backAtMs = deployed.aws.nowMs + minutes * 60_000;
  partner.behave({ ...DOWN, untilMs: backAtMs }, { reply: response(200, '', {}, { latencyMs: 50 }) });
  const { sns } = deployed.aws.services;
  const TopicArn = deployed.ref('Orders');
  const publish = (order: number) => sns.call('Publish', sns.owner, { TopicArn, Message: `order ${order}` });
  // Enough messages for the breaker to open, and the rest while it is open.
  for (let minute = 0; minute < 5; minute += 1) {
    for (let index = 0; index < 10; index += 1) publish(10 * minute + index);
    await world.advance({ minutes: 1 });
  }
  await world.advance({ minutes: minutes - 6 });
  for (let order = 50; order < backlog; order += 1) publish(order);
  await world.advance({ hours: 2 });
  expect(await world.books()).toEqual(closedBooks(backlog));
  const after = world.posted.filter(({ atMs }) => atMs >= backAtMs);
  expect(after.length).toBeGreaterThanOrEqual(backlog);
  return Math.max(
    ...after.map(from => after.filter(({ atMs }) => atMs >= from.atMs && atMs < from.atMs + 1_000).length),
  );
}

test('A relay by its defaults, of which hundreds of messages wait as its partner returns asks it twenty times in the worst second where a breaker starts the relay again (seed 97)', async () => {
  expect(await worstSecondAfterReturn(97, true, 20, 300)).toBe(2 * SHARE);
});

describe('Lateness', () => {
  const latenessAlarmThreshold = Duration.minutes(2);

  test('of what the breaker lets through one by one tells nobody: that the relay is stopped does (seed 91)', async () => {
    const relay = () => ({ alarms: AlarmSet.ALL, circuitBreaker: {}, latenessAlarmThreshold });
    const world = await RelaySimulation.deploy({ seed: 91, relay });
    world.partner.behave({ ...DOWN, untilMs: world.deployed.aws.nowMs + 40 * MINUTE_MS });
    for (let minute = 0; minute < 20; minute += 1) {
      for (let i = 0; i < 10; i += 1) await world.publish(`order ${minute} ${i}`);
      await world.advance({ minutes: 1 });
    }
    await world.advance({ minutes: 80 });
    const records = world.attempts.filter((it): it is RelayAttemptRecord => 'relay' in it);
    const late = records.filter(it => it.relay.latenessMs > latenessAlarmThreshold.toMilliseconds());
    expect(late.length).toBeGreaterThan(100);
    expect(world.deployed.alarmed('Relay/LatenessAlarm')).toEqual([]);
    expect(world.deployed.alarmed('Relay/StoppedAlarm')).toHaveLength(1);
    expect(await world.books()).toEqual(closedBooks(200));
  });

  test('of a relay that cannot send as fast as messages come in does, its breaker closed (seed 92)', async () => {
    const relay = () => ({
      alarms: AlarmSet.ALL,
      circuitBreaker: {},
      latenessAlarmThreshold,
      maxReceivesPerSecond: 1,
    });
    const world = await RelaySimulation.deploy({ seed: 92, relay });
    for (let i = 0; i < 1_300; i += 1) await world.publish(`order ${i}`);
    await world.advance({ hours: 1 });
    expect(world.deployed.alarmed('Relay/LatenessAlarm')).toHaveLength(1);
    expect(world.deployed.alarmed('Relay/StoppedAlarm')).toEqual([]);
    expect(await world.books()).toEqual(closedBooks(1_300));
  });
});

test.each([
  { alarms: AlarmSet.ESSENTIAL, alarm: 'Relay/InDangerAlarm', periodSeconds: 300 },
  { alarms: AlarmSet.ALL, alarm: 'Relay/Queue/AgeAlarm', periodSeconds: 60 },
])(
  'age: A message that is older than its schedule allows is reported by $alarm, until it is delivered (seed 93)',
  async ({ alarms, alarm, periodSeconds }) => {
    const world = await RelaySimulation.deploy({ seed: 93, relay: () => ({ ...SHORT, alarms }) });
    const { deployed } = world;
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const [mapping] = deployed.aws.services.lambda.mappings.all();
    const enable = (Enabled: boolean) =>
      lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping?.uuid, Enabled }));
    await enable(false);
    await world.advance({ minutes: 1 });
    const sentAt = deployed.seconds;
    await world.publish('order 1');
    await world.advance({ hours: 3 });
    const [alarmedAt = Number.NaN, ...others] = deployed.alarmed(alarm);
    expect(others).toEqual([]);
    // Not before a quarter of an hour and an invocation, which is longer than the schedule. Then a period must end.
    expect(alarmedAt - sentAt).toBeGreaterThan(900 + 30);
    expect(alarmedAt - sentAt).toBeLessThanOrEqual(900 + 30 + periodSeconds + 60);
    await enable(true);
    await world.advance({ minutes: 25 });
    expect(world.posted.map(({ isTaken }) => isTaken)).toEqual([true]);
    expect(deployed.rings(alarm).at(-1)?.to).toBe('OK');
  },
);
