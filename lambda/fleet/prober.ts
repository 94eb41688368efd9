import type { Context } from 'aws-lambda';
import type { EndpointEntry, ReadEntry } from '../../fleet/fleet-store';
import { MOST_PER_SECOND, returnedPerSecond } from '../../policy/fleet/admission';
import { groupOf } from '../../policy/fleet/endpoint';
import { drained, HEALTHY, type Health, noticesDue, probeDelayMs } from '../../policy/fleet/endpoint-health';
import type { ParkedItem, StateItem } from '../../policy/fleet/fleet-items';
import { asleep, lookedAt, watchedAt, withHealth, wokenAt } from '../../policy/fleet/state-item';
import { DAY_MS, MINUTE_MS } from '../../policy/time-units';
import { errorOf } from '../shared/log';
import {
  deliveryOf,
  giveUpExpired,
  giveUpFirst,
  ofRemoved,
  PAGE,
  type Probing as ProbingWith,
  written,
} from './give-up';
import type { ParkedCounts } from './parked-counts';
import type { DelayedDelivery, FleetNotice, FleetPorts } from './ports';
import { type CountedMetric, FleetTally } from './tally';

export interface ProberPorts extends FleetPorts {
  /** Publishes an event for the owner of an endpoint. Rejects if that fails. */
  readonly publishNotice: (notice: FleetNotice) => Promise<void>;
  /** What the runs before have counted. */
  readonly parkedCounts: ParkedCounts;
}

/** The next prober begins after a minute, and there should be one at a time. */
const LONGEST_MS = 50_000;

/** An endpoint is begun if this much time is left. */
const ENDPOINT_MS = 8_000;

/** Endpoints that are looked at together. */
const AT_ONCE = 20;

/** A disabled endpoint is looked at that often. */
const LONGEST_SLEEP_MS = DAY_MS;

/** Endpoints whose messages come back are looked at again after a minute. So is one without messages, before it is left alone. */
const AGAIN_MS = MINUTE_MS;

/** A look comes a moment after its invocation begins. The one after a minute must not wait for the invocation after the next. */
const EARLY_MS = 10_000;

type ProberContext = Pick<Context, 'getRemainingTimeInMillis'>;

type Probing = ProbingWith<ProberPorts>;

/**
 * Looks at every endpoint that has something to do: sends a probe to one whose breaker is open, returns parked messages, gives up those
 * that are too old, and tells owners of endpoints that will be disabled.
 */
export function proberHandler(ports: ProberPorts): (event: unknown, context: ProberContext) => Promise<void> {
  return async (_, context) => {
    const tally = new FleetTally();
    const startedAtMs = ports.nowMs();
    const hasTime = () => ports.nowMs() - startedAtMs < LONGEST_MS && context.getRemainingTimeInMillis() > ENDPOINT_MS;
    const awake = await ports.table.awake();
    countEndpoints(awake, startedAtMs, tally);
    const due = awake.filter(state => isDue(state, startedAtMs));
    // Who has waited longest is first, so that each has its turn when the time is short.
    const inOrder = [...due].sort((one, other) => (one.wakeAtMs ?? 0) - (other.wakeAtMs ?? 0));
    for (let from = 0; from < inOrder.length && hasTime(); from += AT_ONCE) {
      await lookAtAll(inOrder.slice(from, from + AT_ONCE), { ports, tally });
    }
    if (hasTime()) await countParked(awake, { ports, tally });
    tally.print(ports);
  };
}

/** An estimate that fails must not fail the run. */
async function countParked(states: readonly StateItem[], { ports, tally }: Probing): Promise<void> {
  try {
    const count = await ports.parkedCounts.counted(states, ports);
    if (count) tally.count('ParkedMessages', count);
  } catch (error) {
    ports.print({ level: 'WARN', message: 'parked messages were not counted', problem: errorOf(error).message });
  }
}

/** A probe is never early: an endpoint that is down gets one a minute at most. */
function isDue({ health, wakeAtMs }: StateItem, nowMs: number): boolean {
  return wakeAtMs !== undefined && wakeAtMs <= nowMs + (health === 'open' ? 0 : EARLY_MS);
}

