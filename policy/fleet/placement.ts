import { MINUTE_MS } from '../time-units';
import type { EndpointState } from './endpoint-health';
import type { Delivery } from './fleet-messages';

/** A message waits in the queue for this long at most. A longer wait is in the table. */
const LONGEST_WAIT_IN_QUEUE_MS = MINUTE_MS;

/** With this many messages in flight, half of what a queue holds, every wait is in the table. */
const MOST_IN_FLIGHT = 60_000;

interface PlacedMessage {
  /** When the message is given up, in milliseconds since the Unix epoch. */
  readonly giveUpAtMs: number;
  /** Whether the prober sent it. */
  readonly isProbe: boolean;
}

/**
 * What to do with a message that the deliverer received. One that is too old gets an attempt if its endpoint may have one: an operator may
 * have moved it back from the dead-letter queue.
 */
export function placementOf(
  { giveUpAtMs, isProbe }: PlacedMessage,
  { health }: EndpointState,
  nowMs: number,
): 'attempt' | 'park' | 'too-old' {
  if (health !== 'disabled' && (health !== 'open' || isProbe)) return 'attempt';
  return nowMs >= giveUpAtMs ? 'too-old' : 'park';
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
