import fc from 'fast-check';
import { Random } from '../../local/kernel/random';
import { HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import type { Ledger } from '../scenarios/seeds';
import { type Answer, type CallFault, FleetModel } from './fleet-model';
import { mostPerSecond } from './fleet-simulation';

/** Messages are given up after that. */
const MAX_AGE_SECONDS = 3_600;

const OK: Answer = { status: 200, latencyMs: 200 };

/** How an endpoint answers for a time. */
const answer: fc.Arbitrary<Answer> = fc.constantFrom<Answer>(
  OK,
  OK,
  { status: 503, latencyMs: 50 },
  { status: 503, latencyMs: 50 },
  { status: 200, latencyMs: 10_000 },
  { status: 200, latencyMs: 20_000 },
  { status: 429, latencyMs: 20, headers: { 'retry-after': '45' } },
  { status: 429, latencyMs: 20, headers: { 'retry-after': '400' } },
  { status: 404, latencyMs: 20 },
  { status: 422, latencyMs: 20 },
);

const endpoint = fc.record({
  /** One answer after the other, each for some minutes; then 200. */
  answers: fc.array(fc.tuple(answer, fc.integer({ min: 1, max: 12 })), { maxLength: 4 }),
  isGone: fc.constantFrom(false, false, false, false, false, true),
  /** It never answers with a success. */
  isDead: fc.constantFrom(false, false, false, true),
  /** Every other request fails. */
  isFlapping: fc.constantFrom(false, false, false, true),
  maxPerSecond: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  removedAfterMinutes: fc.constantFrom(undefined, undefined, undefined, undefined, 3, 12, 35),
});

const scenario = fc.record({
  endpoints: fc.array(endpoint, { minLength: 3, maxLength: 6 }),
  /** In each minute, events for the one tenant. */
  traffic: fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 5, maxLength: 15 }),
  /** How many of a thousand writes fail. A prober that could hardly read would have no chance to err. */
  faultRate: fc.constantFrom(10, 50, 100, 200, 300),
  /** For how long, in minutes: endpoints are down and come back in this time. */
  faultMinutes: fc.integer({ min: 20, max: 60 }),
  isFair: fc.boolean(),
  concurrency: fc.integer({ min: 1, max: 8 }),
});

const FAULTS: readonly CallFault[] = ['throttle', 'partial', 'lost-answer', 'crash-before', 'crash-after'];

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

function answersOf({ endpoints }: Scenario, startMs: number): (group: string, nowMs: number) => Answer {
  let requests = 0;
  return (group, nowMs) => {
    const given = endpoints[Number(group.split('/e')[1])];
    if (!given) throw new Error(`there is no endpoint ${group}`);
    requests += 1;
    if (given.isDead) return { status: 503, latencyMs: 50 };
    let fromMs = startMs;
    for (const [its, minutes] of given.answers) {
      fromMs += minutes * MINUTE_MS;
      if (nowMs < fromMs) return its;
    }
    if (given.isGone) return { status: 410, latencyMs: 20 };
    return given.isFlapping && requests % 2 === 0 ? { status: 500, latencyMs: 20 } : OK;
  };
}

/** Plays one seed: random endpoints and traffic, with calls that fail and functions that die. */
export async function playFleet(seed: number): Promise<Ledger> {
  const [given] = fc.sample(scenario, { seed, numRuns: 1 });
  if (!given) throw new Error('fast-check has made no scenario');
  const { endpoints, traffic, faultRate, faultMinutes, isFair, concurrency } = given;
  const slow = new Random(`slow ${seed}`);
  const model = new FleetModel({
    seed,
    isFair,
    concurrency,
    settings: { maxAgeSeconds: MAX_AGE_SECONDS },
    answer: (group, nowMs) => answers(group, nowMs),
    // Others act between two calls of a function.
    slowMs: () => (slow.fraction() < 0.05 ? slow.integer(1, 15_000) : 0),
    fault: (call, random) => {
      const isRead = /Query|Get|Receive/.test(call);
      if (random.integer(1, 1_000) > faultRate / (isRead ? 10 : 1)) return undefined;
      return FAULTS[random.integer(0, FAULTS.length - 1)];
    },
  });
  const answers = answersOf(given, model.nowMs);
  endpoints.forEach(({ maxPerSecond }, index) => {
    model.add(`acme/e${index}`, maxPerSecond === undefined ? {} : { maxPerSecond });
  });
  for (let minute = 0; minute < Math.max(traffic.length, faultMinutes, 41); minute += 1) {
    if (minute === faultMinutes) model.heal();
    endpoints.forEach(({ removedAfterMinutes }, index) => {
      if (removedAfterMinutes === minute) model.remove(`acme/e${index}`);
    });
    for (let event = 0; event < (traffic[minute] ?? 0); event += 1) model.event('acme');
    await model.advance(MINUTE_MS);
  }
  model.heal();
  // All that waits is given up at its age, or at the next look at its endpoint.
  await model.advance(MAX_AGE_SECONDS * 1_000 + HOUR_MS);
  endpoints.forEach(({ maxPerSecond }, index) => {
    const requests = model.requests.filter(({ group }) => group === `acme/e${index}`);
    if (maxPerSecond !== undefined) expect(mostPerSecond(requests)).toBeLessThanOrEqual(maxPerSecond);
  });
  const { due, delivered, dead, parked, queued, lost } = model.ledger();
  expect({ parked, queued, bugs: model.bugs }).toEqual({ parked: 0, queued: 0, bugs: [] });
  return {
    published: due,
    delivered,
    deadLettered: dead,
    withoutReason: model.withoutReason,
    lost: Array.from({ length: lost }, () => 'a message'),
  };
}
