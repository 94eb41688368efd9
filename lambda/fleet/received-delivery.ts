import type { Attempt } from '../../fleet/attempts';
import type { FleetStepSettings } from '../../policy/fleet/attempt-step';
import type { EndpointItem } from '../../policy/fleet/fleet-items';
import type { Delivery } from '../../policy/fleet/fleet-messages';
import { deadLetteringFailedDelaySeconds } from '../../policy/relay/next-step';
import type { EndpointPorts } from './http-endpoint-of';
import type { FleetPorts, QueuedMessage } from './ports';
import type { States } from './states';
import type { FleetTally } from './tally';
import type { Unrecorded } from './unrecorded';

/** What deliveries need. */
export interface DeliveryPorts extends FleetPorts, EndpointPorts {
  readonly unrecorded: Unrecorded;
}

/** One invocation of the deliverer. */
export interface DeliveryInvocation extends DeliveryPorts {
  readonly tally: FleetTally;
  readonly states: States;
  readonly requestId: string;
  readonly remainingMs: () => number;
  /** @default - attempts are not logged */
  readonly logAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** What becomes of a message of the queue. */
export type Outcome =
  /** The endpoint, the dead-letter queue or the table has it. */
  | { readonly kind: 'done' }
  /** It stays in the queue, hidden until then. */
  | { readonly kind: 'hidden'; readonly untilMs: number };

export const DONE: Outcome = { kind: 'done' };

/** A delivery with the message that it came in. */
export interface ReceivedDelivery {
  readonly message: QueuedMessage;
  readonly delivery: Delivery;
  readonly endpoint: EndpointItem;
  readonly settings: FleetStepSettings;
  /** 0 for the initial attempt, then the number of the retry. */
  readonly attempt: number;
}

/** After a call to AWS failed, and twice as long after each receive. After 1,000 receives SQS would move the message to the dead-letter queue. */
export const AFTER_FAILURE_MS = 10_000;
const MOST_AFTER_FAILURE_MS = 900_000;

/** The message comes back, later each time. */
export function afterFailure(
  { receiveCount }: QueuedMessage,
  now: number,
): Extract<Outcome, { readonly kind: 'hidden' }> {
  return { kind: 'hidden', untilMs: now + Math.min(AFTER_FAILURE_MS * 2 ** (receiveCount - 1), MOST_AFTER_FAILURE_MS) };
}

/** When the message comes back, its endpoint gets another attempt. */
export function afterDeadLetteringFailed(message: QueuedMessage, now: number): Outcome {
  return { kind: 'hidden', untilMs: now + deadLetteringFailedDelaySeconds(message, now) * 1_000 };
}
