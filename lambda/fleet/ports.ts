import type { FleetStore } from '../../fleet/fleet-store';
import type { SecretsReading } from '../../fleet/secrets';
import type { NowMs, Wait } from '../../mover/aws/clock';
import type { EndpointName } from '../../policy/fleet/endpoint';
import type { EndpointItem } from '../../policy/fleet/fleet-items';
import type { Delivery, FleetEvent } from '../../policy/fleet/fleet-messages';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';

/** The table of a fleet. Every method rejects if the table does not answer. */
type FleetTable = Omit<FleetStore, 'parked'>;

/** Decrypts the secrets of an endpoint. Never rejects. */
export type ReadSecrets = (endpoint: EndpointItem) => Promise<SecretsReading>;

/** A message of the deliveries queue. */
export interface QueuedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** 1 at the first receive. */
  readonly receiveCount: number;
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number;
}

export interface DelayedDelivery {
  readonly delivery: Delivery;
  readonly delaySeconds: number;
  /** Its message group. @default - its endpoint */
  readonly group?: string;
}

/** A message for the dead-letter queue. */
interface DeadLetter {
  readonly body: string;
  readonly attributes: QueueAttributes;
}

/** The queues of a fleet. */
export interface FleetQueues {
  /** Sends deliveries, three times at most. @returns those that were not sent */
  readonly sendDeliveries: (deliveries: readonly DelayedDelivery[]) => Promise<readonly DelayedDelivery[]>;
  /** Sends an event back to the events queue. Rejects if that fails. */
  readonly sendEvent: (event: FleetEvent) => Promise<void>;
  /** Rejects if that fails. */
  readonly sendDeadLetter: (deadLetter: DeadLetter) => Promise<void>;
  /** Receives deliveries by a short poll. */
  readonly receive: (max: number) => Promise<readonly QueuedMessage[]>;
  /** Deletes deliveries. Never rejects. @returns how many were not deleted: they come back */
  readonly remove: (messages: readonly QueuedMessage[]) => Promise<number>;
  /** Hides deliveries from now on. Never rejects. @returns how many were not hidden: they come back after the queue's own timeout */
  readonly hide: (hidden: readonly { readonly message: QueuedMessage; readonly seconds: number }[]) => Promise<number>;
  /** How many deliveries are in flight. */
  readonly inFlight: () => Promise<number>;
}

/** An event about an endpoint, for its owner. */
export interface FleetNotice extends EndpointName {
  /** The same in every copy of the event. */
  readonly id: string;
  readonly type: 'endpoint.failing' | 'endpoint.disabled';
  readonly fleet: string;
  readonly reason: string;
  readonly failingSince?: string;
  /** When it will be disabled, if it still fails then. @default - it is disabled */
  readonly disableAt?: string;
}

/** What all functions of a fleet need. */
export interface FleetPorts {
  readonly settings: FleetSettings;
  readonly table: FleetTable;
  readonly queues: FleetQueues;
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /** From 0 to 1. */
  readonly chance: () => number;
  /** Prints a log line: an object as JSON, a text as it is. */
  readonly print: (line: object | string) => void;
}
