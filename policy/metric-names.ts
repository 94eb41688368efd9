/** The relay function's metrics: it writes them to its log, and the construct's alarms use them. */
export const RELAY_METRICS = { namespace: 'DeadLetterOffice/Relay', dimension: 'FunctionName' } as const;

/** What the relay function counts or measures: `RelayMetric` describes each. */
export type RelayMetricName =
  | 'Attempts'
  | 'Delivered'
  | 'Retried'
  | 'Dead'
  | 'DeadLetteringFailed'
  | 'FailedAttempts'
  | 'ClientErrors'
  | 'HandedBack'
  | 'Untried'
  | 'Broken'
  | 'Latency'
  | 'Lateness';

/** The redrive function's metrics: it writes them to its log, and the construct's alarms use them. */
export const REDRIVE_METRICS = { namespace: 'DeadLetterOffice/Redrive', dimension: 'FunctionName' } as const;

/** What the redrive function counts: `RedriveMetric` describes the first ones. */
export type RedriveMetricName =
  | 'RedriveState'
  | 'RunsStarted'
  | 'RunsRefused'
  | 'RunsFinished'
  | 'RunsStopped'
  | 'Moved'
  | 'Returned'
  /** When a step begins: the depth of the queue for failures, unless that is the dead-letter queue. */
  | 'FailuresAtStart'
  /** When a move pass begins: its allowed messages per second. */
  | 'MovePassRate'
  /** When it begins: how many messages are visible. */
  | 'MovePassToMove'
  /** Messages it has moved so far. */
  | 'MovePassMoved'
  /** Messages it has sent to the quarantine queue so far. */
  | 'MovePassQuarantined'
  /** How many of those this run had moved before. */
  | 'MovePassReturned'
  /** When it ends: how it ended, as a number of `MOVE_PASS_ENDS`. */
  | 'MovePassEnd'
  /** When it ends: how long it ran. */
  | 'MovePassSeconds';

/** How a move pass ended: the values of `MovePassEnd`. */
export const MOVE_PASS_ENDS = { COMPLETED: 1, CANCELLED: 2, PAUSED: 3, FAILED: 4 } as const;

/**
 * The metrics of a fleet: its functions write them to their logs, and the construct's alarms use them. Each metric with data costs 30 cents
 * a month, so a fleet in which nothing happens, and all endpoints are healthy, writes none.
 */
export const FLEET_METRICS = { namespace: 'DeadLetterOffice/Fleet', dimension: 'Fleet' } as const;

/** What a fleet counts or measures, for all endpoints together: see also `FleetMetric`. */
export type FleetMetricName =
  | 'Attempts'
  | 'Delivered'
  | 'FailedAttempts'
  | 'Dead'
  /** Messages that the dead-letter queue did not accept. They stay where they are and are tried again. */
  | 'DeadLetteringFailed'
  /** Messages written to the table, because their endpoint is down or their turn is later than a minute. */
  | 'Parked'
  /** Messages in the table, as far as they were counted: the count of an endpoint is mostly some minutes old. */
  | 'ParkedMessages'
  | 'Returned'
  /**
   * Messages that stay where they are because a function failed on them, or because a call to AWS failed: also those that the dead-letter
   * queue did not accept.
   */
  | 'Broken'
  /** Attempts that the log lacks, because the table did not take them. */
  | 'NotLogged'
  /** From the event to the delivery of a message at its first attempt, in milliseconds. */
  | 'Delay'
  | 'Latency'
  /** Endpoints that the fleet disabled: they failed for too long, or answered 410. */
  | 'Disabled'
  /**
   * How late the prober is with the parked message that has waited longest for it, in milliseconds. Not of endpoints that are down: their
   * messages wait by design.
   */
  | 'OldestDue'
  /** Endpoints that fail, and still get messages. Every minute while there is one, as the next two. */
  | 'FailingEndpoints'
  /** Endpoints whose breaker is open or whose parked messages come back. */
  | 'OpenEndpoints'
  | 'DisabledEndpoints';