/** Counts the endpoints that are not well, if there are any. A fleet whose endpoints are healthy has no metrics of them. */
function countEndpoints(states: readonly StateItem[], nowMs: number, tally: FleetTally): void {
  const count = (name: CountedMetric, ...healths: readonly Health[]) => {
    const found = states.filter(({ health }) => healths.includes(health)).length;
    if (found > 0) tally.count(name, found);
  };
  count('FailingEndpoints', 'suspect');
  count('OpenEndpoints', 'open', 'draining');
  count('DisabledEndpoints', 'disabled');
  const waiting = states.filter(({ health }) => health !== 'open' && health !== 'disabled');
  const latestMs = waiting.reduce((ms, { wakeAtMs = nowMs }) => Math.max(ms, nowMs - wakeAtMs), 0);
  if (latestMs > 0) tally.measure('OldestDue', latestMs);
}

/** An error with some endpoints must not keep the prober from the others. It looks at them again in the next minute. */
async function lookAtAll(part: readonly StateItem[], { ports, tally }: Probing): Promise<void> {
  let entries: ReadonlyMap<string, ReadEntry> = new Map();
  try {
    // An endpoint that seems to be removed loses its messages.
    entries = await ports.table.entries(part, true);
  } catch (error) {
    return tally.broken(ports, 'the table did not answer the prober', error);
  }
  const one = async (group: string) => {
    const read = entries.get(group);
    if (!read) return tally.broken(ports, 'the prober failed on an endpoint', 'DynamoDB left it unread', { group });
    try {
      const entry = read();
      if (entry.state) await look(entry.state, entry, { ports, tally });
    } catch (error) {
      tally.broken(ports, 'the prober failed on an endpoint', error, { group, stack: errorOf(error).stack });
    }
  };
  await Promise.all(part.map(state => one(groupOf(state))));
}

/**
 * Looks at one endpoint. It first writes when to look again, on condition that the state is unchanged: so of two probers only one goes on,
 * and a crash costs a minute.
 */
async function look(read: StateItem, { endpoint }: EndpointEntry, probing: Probing): Promise<void> {
  const { ports } = probing;
  const now = ports.nowMs();
  const begun = await begin(read, now, ports);
  if (!begun) return;
  const { state, isProbeDue } = begun;
  if (!endpoint) return remove(state, probing);
  const noticed = await notify(state, probing);
  if (!noticed) return;
  const { state: tidy, first } = await giveUpExpired(noticed, endpoint, probing);
  if (tidy.health === 'open') return probe(tidy, first, isProbeDue, probing);
  if (tidy.health === 'disabled') {
    await written(watchedAt(tidy, now + LONGEST_SLEEP_MS, now), tidy, ports);
    return;
  }
  if (!first) return settle(tidy, probing);
  const next = await returnParked(tidy, returnedPerSecond(tidy, endpoint), probing);
  if (next && next.dueAtMs > now + AGAIN_MS) await written(wokenAt(tidy, next.dueAtMs), tidy, ports);
}

/** Another function may take a turn or a slot at any time, which must not cost a minute. */
const TRIES = 4;

/** Writes when to look again. @returns undefined if another prober looks at the endpoint */
async function begin(
  first: StateItem,
  now: number,
  ports: ProberPorts,
): Promise<{ readonly state: StateItem; readonly isProbeDue: boolean } | undefined> {
  let read: StateItem | undefined = first;
  for (let attempt = 0; attempt < TRIES && read; attempt += 1) {
    const isProbeDue = read.health === 'open' && (read.probeAtMs ?? now) <= now;
    const state = await written(lookedAt(read, isProbeDue, now, ports.settings.health), read, ports);
    if (state) return { state, isProbeDue };
    // Together with its endpoint, for which the role of the prober has a permission.
    read = (await ports.table.entries([read], true)).get(groupOf(read))?.().state;
    if (read && !isDue(read, now)) return undefined;
  }
  return undefined;
}

