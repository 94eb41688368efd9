import type { Depths, Problem, Severity } from './api/common';
import type { DoctorFeeds } from './api/doctor';
import type { FleetFeeds } from './api/fleets';
import type { JourneyCalls } from './api/journey';
import type { QueueCalls } from './api/queue';
import type { RedriveCalls, RedriveFeeds } from './api/redrive';
import type { RelayFeeds } from './api/relays';
import type { SimulationCalls, SimulationDocument } from './api/simulation';

export type { Depths, Problem } from './api/common';

/**
 * What the server and the page of the console say to each other. The page subscribes to feeds, which the server keeps up to date,
 * and makes calls. It shows what it receives, and decides nothing.
 *
 * Numbers ending in `Ms` are milliseconds since 1970 by the clock of the AWS that is shown. `null` is unknown.
 */

/** Documents that the server pushes whenever they change. A feed with a parameter is named `queue:orders-dlq`. */
export interface Feeds extends RedriveFeeds, RelayFeeds, FleetFeeds, DoctorFeeds {
  readonly status: StatusDocument;
  readonly map: MapDocument;
  readonly levels: LevelsDocument;
  readonly 'dead-letters': DeadLettersDocument;
  readonly simulation: SimulationDocument;
}

export type FeedName = keyof Feeds;

/** A push to the page: a document, or why it cannot be read now. Then the page keeps the last one and says so. */
export type Push = {
  readonly [Name in FeedName]: { readonly feed: string } & (
    | { readonly document: Feeds[Name] }
    | { readonly problem: Problem }
  );
}[FeedName];

/** Calls by name: `POST api/call/<name>` with a JSON body. Those that change something are refused in a read-only console. */
export interface Calls extends QueueCalls, RedriveCalls, JourneyCalls, SimulationCalls {
  /** Reads the whole account again. */
  readonly refresh: { readonly input: Record<string, never>; readonly output: Record<string, never> };
}

export type CallName = keyof Calls;

/** Which AWS is shown, and how up to date it is. */
export interface StatusDocument {
  /** `simulation` is a `dlo local`. */
  readonly kind: 'aws' | 'simulation';
  readonly account: string | null;
  readonly region: string | null;
  readonly profile: string | null;
  readonly endpointUrl: string | null;
  /** Whether the console may change something: `--allow-changes`, or a simulation. */
  readonly mayChange: boolean;
  readonly version: string;
  readonly nowMs: number;
  /** How many virtual seconds pass in a second: 0 if time stands still, `null` if it jumps to what is due next. */
  readonly speed: number | null;
  /** Why AWS does not answer; `null` while it does. */
  readonly silence: string | null;
  /** When everything was last read, and the numbers. */
  readonly structureReadAtMs: number | null;
  readonly levelsReadAtMs: number | null;
  readonly requestsInLastMinute: number;
  /** How often the numbers are read, in seconds. */
  readonly levelsEverySeconds: number | null;
  /** What could not be read for lack of a permission, in sentences. */
  readonly unread: readonly string[];
}

export type NodeKind =
  | 'topic'
  | 'rule'
  | 'schedule'
  | 'stream'
  | 'delivery'
  | 'queue'
  | 'function'
  | 'endpoint'
  | 'dead-letter-queue';

/** A resource, or a delivery from a topic or rule to a receiver. */
export interface MapNode {
  /** The ARN, if it has one of its own. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  /** Without what CloudFormation added, if that is unambiguous. */
  readonly shortName: string;
  /** The column: sources, deliveries, what receives, what processes, dead-letter queues. */
  readonly column: number;
  /** What a reader must know about it in a few words: `no dead-letter queue`, `no alarm`, `does not exist`. */
  readonly marks: readonly MapMark[];
  /** The worst finding of the doctor about it. */
  readonly worst: Severity | null;
  readonly findings: number;
}

export interface MapMark {
  readonly says: string;
  readonly severity: Severity;
}

export interface MapEdge {
  readonly from: string;
  readonly to: string;
  /** `dead-letters`: what could not be delivered or processed goes there. */
  readonly kind: 'delivers' | 'polls' | 'dead-letters';
}

/** Resources that messages pass between. */
export interface MapGroup {
  readonly id: string;
  readonly nodes: readonly MapNode[];
  readonly edges: readonly MapEdge[];
}

/** What messages pass through. Groups are not connected with each other. */
export interface MapDocument {
  readonly groups: readonly MapGroup[];
}

/** Why a group needs attention: it holds dead letters, an alarm is in ALARM, or it loses messages. */
export interface GroupAttention {
  readonly id: string;
  readonly needs: 'dead-letters' | 'alarm' | 'losses' | null;
}

/** The numbers of the map, by ARN. */
export interface LevelsDocument {
  /** A queue without an entry could not be read. */
  readonly depths: Readonly<Record<string, Depths>>;
  readonly alarms: Readonly<Record<string, readonly string[]>>;
  /** Alarms in ALARM that watch no node of the map. */
  readonly otherAlarms: readonly string[];
  /** The groups of the map, those first that need the operator's attention. */
  readonly groups: readonly GroupAttention[];
}

export interface DeadLetterRow {
  readonly arn: string;
  readonly name: string;
  readonly shortName: string;
  /** `gone`: it is configured and does not exist, so messages sent to it are lost. */
  readonly location: 'here' | 'gone' | 'elsewhere' | 'unknown';
  readonly depths: Depths | null;
  readonly urgency: 'expiring' | 'growing' | 'may-expire' | 'holding' | 'unknown' | 'empty';
  /** By how many messages it grew in the last `GROWTH_MINUTES` minutes. */
  readonly growth: number | null;
  readonly oldestSinceMs: number | null;
  /** The first message expires between these two. */
  readonly expiresEarliestMs: number | null;
  readonly expiresLatestMs: number | null;
  /** `subscription orders to work`. */
  readonly feeders: readonly string[];
  readonly isMoving: boolean;
  readonly worst: Severity | null;
  readonly findings: number;
  /** Messages that arrived in each interval of the chart, the oldest first. Empty if unknown. */
  readonly arrivals: readonly number[];
}

/** The dead-letter queues, the most urgent first. */
export interface DeadLettersDocument {
  readonly growthMinutes: number;
  /** The time that `arrivals` covers, in minutes. */
  readonly arrivalMinutes: number;
  readonly queues: readonly DeadLetterRow[];
}
