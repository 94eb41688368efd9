import type { DeadLetterCause } from '../relay/attempt-verdict';

/** Why a fleet gives up a message, in addition to the causes of a relay. */
export const FLEET_DEAD_LETTER_CAUSES = [
  /** A message in one of the fleet's queues is not what belongs there. */
  'not-an-event',
  /** The event is larger than `MAX_EVENT_BYTES`. */
  'too-large',
  /** The endpoint's filter in the table is not valid: it was not written by the fleet's client. */
  'bad-filter',
  /** The endpoint was removed while the message waited. */
  'endpoint-removed',
] as const;

export type FleetDeadLetterCause = (typeof FLEET_DEAD_LETTER_CAUSES)[number] | DeadLetterCause;

const OWN: ReadonlySet<string> = new Set(FLEET_DEAD_LETTER_CAUSES);

const GROUP = /^[\w.-]+\/[\w.-]+$/;

/** Whether a fleet gave a message up: it writes a cause of its own, or names tenant and endpoint, where a relay names a URL or a host. */
export function isGivenUpByFleet(cause: string, destination: string): boolean {
  return OWN.has(cause) || GROUP.test(destination);
}
