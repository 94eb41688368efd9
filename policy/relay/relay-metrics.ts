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
