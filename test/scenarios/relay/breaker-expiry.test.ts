import { Duration } from 'aws-cdk-lib';
import type { HttpRelayOptions } from '../../../lib';
import { closedBooks } from './relay-books';
import { DEAD, DOWN, RelaySimulation, SHORT } from './relay-world';

const HOUR_MS = 3_600_000;

/** A relay with a breaker whose queue keeps messages for three hours: what is 2:15 old is expiring. */
const THREE_HOURS: HttpRelayOptions = { ...SHORT, retentionPeriod: Duration.hours(3), circuitBreaker: {} };

function deploy(seed: number, options: HttpRelayOptions = THREE_HOURS): Promise<RelaySimulation> {
  return RelaySimulation.deploy({ seed, relay: () => options });
}

/** Publishes so many, a minute apart. */
async function trade(world: RelaySimulation, minutes: number, perMinute: number, groups = 0): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let index = 0; index < perMinute; index += 1) {
      const group = groups > 0 ? `group-${index % groups}` : undefined;
      await world.publish(`order ${minute}.${index}`, group);
    }
    await world.advance({ minutes: 1 });
  }
}

/** What the breaker says of what it had given up. */
function drains(
  world: RelaySimulation,
): readonly { readonly givenUp: number; readonly putBack: number; readonly ended: string }[] {
  const lines = world.deployed.log(world.deployed.ref('Relay/Breaker/Log'));
  return lines.filter(line => line.includes('"message":"expiring"')).map(line => JSON.parse(line));
}

function givenUpOf(world: RelaySimulation): number {
  return drains(world).reduce((sum, { givenUp }) => sum + givenUp, 0);
}

describe('An outage that is longer than the queue keeps messages loses nothing:', () => {
  test('by its defaults a breaker has each message given up within its last day (seed 91)', async () => {
    const world = await deploy(91, { retentionPeriod: Duration.days(4), circuitBreaker: {} });
    world.partner.behave(DOWN);
    await trade(world, 10, 20);
    await world.advance({ hours: 71 });
    expect(givenUpOf(world)).toBe(0);
    await world.advance({ days: 2 });
    expect(await world.books()).toEqual(closedBooks(0, { 'retention-spent': 200 }));
    expect(givenUpOf(world)).toBeGreaterThan(100);
    // A probe each five minutes, of two requests, and what was tried before the breaker opened.
    expect(world.posted.length).toBeLessThan(2 * 12 * 24 * 4 + 200);
    // Five days are 1,440 runs of a breaker, which on a machine that has other things to do take more than a minute.
  }, 240_000);

  test('of a FIFO topic each group is given up in its order (seed 93)', async () => {
    const world = await deploy(93, { ...THREE_HOURS, fifo: true });
    world.partner.behave(DOWN);
    await trade(world, 10, 20, 2);
    await world.advance({ hours: 4 });
    const { dead, ...books } = await world.books();
    expect(books).toMatchObject({ published: 200, delivered: 0, queued: 0, lost: 0 });
    expect(Object.values(dead).reduce((sum, count) => sum + count, 0)).toBe(200);
  });

  test('what goes on coming in waits its own time, and is delivered once the endpoint is back (seed 94)', async () => {
    const world = await deploy(94);
    const { aws } = world.deployed;
    world.partner.behave({ ...DOWN, untilMs: aws.nowMs + 4 * HOUR_MS });
    await trade(world, 5, 20);
    await trade(world, 240, 1);
    await world.advance({ hours: 2 });
    const { dead, delivered, ...books } = await world.books();
    expect(books).toMatchObject({ published: 340, queued: 0, lost: 0, repeated: 0, deliveredAndDead: 0 });
    expect(delivered).toBeGreaterThan(120);
    expect(Object.keys(dead)).toEqual(['retention-spent']);
    expect(Math.max(...drains(world).map(({ putBack }) => putBack))).toBeGreaterThan(0);
    expect(await world.deployed.functionSum('Relay/Breaker/Function', 'Errors')).toBe(0);
  });

  test('what SQS has put behind all others, as it was received three times, is found as well (seed 95)', async () => {
    const fiveMinutes = Duration.minutes(5);
    const retryPolicy = { numRetries: 14, minDelayTarget: fiveMinutes, maxDelayTarget: fiveMinutes };
    const world = await deploy(95, { ...THREE_HOURS, retryPolicy });
    world.partner.behave(DOWN);
    // Too few attempts for the breaker: each is made four times, and its message goes to the back.
    await trade(world, 1, 5);
    await world.advance({ minutes: 16 });
    expect(world.postedByMessage.map(posts => posts.length)).toEqual([4, 4, 4, 4, 4]);
    await trade(world, 5, 40);
    await trade(world, 180, 1);
    const { dead, ...books } = await world.books();
    expect(books).toMatchObject({ published: 385, delivered: 0, lost: 0 });
    expect(dead['retention-spent']).toBeGreaterThan(150);
  });

  test('a dead-letter queue that takes nothing for a while gets it later (seed 96)', async () => {
    const world = await deploy(96);
    const { aws, arn } = { aws: world.deployed.aws, arn: world.deployed.arn(DEAD) };
    world.partner.behave(DOWN);
    await trade(world, 10, 20);
    await world.advance({ hours: 2 });
    const fault = aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: arn });
    await world.advance({ minutes: 20 });
    fault.end();
    await world.advance({ hours: 2 });
    expect(drains(world).map(({ ended }) => ended)).toContain('the dead-letter queue takes none');
    expect(await world.books()).toMatchObject({ published: 200, delivered: 0, queued: 0, lost: 0 });
  });
});

describe('With a short retention too (seed 92)', () => {
  let world: RelaySimulation;
  beforeAll(async () => {
    world = await deploy(92);
    world.partner.behave(DOWN);
    await trade(world, 10, 20);
    await world.advance({ hours: 4 });
  });

  test('nothing is lost', async () => {
    const { dead, ...books } = await world.books();
    expect(books).toMatchObject({ published: 200, delivered: 0, queued: 0, lost: 0 });
    expect(Object.values(dead).reduce((sum, count) => sum + count, 0)).toBe(200);
    expect(dead['retention-spent']).toBeGreaterThan(150);
  });

  test('a letter that was given up says that the relay was stopped, and until when its message would have lasted', async () => {
    const messages: string[] = [];
    for (const { attributes } of (await world.collectDead()).all) {
      const said = (name: string) => attributes[name] ?? '';
      if (!said('DeadLetterReason').startsWith('the relay was stopped, as its endpoint failed')) continue;
      const until = new Date(Date.parse(said('SentAt')) + 3 * HOUR_MS).toISOString();
      expect(said('DeadLetterCause')).toBe('retention-spent');
      expect(said('DeadLetterReason')).toContain(until);
      expect(said('DeadLetteredAt') < until).toBe(true);
      messages.push(until);
    }
    expect(messages.length).toBeGreaterThan(100);
  });
});
