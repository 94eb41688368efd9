/** Why the function runs. A schedule, an operator or an alarm's recovery may start a run; a tick only continues one. */
export type RedriveTrigger = 'schedule' | 'recovery' | 'operator' | 'tick';

/** How many messages a queue holds, approximately. */
export interface QueueDepth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/**
 * The status of a move. `PAUSED` is ours, not SQS's: a function that moves messages ran out of time and may continue.
 */
export type MoveStatus = 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED' | 'PAUSED';

/** One move of a run: a message move task of SQS, or a move pass of the function, which its metrics record. */
export interface MoveFacts {
  readonly carrier: 'task' | 'copy' | 'replay';
  readonly status: MoveStatus;
  readonly startedAtMs: number;
  /** Needed to cancel a task. SQS returns it only while the task runs. */
  readonly handle?: string;
  /** Undefined if SQS chooses the rate. */
  readonly messagesPerSecond?: number;
  /** Undefined if each message goes back to its source queue. */
  readonly destinationArn?: string;
  /** How many messages have moved; for a running task, at least this many. */
  readonly moved: number;
  /** How many were visible when the move began. */
  readonly toMove?: number;
  /**
   * The move was still active at this time. SQS reports when a task began, but never when it ended.
   * @default - unknown; then the rate decides
   */
  readonly activeAtMs?: number;
  /**
   * Of a move pass: how many messages went to the quarantine queue, because they contain no event or the function failed
   * again. They have left the dead-letter queue like those that moved. @default 0
   */
  readonly setAside?: number;
  /**
   * Of those in `moved`: how many the function was invoked with and failed. They are in the quarantine queue, and so in
   * `setAside` too, or still in the dead-letter queue. @default 0
   */
  readonly returned?: number;
  /** SQS's reason for a task that failed. */
  readonly failureReason?: string;
}

export interface HealthAlarmFacts {
  readonly name: string;
  /** `missing` if there is no alarm of that name, `unread` if CloudWatch denies access. */
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA' | 'missing' | 'unread';
  /** When it entered that state. @default - unknown */
  readonly sinceMs?: number;
  /**
   * Whether it was in ALARM before, or before it had no data. An alarm that only had no data has not recovered.
   * @default - unknown: it starts no run, and an alarm that was OK before a run and is OK again counts as fired in
   * between
   */
  readonly recovered?: boolean;
}

/** The queue messages are moved to, and its consumer. */
export interface DestinationFacts {
  readonly depth: QueueDepth;
  /**
   * The age of its oldest message. @default - CloudWatch has no value: an idle queue has none, and a new queue has none
   * yet
   */
  readonly oldestAgeSeconds?: number;
  /** How many messages were deleted from it since the newest move began. @default - CloudWatch has no value (yet) */
  readonly deleted?: number;
  /**
   * How many messages were sent to it after the newest step ended, and so after the step's own messages.
   * @default - CloudWatch has no value (yet), or it no longer matters
   */
  readonly sentSince?: number;
}

/** How many messages the queue for failures holds. */
interface FailureCounts {
  readonly now: number;
  /** When the newest move began. @default - unknown */
  readonly atStart?: number;
  /** When its step had settled. @default - unknown, as for the dead-letter queue */
  readonly whenSettled?: number;
}

/** Everything AWS reports about a redrive. The function stores nothing between its runs. */
export interface RedriveFacts {
  readonly nowMs: number;
  readonly trigger: RedriveTrigger;
  /** `unknown` if the parameter cannot be read or has another value. */
  readonly killSwitch: 'on' | 'off' | 'unknown';
  /** Undefined if the queue does not exist. */
  readonly deadLetters: QueueDepth | undefined;
  /** Undefined for a function, and if the queue does not exist: see `RedriveSettings.destination`. */
  readonly destination: DestinationFacts | undefined;
  /** The moves of the last 24 hours, and older ones if SQS lists them; the newest first. */
  readonly moves: readonly MoveFacts[];
  /**
   * Whether `moves` contains every move of the last 24 hours. SQS lists at most ten tasks. If the tenth began within a
   * day, others may be missing.
   */
  readonly isMovesComplete: boolean;
  readonly alarms: readonly HealthAlarmFacts[];
  /**
   * The state of each event source mapping, as Lambda names it; `missing` if it does not exist, `unread` if Lambda
   * denies access.
   */
  readonly mappings: readonly { readonly id: string; readonly state: string }[];
  /**
   * How many messages the queue for failures holds now, and held when the newest move began. Undefined if that queue is
   * the dead-letter queue itself, or unknown.
   */
  readonly failures?: FailureCounts;
  /**
   * How many dead letters were visible when the newest move's step had settled. Messages that arrive later are not
   * returns of that step. See `settledAtMsOf`.
   * @default - unknown: it is not looked up once the run can no longer continue
   */
  readonly deadLettersWhenSettled?: number;
}
