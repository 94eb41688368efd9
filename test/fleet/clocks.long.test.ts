import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../policy/time-units';
import { FleetModel } from './fleet-model';
import { mostPerSecond } from './fleet-simulation';

/** In this time clocks are wrong. */
const WRONG = { fromMs: 5 * MINUTE_MS, untilMs: 12 * MINUTE_MS };

const CEILING = 1;

interface Wrong {
  readonly clocks: string;
  /** How far the clock of a container is ahead, some time after the clocks went wrong. */
  readonly aheadMs: (container: string, sinceMs: number) => number;
  /** The longest wait of a message of a healthy endpoint. */
  readonly mostMs: number;
}

const isFirst = (container: string) => container.endsWith(' 0');
const isProber = (container: string) => container.startsWith('prober');

test.each<Wrong>([
  { clocks: 'are an hour ahead', aheadMs: () => HOUR_MS, mostMs: 25 * MINUTE_MS },
  { clocks: 'are ten minutes behind', aheadMs: () => -10 * MINUTE_MS, mostMs: 2 * SECOND_MS },
  {
    clocks: 'of one container are a minute ahead',
    aheadMs: it => (isFirst(it) ? MINUTE_MS : 0),
    mostMs: 2 * SECOND_MS,
  },
  { clocks: 'of one container are an hour ahead', aheadMs: it => (isFirst(it) ? HOUR_MS : 0), mostMs: 2 * MINUTE_MS },
  {
    clocks: 'of one container are a year behind',
    aheadMs: it => (isFirst(it) ? -8_766 * HOUR_MS : 0),
    mostMs: 2 * SECOND_MS,
  },
  { clocks: 'of the prober are an hour ahead', aheadMs: it => (isProber(it) ? HOUR_MS : 0), mostMs: 2 * SECOND_MS },
  {
    clocks: 'are set back and forth by ten minutes, every seven seconds',
    aheadMs: (_, sinceMs) => (Math.floor(sinceMs / (7 * SECOND_MS)) % 2 === 0 ? 0 : -10 * MINUTE_MS),
    mostMs: 2 * SECOND_MS,
  },
])('While clocks $clocks, no message is lost and no ceiling exceeded, and all recover with them', async it => {
  const { aheadMs, mostMs } = it;
  const startMs = new FleetModel({ seed: 1 }).nowMs;
  const isWrong = (atMs: number) => atMs >= startMs + WRONG.fromMs && atMs < startMs + WRONG.untilMs;
  const isDown = (atMs: number) => atMs >= startMs + 3 * MINUTE_MS && atMs < startMs + 16 * MINUTE_MS;
  const model = new FleetModel({
    seed: 1,
    concurrency: 3,
    aheadMs: (container, atMs) => (isWrong(atMs) ? aheadMs(container, atMs - startMs - WRONG.fromMs) : 0),
    answer: (group, atMs) => ({ status: group === 'acme/down' && isDown(atMs) ? 503 : 200, latencyMs: 200 }),
  });
  for (const group of ['acme/well', 'acme/down']) model.add(group);
  model.add('acme/paced', { maxPerSecond: CEILING });
  for (let time = 0; time < 20 * MINUTE_MS; time += 10 * SECOND_MS) {
    for (let event = 0; event < 3; event += 1) model.event('acme');
    await model.advance(10 * SECOND_MS);
  }
  await model.advance(HOUR_MS);
  const { due, ...ledger } = model.ledger();
  expect(model.bugs).toEqual([]);
  expect(ledger).toEqual({ delivered: due, dead: 0, parked: 0, queued: 0, lost: 0 });
  expect(model.delaysMs(group => group === 'acme/well').at(-1)).toBeLessThanOrEqual(mostMs);
  const paced = model.requests.filter(({ group }) => group === 'acme/paced');
  // Turns are instants: where clocks differ, one instant is two.
  expect(mostPerSecond(paced.filter(({ atMs }) => isWrong(atMs)))).toBeLessThanOrEqual(2 * CEILING);
  expect(mostPerSecond(paced.filter(({ atMs }) => !isWrong(atMs)))).toBeLessThanOrEqual(CEILING);
});
