import { HOUR_MS, MINUTE_MS } from '../time-units';
import type { EndpointName } from './endpoint';
import { type AttemptResult, afterAttempt, type EndpointState, HEALTHY, type HealthSettings } from './endpoint-health';
import { bucketOf, itemKeys, type ParkedItem, type StateItem, WAKE_SHARDS } from './fleet-items';

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

/** An attempt that has ended. */
export interface EndedAttempt {
  /** What it says about the endpoint. Undefined if the fleet itself failed. */
  readonly result: AttemptResult | undefined;
  readonly isProbe: boolean;
  /** Of the endpoint that it was for: another one may have its name now. */
  readonly createdAtMs: number;
  readonly nowMs: number;
}

/** The state after an attempt; the same object if the attempt changes nothing. */
export function withResult(
  state: StateItem,
  { result, isProbe, createdAtMs, nowMs }: EndedAttempt,
  settings: HealthSettings,
): StateItem {
  // An attempt from before the breaker opened is not a failed probe.
  const isLate = state.health === 'open' && !isProbe && result === 'failed';
  if (result === undefined || isLate || state.removedCreatedAtMs === createdAtMs) return state;
  return withHealth(state, afterAttempt(state, result, nowMs, settings), nowMs);
}

/** The state with the time of the next look. A probe whose result does not come is repeated, but not sooner. */
export function lookedAt(state: StateItem, isProbeDue: boolean, nowMs: number, health: HealthSettings): StateItem {
  if (state.health !== 'open') return wokenAt(state, nowMs + MINUTE_MS);
  const probeAtMs = isProbeDue ? nowMs + health.firstProbeMs : (state.probeAtMs ?? nowMs);
  return watchedAt({ ...state, probeAtMs }, probeAtMs, nowMs);
}
