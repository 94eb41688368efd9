import { Random } from '../../local/kernel/random';
import { MINUTE_MS } from '../../policy/time-units';
import { type Answer, FleetModel, type ModelRequest } from './fleet-model';
import { mostPerSecond } from './fleet-simulation';

export interface LargeFleetOptions {
  readonly endpoints: number;
  readonly messages: number;
  readonly seconds: number;
  /** Of the deliverer. */
  readonly concurrency: number;
  /** Whether messages have their groups. @default true */
  readonly isFair?: boolean;
}

/** What a large fleet did. Times are in milliseconds. */
export interface LargeFleetReport extends Readonly<ReturnType<FleetModel['ledger']>> {
  readonly attempts: number;
  readonly healthyP50Ms: number;
  readonly healthyP99Ms: number;
  readonly healthyMostMs: number;
  /** Endpoints whose ceiling was exceeded in any second. */
  readonly ceilingsExceeded: number;
  /** The shortest time between two attempts of a dead endpoint, after those that opened its breaker. */
  readonly shortestDeadGapMs: number;
}

/** Of a hundred endpoints: 3 are dead, 3 slow, 2 flap, 1 asks for fewer requests, and 2 healthy ones have a ceiling. */
const KINDS = [
  'dead',
  'dead',
  'dead',
  'slow',
  'slow',
  'slow',
  'flapping',
  'flapping',
  'limiting',
  'paced',
  'paced',
] as const;

type Kind = (typeof KINDS)[number] | 'healthy';

const kindOf = (index: number): Kind => KINDS[index % 100] ?? 'healthy';

/** One endpoint in a hundred is of the tenant that has 40 % of the traffic. All kinds are among them. */
const groupOf = (index: number, bigs: number): string => {
  return index < bigs ? `big/e${index}` : `t${Math.floor(index / 3)}/e${index}`;
};

const PER_SECOND = 5;

/** Plays a fleet in which a tenth of the endpoints is not well, and reports what became of the messages. */
export async function playLargeFleet(options: LargeFleetOptions): Promise<LargeFleetReport> {
  const { endpoints, messages, seconds, concurrency, isFair = true } = options;
  const bigs = Math.max(100, endpoints / 100);
  const indexes = new Map(Array.from({ length: endpoints }, (_, index) => [groupOf(index, bigs), index]));
  const limitedAtMs = new Map<string, number>();
  const answers: Record<Kind, (group: string, nowMs: number) => Answer> = {
    healthy: () => ({ status: 200, latencyMs: 200 }),
    paced: () => ({ status: 200, latencyMs: 200 }),
    dead: () => ({ status: 503, latencyMs: 200 }),
    slow: () => ({ status: 200, latencyMs: 10_000 }),
    flapping: (_, nowMs) => ({ status: nowMs % (2 * MINUTE_MS) < MINUTE_MS ? 200 : 500, latencyMs: 200 }),
    limiting: (group, nowMs) => {
      const isTooSoon = nowMs - (limitedAtMs.get(group) ?? 0) < 1_000;
      limitedAtMs.set(group, nowMs);
      return isTooSoon
        ? { status: 429, latencyMs: 20, headers: { 'retry-after': '30' } }
        : { status: 200, latencyMs: 200 };
    },
  };
  const answer = (group: string, nowMs: number) => answers[kindOf(indexes.get(group) ?? 0)](group, nowMs);
  const model = new FleetModel({ seed: 1, concurrency, isFair, answer });
  for (const [group, index] of indexes) {
    model.add(group, { types: [`to.${index}`], ...(kindOf(index) === 'paced' && { maxPerSecond: PER_SECOND }) });
  }
  const startMs = model.nowMs;
  const random = new Random('traffic');
  for (let sent = 0; sent < messages; ) {
    const until = Math.ceil(((model.nowMs - startMs) / 1_000 + 1) * (messages / seconds));
    for (; sent < Math.min(until, messages); sent += 1) {
      const index = random.fraction() < 0.4 ? random.integer(0, bigs - 1) : random.integer(bigs, endpoints - 1);
      model.event(groupOf(index, bigs).split('/')[0] ?? '', { type: `to.${index}` });
    }
    await model.advance(1_000);
  }
  await model.advance(5 * MINUTE_MS);
  await model.untilQuiet();
  return reportOf(model, startMs, group => kindOf(indexes.get(group) ?? 0));
}

function reportOf(model: FleetModel, startMs: number, kind: (group: string) => Kind): LargeFleetReport {
  const byGroup = new Map<string, ModelRequest[]>();
  for (const request of model.requests) {
    const its = byGroup.get(request.group) ?? [];
    byGroup.set(request.group, its);
    its.push(request);
  }
  let [ceilingsExceeded, shortestDeadGapMs] = [0, Number.POSITIVE_INFINITY];
  for (const [group, requests] of byGroup) {
    if (kind(group) === 'paced' && mostPerSecond(requests) > PER_SECOND) ceilingsExceeded += 1;
    if (kind(group) !== 'dead') continue;
    const later = requests.filter(({ atMs }, index) => index > 12 && atMs > startMs + 2 * MINUTE_MS);
    for (const [index, { atMs }] of later.entries()) {
      const before = later[index - 1];
      if (before) shortestDeadGapMs = Math.min(shortestDeadGapMs, atMs - before.atMs);
    }
  }
  const delays = model.delaysMs(group => kind(group) === 'healthy');
  const at = (part: number) => delays[Math.min(delays.length - 1, Math.floor(part * delays.length))] ?? 0;
  return {
    ...model.ledger(),
    attempts: model.requests.length,
    healthyP50Ms: at(0.5),
    healthyP99Ms: at(0.99),
    healthyMostMs: at(1),
    ceilingsExceeded,
    shortestDeadGapMs,
  };
}

/**
 * Plays a tenant that sends thousands of messages to its one endpoint at once, while others send a few a second.
 *
 * @returns the delay that 99 % of the others' messages do not exceed, in milliseconds
 */
export async function playNoisyTenant(isFair: boolean): Promise<number> {
  const model = new FleetModel({ seed: 1, concurrency: 1, isFair, answer: () => ({ status: 200, latencyMs: 500 }) });
  model.add('noisy/one');
  for (let index = 0; index < 20; index += 1) model.add(`quiet/e${index}`, { types: [`to.${index}`] });
  for (let message = 0; message < 1_500; message += 1) model.event('noisy');
  for (let second = 0; second < 40; second += 1) {
    for (let index = 0; index < 3; index += 1) model.event('quiet', { type: `to.${(second * 3 + index) % 20}` });
    await model.advance(1_000);
  }
  await model.advance(5 * MINUTE_MS);
  const { due, delivered } = model.ledger();
  if (delivered !== due) throw new Error(`${delivered} of ${due} messages were delivered`);
  const delays = model.delaysMs(group => group !== 'noisy/one');
  return delays[Math.floor(0.99 * delays.length)] ?? 0;
}
