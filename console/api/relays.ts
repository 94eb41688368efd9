export interface RelayFeeds {
  readonly relays: RelaysDocument;
  /** `relay:PartnerRelay`: the schedule of one, what waits in it, and its last attempts. */
  readonly relay: RelayDetailDocument;
}

export interface RelayRow {
  readonly name: string;
  readonly shortName: string;
  /** Without credentials. */
  readonly destination: string;
  readonly state: 'closed' | 'half-open' | 'open' | 'stopped-by-hand' | 'running' | 'no-mapping' | 'unknown';
  /** `open since 2026-03-01 08:00:00`. */
  readonly says: string;
  /** Of its event source mapping now, and while the breaker is closed. */
  readonly concurrency: number | null;
  readonly configuredConcurrency: number | null;
  /** Null is unknown, or the queue does not exist. */
  readonly due: number | null;
  readonly inFlight: number | null;
  readonly dead: number | null;
  readonly queue: string | null;
  readonly deadLetterQueue: string | null;
  /** `unknown` if the alarms cannot be read. */
  readonly failureAlarm: string | null;
  readonly nextProbeAtMs: number | null;
  readonly problems: readonly string[];
  /** What the operator can do. Lines after the first are commands. */
  readonly advice: readonly string[];
}

export interface RelaysDocument {
  readonly relays: readonly RelayRow[];
  readonly unknowns: readonly string[];
}

export interface ScheduledAttempt {
  /** 1 is the initial attempt. */
  readonly attempt: number;
  /** After the initial attempt, without jitter. */
  readonly atSeconds: number;
  readonly phase: string;
  /** How many messages wait for it, as the log shows. */
  readonly waiting: number;
  /** When the first of them is due. */
  readonly nextDueMs: number | null;
}

export interface AttemptDocument {
  readonly atMs: number;
  readonly messageId: string;
  readonly attempt: number;
  readonly verdict: 'delivered' | 'retry' | 'dead';
  readonly statusCode: number | null;
  readonly reason: string;
  readonly latencyMs: number;
  readonly nextRetryInSeconds: number | null;
}

export interface RelayDetailDocument {
  readonly name: string;
  /** Null if another version of the package wrote the settings. */
  readonly schedule: readonly ScheduledAttempt[] | null;
  /** `50 % jitter; Retry-After up to 1 h`. */
  readonly scheduleNote: string;
  /** Messages in the queue of which the log does not show the attempt they wait for. Null is unknown. */
  readonly waitingElsewhere: number | null;
  /** From when on the log was read. Null if it could not be read. */
  readonly logSinceMs: number | null;
  /** The newest first. */
  readonly attempts: readonly AttemptDocument[];
  /** Of the attempts in the log that were answered. Null if there is none. */
  readonly latency: { readonly medianMs: number; readonly p95Ms: number; readonly attempts: number } | null;
  readonly lastHour: Readonly<Record<'attempts' | 'delivered' | 'retried' | 'dead' | 'failed', number>> | null;
  readonly deliveredAtMs: number | null;
  readonly failedAtMs: number | null;
  readonly lastFailure: string | null;
  readonly unknowns: readonly string[];
}
