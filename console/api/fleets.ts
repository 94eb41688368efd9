import type { Health } from '../../policy/fleet/endpoint-health';
import type { AttemptDocument } from './relays';

export interface FleetFeeds {
  readonly fleets: FleetsDocument;
  /** `fleet-endpoint:webhooks/acme/orders`: one endpoint with its parked messages and its attempts. */
  readonly 'fleet-endpoint': FleetEndpointDocument;
}

export interface FleetEndpointRow {
  readonly tenant: string;
  readonly endpoint: string;
  readonly health: Health;
  /** `open, fails since 2026-03-01 08:00 UTC`. */
  readonly says: string;
  /** Without user and query. */
  readonly url: string;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Why its last attempt failed, or why its first parked message waits. Null in one endpoint, and where neither is known. */
  readonly why: string | null;
  readonly nextProbeAtMs: number | null;
  /** When its first parked message was sent. Null if none is parked, or in a long list. */
  readonly parkedSinceMs: number | null;
}

export interface FleetRow {
  readonly name: string;
  readonly counts: Readonly<Record<'suspect' | 'open' | 'draining' | 'disabled', number>>;
  /** Null is unknown. */
  readonly due: number | null;
  readonly inFlight: number | null;
  /** In line for a turn of their endpoint. */
  readonly delayed: number | null;
  readonly dead: number | null;
  readonly deadLetterQueue: string;
  /** Those that are not healthy or have parked messages, the most urgent first. */
  readonly endpoints: readonly FleetEndpointRow[];
  /** How many more there are. */
  readonly more: number;
}

export interface FleetsDocument {
  readonly fleets: readonly FleetRow[];
  readonly unknowns: readonly string[];
}

interface ParkedDocument {
  readonly deliveryId: string;
  readonly type: string;
  readonly sentAtMs: number;
  readonly dueAtMs: number;
  readonly attempts: number;
  readonly reason: string;
}

export interface FleetEndpointDocument extends FleetEndpointRow {
  readonly types: readonly string[];
  /** The most requests a second. Null without a limit. */
  readonly maxPerSecond: number | null;
  readonly parked: readonly ParkedDocument[];
  readonly isMoreParked: boolean;
  /** The newest first. Null if the fleet does not log attempts. */
  readonly attempts: readonly AttemptDocument[] | null;
  /** What the operator can do. Lines after the first are commands. */
  readonly advice: readonly string[];
}
