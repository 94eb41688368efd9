import type { SecretsReading } from '../../fleet/secrets';
import type { Page } from '../../fleet/table';
import type { NowMs, Wait } from '../../mover/aws/clock';
import type { EndpointName } from '../../policy/fleet/endpoint';
import type { Delivery, FleetEvent } from '../../policy/fleet/fleet-messages';
import type { FleetSettings } from '../../policy/fleet/fleet-settings';
import type { EndpointItem, ItemKey, MatchItem, ParkedItem, StateItem } from '../../policy/fleet/fleet-table';
import type { QueueAttributes } from '../../policy/messages/queue-attributes';

/** A page of the endpoints that get events of a type, in the order of their names. */
interface MatchPage {
  readonly matches: readonly MatchItem[];
  /** The name of the last endpoint that was read, after which the next page begins. @default - this is the last page */
  readonly after?: string;
}

/** What the table has about an endpoint. */
export interface EndpointEntry {
  /** @default - it was removed */
  readonly endpoint?: EndpointItem;
  /** @default - it was always healthy */
  readonly state?: StateItem;
}

/**
 * The table of a fleet. Every method rejects if the table does not answer; those that read several items make three tries for what
 * is unprocessed.
 */
interface FleetTable {
  /** The endpoints of a type and of `*`, each once. */
  readonly matches: (tenant: string, type: string, after: string | undefined, limit: number) => Promise<MatchPage>;
  /**
   * Endpoints with their states, by `groupOf`. A group that is missing in the answer could not be read.
   * @param isConsistent whether it has all writes that have ended. @default false
   */
  readonly entries: (
    names: readonly EndpointName[],
    isConsistent?: boolean,
  ) => Promise<ReadonlyMap<string, EndpointEntry>>;
  /** States only, by `groupOf`; undefined for an endpoint without. A group that is missing in the answer could not be read. */
  readonly states: (names: readonly EndpointName[]) => Promise<ReadonlyMap<string, StateItem | undefined>>;
  /** Reads a state after all writes that have ended. */
  readonly state: (name: EndpointName) => Promise<StateItem | undefined>;
  /**
   * Writes a state, unless it has changed since it was read.
   * @param readVersion the version that was read; 0 if there was no item
   * @returns whether it was written
   */
  readonly putState: (state: StateItem, readVersion: number) => Promise<boolean>;
  /** Deletes a state, unless it has changed since it was read. */
  readonly deleteState: (state: StateItem) => Promise<boolean>;
  /** The states of all endpoints with a `wakeAtMs`. */
  readonly awake: () => Promise<readonly StateItem[]>;
  /** Parks a message. It replaces itself if it is parked already with the same due time. */
  readonly park: (item: ParkedItem) => Promise<void>;
  /**
   * The first parked messages of an endpoint in the order of `dueAtMs`, after all writes that have ended: at most 1 MB. None only if
   * none is parked.
   */
  readonly parkedPage: (name: EndpointName, limit: number) => Promise<{ readonly items: readonly ParkedItem[] }>;
  /** The parked messages that wait for a retry of their own, in pages, which may be empty. Reads all parked messages. */
  readonly parkedRetries: (name: EndpointName, after?: ItemKey) => Promise<Page<ParkedItem>>;
  /** Counts parked messages, up to 100 MB of them. @returns also the read units that this took */
  readonly countParked: (name: EndpointName) => Promise<{ readonly count: number; readonly units: number }>;
  /** Deletes parked messages. */
  readonly unpark: (keys: readonly ItemKey[]) => Promise<void>;
}

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
  /** Its message group. @default - none */
  readonly group?: string;
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
  /** Deletes deliveries. Those that could not be deleted come back: never rejects. */
  readonly remove: (messages: readonly QueuedMessage[]) => Promise<void>;
  /** Hides deliveries from now on. Those that could not be hidden come back after the queue's own timeout: never rejects. */
  readonly hide: (hidden: readonly { readonly message: QueuedMessage; readonly seconds: number }[]) => Promise<void>;
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
