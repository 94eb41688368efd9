/** The relay function's metrics: it writes them to its log, and the construct's alarms use them. */
export const RELAY_METRICS = { namespace: 'DeadLetterOffice/Relay', dimension: 'FunctionName' } as const;

/** What the relay function counts or measures. Times are in milliseconds. */
export type RelayMetricName =
  /** Requests to the endpoint. */
  | 'Attempts'
  /** Messages the endpoint accepted. */
  | 'Delivered'
  /** Messages that will be retried later. */
  | 'Retried'
  /** Messages sent to the dead-letter queue. */
  | 'Dead'
  /**
   * Messages to be given up that the dead-letter queue did not accept. They stay in the relay's queue and are retried.
   */
  | 'DeadLetteringFailed'
  /** Failed attempts that may succeed if repeated. */
  | 'FailedAttempts'
  /** Those of them that the endpoint answered with a redirect or a client error: see `FailedAttempt`. */
  | 'ClientErrors'
  /** Messages put back without an attempt, because the time ran out. */
  | 'HandedBack'
  /** Messages without an attempt, because a secret could not be read or is invalid, or there is no access token. */
  | 'Untried'
  /** Messages on which the relay itself failed. They become visible again after the queue's visibility timeout. */
  | 'Broken'
  /** How long a request took. */
  | 'Latency'
  /** How late an attempt began. */
  | 'Lateness';

/** The redrive function's metrics: it writes them to its log, and the construct's alarms use them. */
export const REDRIVE_METRICS = { namespace: 'DeadLetterOffice/Redrive', dimension: 'FunctionName' } as const;

/** What the redrive function counts. */
export type RedriveMetricName =
  /** The number of the redrive's state: see `REDRIVE_STATES`. */
  | 'RedriveState'
  /** Runs that began, counted by their canaries. */
  | 'RunsStarted'
  /** Runs that a schedule or an operator asked for and that did not start, although there were dead letters. */
  | 'RunsRefused'
  /** Runs that ended well. */
  | 'RunsFinished'
  /** Runs that were stopped for a cause. */
  | 'RunsStopped'
  /** Messages moved by a run that has ended. */
  | 'Moved'
  /** How many of them came back. */
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

/** What a fleet counts or measures, for all endpoints together. */
export type FleetMetricName =
  /** Requests to endpoints. */
  | 'Attempts'
  | 'Delivered'
  /** Attempts that failed and may succeed if repeated. */
  | 'FailedAttempts'
  /** Messages sent to the dead-letter queue. */
  | 'Dead'
  /** Messages that the dead-letter queue did not accept. They stay where they are and are tried again. */
  | 'DeadLetteringFailed'
  /** Messages written to the table, because their endpoint is down or their turn is later than a minute. */
  | 'Parked'
  /** Messages in the table, as far as they were counted: the count of an endpoint is mostly some minutes old. */
  | 'ParkedMessages'
  /** Messages that left the table again. */
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
  /** How long a request took, in milliseconds. */
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
