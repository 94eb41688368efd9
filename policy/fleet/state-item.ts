import type { EndpointName } from './endpoint';
import { type EndpointState, HEALTHY, type HealthSettings } from './endpoint-health';
import { bucketOf, itemKeys, type ParkedItem, type StateItem, WAKE_SHARDS } from './fleet-items';
import { type RateLease, rateLease, turnIntervalMs } from './rate-lease';
import { freeSlot } from './slots';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The state of an endpoint that the table has none of. */
export function newState(name: EndpointName): StateItem {
  const { tenant, endpoint } = name;
  return { ...itemKeys.state(name), tenant, endpoint, ...HEALTHY, slots: [], notices: 0, version: 0 };
}

/** The state with another time at which the prober looks at the endpoint. */
export function wokenAt(state: StateItem, wakeAtMs: number): StateItem {
  return state.wakeAtMs === wakeAtMs ? state : { ...state, wakeAtMs, shard: bucketOf(state, WAKE_SHARDS) };
}

/**
 * The state of an endpoint that gets no messages, with the time at which the prober looks at it: as given, or earlier if a parked message is
 * then too old.
 */
export function watchedAt(state: StateItem, atMs: number, nowMs: number): StateItem {
  const { giveUpAtMs = atMs, retryGiveUpAtMs = atMs } = state;
  return wokenAt(state, Math.min(atMs, Math.max(nowMs + MINUTE_MS, Math.min(giveUpAtMs, retryGiveUpAtMs))));
}

/** The state of an endpoint at which the prober need not look: nothing is parked. */
export function asleep({
  shard: _,
  wakeAtMs: __,
  giveUpAtMs: ___,
  retryGiveUpAtMs: ____,
  ...state
}: StateItem): StateItem {
  return state;
}

/**
 * The state after a message was parked. The prober never puts an open or a disabled endpoint to sleep, so that parking costs no write of
 * the state, unless the message is the first to be given up. Otherwise the state is written even if it stays the same: so a prober that saw
 * no message before cannot put the endpoint to sleep.
 */
export function afterParking(
  state: StateItem,
  item: Pick<ParkedItem, 'dueAtMs' | 'giveUpAtMs' | 'sentAtMs'>,
): StateItem {
  const { dueAtMs, giveUpAtMs } = item;
  const isWatched = state.health === 'open' || state.health === 'disabled';
  const neededAtMs = isWatched ? giveUpAtMs : dueAtMs;
  const { wakeAtMs = dueAtMs } = state;
  const limited = withGiveUp(state, item);
  if (limited === state && isWatched && state.wakeAtMs !== undefined && wakeAtMs <= giveUpAtMs) return state;
  return { ...wokenAt(limited, Math.min(wakeAtMs, neededAtMs)) };
}

/** The state with the times at which parked messages are given up, if another one changes them by more than a minute. */
function withGiveUp(
  state: StateItem,
  { dueAtMs, giveUpAtMs, sentAtMs }: Pick<ParkedItem, 'dueAtMs' | 'giveUpAtMs' | 'sentAtMs'>,
): StateItem {
  const isLater = (knownMs: number | undefined) => knownMs === undefined || knownMs > giveUpAtMs + MINUTE_MS;
  const isRetry = dueAtMs - sentAtMs > MINUTE_MS;
  const changes = {
    ...(isLater(state.giveUpAtMs) && { giveUpAtMs }),
    ...(isRetry && isLater(state.retryGiveUpAtMs) && { retryGiveUpAtMs: giveUpAtMs }),
  };
  return Object.keys(changes).length === 0 ? state : { ...state, ...changes };
}

