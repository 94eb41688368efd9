import type { TokenRequest } from '../relay/oauth';
import { DAY_MS } from '../time-units';
import { type EndpointName, type FleetEndpoint, groupOf } from './endpoint';
import type { EndpointState } from './endpoint-health';
import type { Delivery } from './fleet-messages';

/** The index of the endpoints that have something to do: a probe, a drain, or parked messages. */
export const WAKE_INDEX = 'byWake';

/** The attribute by which DynamoDB removes attempts. */
export const EXPIRY_ATTRIBUTE = 'expires';

/** Partitions of the index, so that its writes are spread. */
export const WAKE_SHARDS = 16;

/** How many data keys a fleet has. An endpoint belongs to one by the hash of its group. */
export const DATA_KEYS = 256;

/** The primary key of an item. */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/** A sort key that is ordered by time: milliseconds since the Unix epoch in 15 digits. */
function sortable(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(15, '0');
}

/** The keys of all items. `T`: tenant, `M`: matches, `S`: state, `P`: parked, `A` and `D`: attempts, `K`: data keys. */
export const itemKeys = {
  endpoint: ({ tenant, endpoint }: EndpointName): ItemKey => ({ pk: `T#${tenant}`, sk: `E#${endpoint}` }),
  match: ({ tenant, endpoint }: EndpointName, type: string): ItemKey => ({ pk: `M#${tenant}#${type}`, sk: endpoint }),
  state: (name: EndpointName): ItemKey => ({ pk: `S#${groupOf(name)}`, sk: 'S' }),
  parked: (name: EndpointName, dueAtMs: number, deliveryId: string): ItemKey => ({
    pk: `P#${groupOf(name)}`,
    sk: `${sortable(dueAtMs)}#${deliveryId}`,
  }),
  attemptOfEndpoint: (name: EndpointName, atMs: number, deliveryId: string): ItemKey => ({
    pk: `A#${groupOf(name)}#${Math.floor(atMs / DAY_MS)}`,
    sk: `${sortable(atMs)}#${deliveryId}`,
  }),
  /** Not by its number: probes do not count, and a replay begins again. */
  attemptOfDelivery: (deliveryId: string, atMs: number): ItemKey => ({ pk: `D#${deliveryId}`, sk: sortable(atMs) }),
  dataKey: (bucket: number): ItemKey => ({ pk: 'K', sk: String(bucket) }),
} as const;

/** The bucket of an endpoint: its shard of the index, or its data key. FNV-1a spreads similar names. */
export function bucketOf(name: EndpointName, buckets: number): number {
  let hash = 0x811c9dc5;
  for (const character of groupOf(name)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % buckets;
}

/** A secret of an endpoint, encrypted: see `fleet/secrets`. */
export interface EncryptedSecret {
  readonly dataKey: number;
  /** Base64: nonce, ciphertext and tag. */
  readonly ciphertext: string;
  /** An old signing secret signs until then. @default - it is the current secret */
  readonly untilMs?: number;
}

/** How the requests to an endpoint get access tokens, as the table keeps it. */
export interface AuthorizationItem extends TokenRequest {
  readonly clientId: string;
  /** Encrypted for this `tokenUrl` only. */
  readonly clientSecret: EncryptedSecret;
}

/** An endpoint, as the table keeps it. */
export interface EndpointItem extends ItemKey, Omit<FleetEndpoint, 'authorization'> {
  readonly authorization?: AuthorizationItem;
  /** The current secret, then those before that may sign too: see `untilMs`. */
  readonly secrets: readonly EncryptedSecret[];
  /** 1 when it is created. Each change adds 1. */
  readonly version: number;
  /** It tells the endpoint from one of the same name that was removed: no two of them have the same. */
  readonly createdAtMs: number;
}

/** That an endpoint gets events of a type. */
export interface MatchItem extends ItemKey, Pick<FleetEndpoint, 'filter' | 'filterScope'> {
  /** Of the endpoint: see `Delivery`. */
  readonly createdAtMs?: number;
}

/** The state of an endpoint that is or was not healthy, or that has a ceiling. */
export interface StateItem extends ItemKey, EndpointName, EndpointState {
  /** Until when each slot is taken. */
  readonly slots: readonly number[];
  /** The first instant that no lease has taken. @default - the endpoint has no ceiling */
  readonly freeAtMs?: number;
  /** When the last message comes back that waits in the queue for a turn. @default - none waits */
  readonly lineEndsAtMs?: number;
  /** The `createdAtMs` of the endpoint of this name that was removed: its attempts that end later say nothing. @default - none was */
  readonly removedCreatedAtMs?: number;
  /** How many notices were sent: two that the endpoint will be disabled, and one that it is. */
  readonly notices: number;
  /** Each change adds 1. */
  readonly version: number;
  /** With `wakeAtMs`, the key of the index. @default - nothing is to be done */
  readonly shard?: number;
  readonly wakeAtMs?: number;
  /** When the first parked message is given up, at the earliest and within a minute. @default - none was parked */
  readonly giveUpAtMs?: number;
  /** The same of those that wait for a retry of their own: messages that were sent later may be before them. */
  readonly retryGiveUpAtMs?: number;
}

/** A message that waits outside the queue. An event has at most `MAX_EVENT_BYTES`, so that it fits. */
export interface ParkedItem
  extends ItemKey,
    Pick<Delivery, 'eventId' | 'type' | 'data' | 'sentAtMs' | 'attempts' | 'endpointCreatedAtMs'> {
  readonly deliveryId: string;
  /**
   * When its next attempt is due. A message that waits because of its endpoint, not for a retry of its own, is due since it was sent:
   * so the oldest comes back first.
   */
  readonly dueAtMs: number;
  readonly giveUpAtMs: number;
  /** Why it waits: `the endpoint failed`. */
  readonly reason: string;
}

/** A data key, encrypted by the key of the fleet. */
export interface DataKeyItem extends ItemKey {
  readonly ciphertext: Uint8Array;
}

/** The log of one attempt. It is kept twice: by endpoint and by message. */
export interface AttemptItem extends ItemKey, EndpointName {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly type: string;
  /** When the fleet took the event. @default - it was logged by a version that did not write it */
  readonly sentAtMs?: number;
  /** 1 for the initial attempt. Probes do not count: those of a message have the number that its next attempt has. */
  readonly attempt: number;
  /** Whether it probed an endpoint whose breaker was open. @default - it did not, or an earlier version logged it */
  readonly isProbe?: boolean;
  readonly atMs: number;
  readonly latencyMs: number;
  readonly outcome: 'delivered' | 'failed' | 'dead';
  /** Why, in words. It contains no secret. */
  readonly reason: string;
  /** @default - no answer came */
  readonly statusCode?: number;
  /** Of the Lambda invocation. */
  readonly requestId: string;
  /** @default - there is none */
  readonly nextAtMs?: number;
  /** @default - bodies are not logged */
  readonly data?: string;
  /** In seconds since the Unix epoch, for DynamoDB's TTL. */
  readonly expires: number;
}
