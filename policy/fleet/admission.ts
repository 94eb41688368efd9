import { MINUTE_MS } from '../time-units';
import type { FleetEndpoint } from './endpoint';
import type { EndpointState, HealthSettings } from './endpoint-health';
import type { StateItem } from './fleet-items';

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
interface AdmissionSettings {
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
  const free = needsSlot ? freeSlots(slots, state.maxAttempts ?? health.slots, nowMs) : [];
  const allowed = needsSlot ? Math.min(wanted, free.length) : wanted;
  const lease =
    maxPerSecond === undefined ? unlimited(allowed, nowMs) : rateLease(state.freeAtMs, allowed, maxPerSecond, nowMs);
  const forMs = state.health === 'open' ? Math.max(holdMs, health.firstProbeMs) : holdMs;
  const grants = Array.from({ length: lease.granted }, (_, turn): Grant => {
    const startsAtMs = lease.startsAtMs + turn * lease.intervalMs;
    const index = free[turn];
    if (index === undefined) return { startsAtMs };
    const untilMs = startsAtMs + forMs;
    slots[index] = untilMs;
    return { startsAtMs, slot: { index, untilMs } };
  });
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

/** The places of free slots. A slot is free when its time is over, so a function that crashed gives it back. */
function freeSlots(slots: readonly number[], count: number, nowMs: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index).filter(index => (slots[index] ?? 0) <= nowMs);
}

/** The longest wait in the queue. */
const LONGEST_LINE_MS = MINUTE_MS;

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

/** How far ahead of now requests may be leased. A message whose turn is later waits in the queue or in the table. */
const LEASE_AHEAD_MS = 5_000;

/** A request is sent that long after its instant at the latest, or not at all. So the clocks and timers of functions may differ by it. */
export const TURN_TOLERANCE_MS = 50;

/** The time until the lease is written. */
const LEAD_MS = 100;

/** The time between two turns of an endpoint with a ceiling. */
function turnIntervalMs(maxPerSecond: number): number {
  return (1_000 + TURN_TOLERANCE_MS) / maxPerSecond;
}

/** The instants at which an endpoint with a ceiling may get requests. */
interface RateLease {
  /** How many requests are granted: fewer than asked for if the endpoint is busy. */
  readonly granted: number;
  /** The instant of the first request, also if none is granted: when to ask again. */
  readonly startsAtMs: number;
  readonly intervalMs: number;
  /** The first instant that is free after this lease. It is written, unless another function has changed it. */
  readonly freeAtMs: number;
}

/**
 * Leases the next free instants of an endpoint, at equal intervals. All leases together never exceed the ceiling, in any second, if each
 * request is sent within `TURN_TOLERANCE_MS`. So they stay a twentieth below it. A lease that is not used is lost.
 *
 * @param freeAtMs the first instant that is free. @default - the endpoint never had a lease
 */
export function rateLease(
  freeAtMs: number | undefined,
  wanted: number,
  maxPerSecond: number,
  nowMs: number,
): RateLease {
  const intervalMs = turnIntervalMs(maxPerSecond);
  const startsAtMs = Math.max(freeAtMs ?? 0, nowMs + LEAD_MS);
  const aheadMs = nowMs + LEASE_AHEAD_MS - startsAtMs;
  const granted = aheadMs < 0 ? 0 : Math.min(wanted, Math.floor(aheadMs / intervalMs) + 1);
  return { granted, startsAtMs, intervalMs, freeAtMs: startsAtMs + granted * intervalMs };
}

/** Messages that come back from an endpoint without a ceiling, a second. */
const DEFAULT_PER_SECOND = 10;

/** Those of one that fails. */
const SUSPECT_PER_SECOND = 1;

/** Messages of one endpoint that come back at most, however high its ceiling is. */
export const MOST_PER_SECOND = 100;

/** How many parked messages come back in a second: no more than there are slots, and than there are turns. */
export function returnedPerSecond(
  { health, maxAttempts = MOST_PER_SECOND }: EndpointState,
  { maxPerSecond }: Pick<FleetEndpoint, 'maxPerSecond'>,
): number {
  const turns = maxPerSecond === undefined ? DEFAULT_PER_SECOND : 1_000 / turnIntervalMs(maxPerSecond);
  return Math.min(turns, health === 'suspect' ? SUSPECT_PER_SECOND : maxAttempts);
}