/** The state with another health, when that was decided by `endpoint-health`. */
export function withHealth(state: StateItem, next: EndpointState, nowMs: number): StateItem {
  if (next === state) return state;
  const { failingSinceMs: _, probeAtMs: __, maxAttempts: ___, disabledReason: ____, ...item } = state;
  const { health, failures, failingSinceMs, probes, probeAtMs, maxAttempts, disabledReason } = next;
  const changed: StateItem = {
    ...item,
    health,
    failures,
    probes,
    notices: failingSinceMs === undefined ? 0 : state.notices,
    // Attempts of another health do not hold its slots.
    slots: health === state.health ? state.slots : [],
    ...(failingSinceMs !== undefined && { failingSinceMs }),
    ...(probeAtMs !== undefined && { probeAtMs }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(disabledReason !== undefined && { disabledReason }),
  };
  return withWake(state, changed, nowMs);
}

function withWake(before: StateItem, state: StateItem, nowMs: number): StateItem {
  if (state.health === 'open') return watchedAt(state, state.probeAtMs ?? nowMs, nowMs);
  if (state.health === before.health) return state;
  if (state.health === 'draining' || state.health === 'disabled') return wokenAt(state, nowMs);
  // A suspect is in the index so that it is counted.
  return state.health === 'suspect' && state.wakeAtMs === undefined ? wokenAt(state, nowMs + HOUR_MS) : state;
}

/** A permission for one attempt. */
export interface Grant {
  readonly startsAtMs: number;
  /** The slot that it takes. @default - it needs none */
  readonly slot?: { readonly index: number; readonly untilMs: number };
}

export interface Admission {
  readonly grants: readonly Grant[];
  /** When the next messages come back that got no turn below the ceiling; for fewer, if the line is too long. */
  readonly line: readonly number[];
  /** The state with the slots and the lease taken; the same object if nothing is to be written. */
  readonly state: StateItem;
  /** When it is worth asking again for an attempt that was not granted. */
  readonly retryAtMs: number;
}

/** How long a message waits for a slot. */
const SLOT_WAIT_MS = 5_000;

/** How long attempts of an endpoint may take, and what limits them. */
export interface AdmissionSettings {
  readonly maxPerSecond?: number | undefined;
  /** The longest attempt, with a margin for slow calls to AWS. */
  readonly holdMs: number;
  readonly health: HealthSettings;
}

/**
 * Admits up to `wanted` attempts: each takes a slot, unless the endpoint is healthy, and an instant below its ceiling. The slot of a probe is
 * taken for as long as the next probe must wait, however it ends.
 */
export function admission(state: StateItem, wanted: number, settings: AdmissionSettings, nowMs: number): Admission {
  const { maxPerSecond, holdMs, health } = settings;
  const needsSlot = state.health !== 'healthy';
  if (!needsSlot && maxPerSecond === undefined) {
    const grants = Array.from({ length: wanted }, () => ({ startsAtMs: nowMs }));
    return { grants, line: [], state, retryAtMs: nowMs };
  }
  const slots = [...state.slots];
  const count = state.maxAttempts ?? health.slots;
  const free = needsSlot
    ? Array.from({ length: count }, (_, index) => slots[index] ?? 0).filter(it => it <= nowMs)
    : [];
  const allowed = needsSlot ? Math.min(wanted, free.length) : wanted;
  const lease =
    maxPerSecond === undefined ? unlimited(allowed, nowMs) : rateLease(state.freeAtMs, allowed, maxPerSecond, nowMs);
  const forMs = state.health === 'open' ? Math.max(holdMs, health.firstProbeMs) : holdMs;
  const grants: Grant[] = [];
  for (let index = 0; index < lease.granted; index += 1) {
    const startsAtMs = lease.startsAtMs + index * lease.intervalMs;
    const slot = needsSlot ? freeSlot(slots, count, nowMs, startsAtMs - nowMs + forMs) : undefined;
    if (slot) slots[slot.index] = slot.untilMs;
    grants.push({ startsAtMs, ...(slot && { slot }) });
  }
  const hasLine = !needsSlot && maxPerSecond !== undefined;
  const places = hasLine ? placesInLine(state, wanted - lease.granted, lease.freeAtMs, maxPerSecond) : [];
  const line = places.filter(atMs => atMs <= nowMs + LONGEST_LINE_MS);
  const retryAtMs = allowed < wanted ? nowMs + SLOT_WAIT_MS : (places[line.length] ?? lease.freeAtMs);
  if (grants.length === 0 && line.length === 0) return { grants, line, state, retryAtMs };
  const filled = Array.from(slots, it => it ?? 0);
  const lineEndsAtMs = line.at(-1);
  return {
    grants,
    line,
    retryAtMs,
    state: {
      ...state,
      slots: filled,
      ...(maxPerSecond !== undefined && { freeAtMs: lease.freeAtMs }),
      ...(lineEndsAtMs !== undefined && { lineEndsAtMs }),
    },
  };
}

/** The longest wait in the queue. */
const LONGEST_LINE_MS = 60_000;

/**
 * When messages that got no turn come back to ask again, one after the other at the pace of the ceiling. A place in the line is no turn: two
 * copies of a message may come back.
 */
function placesInLine(
  { lineEndsAtMs = 0 }: StateItem,
  wanted: number,
  freeAtMs: number,
  maxPerSecond: number,
): readonly number[] {
  const intervalMs = turnIntervalMs(maxPerSecond);
  const first = Math.max(freeAtMs, lineEndsAtMs + intervalMs);
  return Array.from({ length: wanted }, (_, index) => first + index * intervalMs);
}

function unlimited(granted: number, nowMs: number): RateLease {
  return { granted, startsAtMs: nowMs, intervalMs: 0, freeAtMs: nowMs };
}

/** The state with the slot of an attempt that has ended. A probe keeps its slot. */
export function released(state: StateItem, { slot }: Grant): StateItem {
  if (!slot || state.health === 'open' || state.slots[slot.index] !== slot.untilMs) return state;
  return { ...state, slots: state.slots.map((it, index) => (index === slot.index ? 0 : it)) };
}
