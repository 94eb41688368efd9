/** Where the relay function's metrics are, which it writes into its log and its construct's alarms watch. */
export const RELAY_METRICS = { namespace: 'DeadLetterOffice/Relay', dimension: 'FunctionName' } as const;

/** What the relay function counts or measures; the latter in milliseconds. */
export type RelayMetricName =
  /** Requests to the endpoint. */
  | 'Attempts'
  /** Messages the endpoint took. */
  | 'Delivered'
  /** Messages to be tried again later. */
  | 'Retried'
  /** Messages sent to the dead-letter queue. */
  | 'Dead'
  /** Messages to be given up that the dead-letter queue did not take: they stay in the relay's queue, and are tried again. */
  | 'Unburied'
  /** Attempts that failed in a way that is tried again. */
  | 'FailedAttempts'
  /** Messages put back untried, for want of time. */
  | 'HandedBack'
  /** Messages for which there was nothing to send: a secret could not be read, or is no use. */
  | 'Untried'
  /** Messages at which the relay itself failed: they come back after the queue's visibility timeout. */
  | 'Broken'
  /** How long a request took. */
  | 'Latency'
  /** How long after it was due an attempt began. */
  | 'Lateness';

/** Where the redrive function's metrics are, which it writes into its log and its construct's alarms watch. */
export const REDRIVE_METRICS = { namespace: 'DeadLetterOffice/Redrive', dimension: 'FunctionName' } as const;

/** What the redrive function counts. */
export type RedriveMetricName =
  /** The number of its state: see `REDRIVE_STATES`. */
  | 'RedriveState'
  /** Runs that began: their canaries. */
  | 'RunsStarted'
  /** Runs a schedule or an operator asked for, and none began though there were letters. */
  | 'RunsRefused'
  /** Runs that ended well. */
  | 'RunsFinished'
  /** Runs that ended for a cause. */
  | 'RunsStopped'
  /** Messages of a run that has ended. */
  | 'Moved'
  /** Of those, how many came back. */
  | 'Returned'
  /** At the instant a step begins: what lies where failures end, unless that is among the dead letters. */
  | 'FailuresAtStart'
  /** A stint of copying or replaying, at the instant it began: messages a second it may move. */
  | 'StintRate'
  /** The same stint: letters that were visible. */
  | 'StintToMove'
  /** The same stint: letters moved, counted on as it goes. */
  | 'StintMoved'
  /** The same stint: letters that went to the quarantine instead, counted on as it goes. */
  | 'StintSetAside'
  /** Of those set aside: how many this run had moved before, counted on as it goes. */
  | 'StintReturned'
  /** The same stint: how it ended, by the number of `STINT_ENDS`. */
  | 'StintEnd'
  /** The same stint, once it has ended: for how long it went on. */
  | 'StintSeconds';

/** How a stint of copying or replaying ended, as `StintEnd` counts it. */
export const MOVE_PASS_ENDS = { COMPLETED: 1, CANCELLED: 2, PAUSED: 3, FAILED: 4 } as const;