/** Tells the owner what is due: an event may come twice, with one id. */
async function notify(state: StateItem, { ports, tally }: Probing): Promise<StateItem | undefined> {
  const { settings, nowMs, publishNotice } = ports;
  const { disableAfterMs = 0 } = settings.health;
  const isDisabled = state.health === 'disabled' && state.disabledReason !== 'by-hand';
  const due = isDisabled ? 3 : noticesDue(state, nowMs(), settings.health);
  if (due <= state.notices) return state;
  const { tenant, endpoint, failingSinceMs = nowMs(), disabledReason } = state;
  const at = (ms: number) => new Date(ms).toISOString();
  const notice: FleetNotice = {
    id: `${settings.fleetName}/${groupOf(state)}/${failingSinceMs}/${due}`,
    type: isDisabled ? 'endpoint.disabled' : 'endpoint.failing',
    fleet: settings.fleetName,
    tenant,
    endpoint,
    reason: disabledReason === 'gone' ? 'the endpoint answered 410' : 'every attempt has failed since then',
    failingSince: at(failingSinceMs),
    ...(!isDisabled && { disableAt: at(failingSinceMs + disableAfterMs) }),
  };
  try {
    await publishNotice(notice);
  } catch (error) {
    tally.broken(ports, 'a notice was not published, and is published at the next look', error, {
      group: groupOf(state),
    });
    return state;
  }
  if (isDisabled) tally.count('Disabled');
  return written({ ...state, notices: due }, state, ports);
}

/** The endpoint was removed: its messages have no other place to go. */
async function remove(state: StateItem, probing: Probing): Promise<void> {
  const { ports } = probing;
  const first = await giveUpFirst(state, () => true, ofRemoved, probing);
  if (first) await written(wokenAt(state, ports.nowMs()), state, ports);
  else if (state.health === 'healthy') await ports.table.deleteState(state);
  // A message may be parked just now by a function that knows the old health.
  else await written(wokenAt(withHealth(state, HEALTHY, ports.nowMs()), ports.nowMs() + AGAIN_MS), state, ports);
}

/** Sends the first parked message that is due as a probe. It stays parked until the probe succeeds. */
async function probe(
  state: StateItem,
  first: ParkedItem | undefined,
  isProbeDue: boolean,
  { ports, tally }: Probing,
): Promise<void> {
  const now = ports.nowMs();
  if (!first || first.dueAtMs > now) {
    // A message that is parked meanwhile wakes no prober, and gets a probe by the schedule.
    const scheduledMs = now + probeDelayMs(state.probes, ports.settings.health);
    const untilMs = Math.max(now + AGAIN_MS, Math.min(first?.dueAtMs ?? scheduledMs, scheduledMs));
    await written(watchedAt({ ...state, probeAtMs: untilMs }, untilMs, now), state, ports);
    return;
  }
  if (!isProbeDue) return;
  const delivery = { ...deliveryOf(state, first), probeDueAtMs: first.dueAtMs };
  const [left] = await ports.queues.sendDeliveries([{ delivery, delaySeconds: 0 }]);
  if (left) tally.count('Broken');
}

/**
 * Nothing is parked. Only a healthy endpoint or a suspect is left alone: a function that parks a message meanwhile writes their state,
 * and then this write fails.
 */
async function settle(state: StateItem, { ports }: Probing): Promise<void> {
  const healthy = drained(state);
  if (healthy === state) await written(asleep(state), state, ports);
  else await written(wokenAt(withHealth(state, healthy, ports.nowMs()), ports.nowMs() + AGAIN_MS), state, ports);
}

/**
 * Returns the messages of one minute to the queue, the oldest first, each at its instant. They are deleted when the queue has them.
 *
 * @returns the first message that is left; undefined if there is none, or if the minute is full
 */
async function returnParked(
  state: StateItem,
  perSecond: number,
  { ports, tally }: Probing,
): Promise<ParkedItem | undefined> {
  const { table, queues, nowMs } = ports;
  const now = nowMs();
  const most = Math.max(1, Math.floor(Math.min(perSecond, MOST_PER_SECOND) * (AGAIN_MS / 1_000)));
  for (let sent = 0; sent < most; ) {
    const { items } = await table.parkedPage(state, Math.min(PAGE, most - sent));
    if (items.length === 0) return undefined;
    const due = items.filter(({ dueAtMs }) => dueAtMs <= now);
    const entries = due.map((item, index): DelayedDelivery & { readonly item: ParkedItem } => {
      const delaySeconds = Math.floor((sent + index) / perSecond);
      return { item, delivery: { ...deliveryOf(state, item), returnedDueAtMs: item.dueAtMs }, delaySeconds };
    });
    const left = new Set(await queues.sendDeliveries(entries));
    const gone = entries.filter(entry => !left.has(entry)).map(({ item }) => item);
    await table.unpark(gone);
    tally.count('Returned', gone.length);
    if (left.size > 0) tally.count('Broken', left.size);
    if (left.size > 0 || due.length < items.length) return items.find(item => !gone.includes(item));
    sent += items.length;
  }
  return undefined;
}
