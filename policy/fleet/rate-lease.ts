import type { FleetEndpoint } from './endpoint';
import type { EndpointState } from './endpoint-health';

/** How far ahead of now requests may be leased. A message whose turn is later waits in the queue or in the table. */
const LEASE_AHEAD_MS = 5_000;

/** A request is sent that long after its instant at the latest, or not at all. So the clocks and timers of functions may differ by it. */
export const TURN_TOLERANCE_MS = 50;

/** The time until the lease is written. */
const LEAD_MS = 100;

/** The time between two turns of an endpoint with a ceiling. */
export function turnIntervalMs(maxPerSecond: number): number {
  return (1_000 + TURN_TOLERANCE_MS) / maxPerSecond;
}

/** The instants at which an endpoint with a ceiling may get requests. */
export interface RateLease {
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
