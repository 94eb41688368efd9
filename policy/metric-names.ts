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
  | 'Unburied'
  /** Failed attempts that may succeed if repeated. */
  | 'FailedAttempts'
  /** Those of them that the endpoint answered with a redirect or a client error: see `FailedAttempt`. */
  | 'ClientErrors'
  /** Messages put back without an attempt, because the time ran out. */
  | 'HandedBack'
  /** Messages without an attempt, because a secret could not be read or is invalid. */
  | 'Untried'
  /** Messages on which the relay itself failed. They become visible again after the queue's visibility timeout. */
  | 'Broken'
  /** How long a request took. */
  | 'Latency'
  /** How late an attempt began. */
  | 'Lateness';

/**
 * The metrics of a fleet: its functions write them to their logs, and the construct's alarms use them. The dimension is the name of the
 * fleet, so that a count of several functions is one metric. A fleet in which nothing happens writes none.
 */
export const FLEET_METRICS = { namespace: 'DeadLetterOffice/Fleet', dimension: 'Fleet' } as const;

/** What the functions of a fleet count or measure. Times are in milliseconds. */
export type FleetMetricName =
  /** Requests to endpoints. */
  | 'Attempts'
  /** Messages that an endpoint accepted. */
  | 'Delivered'
  /** Attempts that failed. */
  | 'FailedAttempts'
  /** Messages that were put into the table without an attempt, because their endpoint is down or disabled. */
  | 'Parked'
  /** Messages sent to the dead-letter queue. */
  | 'Dead'
  /** Endpoints that were disabled because they failed for too long or answered 410. */
  | 'Disabled'
  /**
   * Messages on which the fleet itself failed: the table, a queue or a secret could not be used. They stay where they are and are
   * tried again.
   */
  | 'Broken'
  /** How long a request took. */
  | 'Latency'
  /** How long the parked message that has waited longest could have been sent: its endpoint answers, and its turn has come. */
  | 'OldestDue';

/**
 * The redrive function's metrics: it writes them to its log, and the construct's alarms use them. In metric names, a
 * *stint* is a move pass.
 */
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
  | 'StintRate'
  /** When it begins: how many messages are visible. */
  | 'StintToMove'
  /** Messages it has moved so far. */
  | 'StintMoved'
  /** Messages it has sent to the quarantine queue so far. */
  | 'StintSetAside'
  /** How many of those this run had moved before. */
  | 'StintReturned'
  /** When it ends: how it ended, as a number of `MOVE_PASS_ENDS`. */
  | 'StintEnd'
  /** When it ends: how long it ran. */
  | 'StintSeconds';

/** How a move pass ended: the values of `StintEnd`. */
export const MOVE_PASS_ENDS = { COMPLETED: 1, CANCELLED: 2, PAUSED: 3, FAILED: 4 } as const;
