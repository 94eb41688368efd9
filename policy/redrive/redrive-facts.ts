/** Why the function runs: a schedule or an alarm's recovery may start a run, a tick only goes on with one. */
export type RedriveTrigger = 'schedule' | 'recovery' | 'operator' | 'tick';

/** How many messages a queue holds, about. */
export interface QueueDepth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

/** How a move stands. `PAUSED` is our word: a function that copies ran out of its own time, and may go on. */
export type MoveStatus = 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED' | 'PAUSED';

/**
 * One step of a run that has begun: a message move task of SQS, or a stint of copying or replaying, which the function's own
 * metrics tell of.
 */
export interface MoveFacts {
  readonly carrier: 'task' | 'copy' | 'replay';
  readonly status: MoveStatus;
  readonly startedAtMs: number;
  /** By which a task can be cancelled; SQS tells it of a running one only. */
  readonly handle?: string;
  /** Undefined where SQS chooses. */
  readonly messagesPerSecond?: number;
  /** Undefined where each message goes back to where it came from. */
  readonly destinationArn?: string;
  /** How many have moved; of a running task, at least. */
  readonly moved: number;
  /** How many were visible when it began. */
  readonly toMove?: number;
  /**
   * Until when it was under way at least: a task as this function last saw it, a stint as it told. SQS says when a task
   * began, and never when it ended.
   * @default - its rate alone tells
   */
  readonly activeAtMs?: number;
  /**
   * Of a stint: how many letters went to the quarantine instead, as what can be no event, and what had come back. They have
   * left the dead letters like those that moved. @default 0
   */
  readonly setAside?: number;
  /** Of those set aside: how many this run itself had moved, and so came after it had begun. @default 0 */
  readonly returned?: number;
  /** SQS's, of a task that has failed. */
  readonly failureReason?: string;
}

/** A health alarm as CloudWatch has it. */
export interface HealthAlarmFacts {
  readonly name: string;
  /** `missing` where there is none of that name, `unread` where CloudWatch does not let us look. */
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA' | 'missing' | 'unread';
  /** Since when it is in that state. @default - nobody knows */
  readonly sinceMs?: number;
  /**
   * Whether it was in ALARM before, or before it had no data: no recovery comes from having had none.
   * @default - nobody has asked: it starts no run, and what was OK before a run and is so again has fired meanwhile
   */
  readonly recovered?: boolean;
}

/** The queue letters go to, and who reads it. */
export interface DestinationFacts {
  readonly depth: QueueDepth;
  /** Of its oldest message. @default - CloudWatch has no figure: an idle queue has none, and a new one has none yet */
  readonly oldestAgeSeconds?: number;
  /** How many messages were deleted from it since the newest move began. @default - CloudWatch has no figure (yet) */
  readonly deleted?: number;
  /**
   * How many messages were sent to it since the newest step had ended, and so came after its letters.
   * @default - CloudWatch has no figure (yet), or it no longer matters
   */
  readonly sentSince?: number;
}

/** What the queue for failures holds. */
export interface FailureCounts {
  readonly now: number;
  /** When the newest move began. @default - nobody knows */
  readonly atStart?: number;
  /** When its step had settled. @default - nobody knows: as with the dead letters */
  readonly whenSettled?: number;
}

/** All that AWS says of a redrive. Nothing is remembered from one run of the function to the next. */
export interface RedriveFacts {
  readonly nowMs: number;
  readonly trigger: RedriveTrigger;
  /** `unknown` where the parameter cannot be read, or says something else. */
  readonly killSwitch: 'on' | 'off' | 'unknown';
  /** Undefined where there is no such queue. */
  readonly deadLetters: QueueDepth | undefined;
  /** Undefined for a function, and where there is no such queue: `RedriveSettings.destination` tells which. */
  readonly destination: DestinationFacts | undefined;
  /** The moves of the last 24 hours, and more where SQS tells of more; the newest first. */
  readonly moves: readonly MoveFacts[];
  /**
   * Whether `moves` holds every move of the last 24 hours. SQS tells of ten tasks at most: where the tenth began within a day,
   * there may have been others.
   */
  readonly isMovesComplete: boolean;
  readonly alarms: readonly HealthAlarmFacts[];
  /** State of each event source mapping, as Lambda names it; `missing` where there is none, `unread` where it does not say. */
  readonly mappings: readonly { readonly id: string; readonly state: string }[];
  /**
   * What the queue for failures holds now, and held when the newest move began. Undefined where that queue is the dead-letter
   * queue itself, or unknown.
   */
  readonly failures?: FailureCounts;
  /**
   * How many letters were visible when the newest move's step had settled: what comes later is no return of its letters. See
   * `settledAtMsOf`.
   * @default - nobody knows: what came back is forgotten once the run could no longer have gone on
   */
  readonly deadLettersWhenSettled?: number;
}
