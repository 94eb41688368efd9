import type { EndpointState } from './endpoint-health';
import type { Delivery } from './fleet-messages';

/** A message waits in the queue for this long at most. A longer wait is in the table. */
const LONGEST_WAIT_IN_QUEUE_MS = 60_000;

/** With this many messages in flight, half of what a queue holds, every wait is in the table. */
const MOST_IN_FLIGHT = 60_000;

/** What to do with a message for an endpoint that the dispatcher or the deliverer has. */
export type Placement =
  | { readonly kind: 'attempt'; readonly needsSlot: boolean }
  | { readonly kind: 'park' }
  | { readonly kind: 'dead'; readonly cause: 'endpoint-removed' | 'retention-spent' };

interface PlacedMessage {
  /** When the message is given up, in milliseconds since the Unix epoch. */
  readonly giveUpAtMs: number;
  /** Whether the prober sent it. */
  readonly isProbe: boolean;
}

/**
 * A message that is too old gets an attempt if its endpoint may have one: an operator may have moved it back from the dead-letter queue.
 *
 * @param state undefined if the endpoint was removed
 */
export function placementOf(
  { giveUpAtMs, isProbe }: PlacedMessage,
  state: EndpointState | undefined,
  nowMs: number,
): Placement {
  if (!state) return { kind: 'dead', cause: 'endpoint-removed' };
  if (state.health === 'disabled' || (state.health === 'open' && !isProbe)) {
    return nowMs >= giveUpAtMs ? { kind: 'dead', cause: 'retention-spent' } : { kind: 'park' };
  }
  return { kind: 'attempt', needsSlot: state.health !== 'healthy' };
}

/** A message that has waited that often for a slot or a turn is parked. */
const MOST_WAITS = 3;

export const mayWaitAgain = ({ waits = 0 }: Pick<Delivery, 'waits'>): boolean => waits < MOST_WAITS;

/**
 * Where a message waits for its next attempt: hidden in the queue, or parked in the table.
 *
 * @param inFlight messages in flight in the queue
 */
export function waitingPlace(
  state: EndpointState,
  dueAtMs: number,
  nowMs: number,
  inFlight: number,
): 'queue' | 'table' {
  const isShort = dueAtMs - nowMs <= LONGEST_WAIT_IN_QUEUE_MS && inFlight < MOST_IN_FLIGHT;
  return isShort && state.health !== 'open' && state.health !== 'disabled' ? 'queue' : 'table';
}
