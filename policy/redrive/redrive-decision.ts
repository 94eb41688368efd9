/** The states of a redrive. The number is the value of its metric, and its alarm fires above `settling`. */
export const REDRIVE_STATES = { idle: 0, moving: 1, settling: 2, stopped: 3 } as const;

export type RedriveState = keyof typeof REDRIVE_STATES;

/** Why a redrive does not start, or does not continue. `docs/redrive.md` describes each outcome. */
export type RedriveCause =
  | 'switched-off'
  | 'switch-unknown'
  | 'no-dead-letter-queue'
  | 'no-destination'
  | 'no-dead-letters'
  | 'foreign-task'
  | 'alarm-firing'
  | 'alarm-without-data'
  | 'alarm-missing'
  | 'not-healthy-for-long'
  | 'consumer-stopped'
  | 'backlog'
  | 'backlog-too-old'
  | 'runs-spent'
  | 'messages-spent'
  | 'history-too-short'
  | 'returned'
  | 'resting'
  /** The consumer of the destination deleted none of the moved messages, or too many of them may still wait there. */
  | 'not-consumed'
  /** How many of the moved messages returned cannot be determined. */
  | 'unknown'
  | 'cancelled'
  | 'abandoned'
  | 'task-failed'
  | 'nothing-to-do';

export type RedriveDecision =
  /**
   * Starts a step: the canary, or the step after it. `messages` is the number the step is to move, and at most what the
   * budget leaves.
   */
  | {
      readonly kind: 'start';
      readonly step: number;
      readonly carrier: 'task' | 'copy' | 'replay';
      readonly messagesPerSecond: number;
      /** How many messages it may move. A task has no such limit, so it is cancelled in time. */
      readonly messages: number;
      /** When the run of this step began. @default - this step begins a run */
      readonly runStartedAtMs?: number;
      readonly reason: string;
    }
  /** Cancels a task: with `step-done` the next step follows, any other cause ends the run. */
  | {
      readonly kind: 'cancel';
      readonly handle: string;
      readonly cause: 'step-done' | RedriveCause;
      readonly reason: string;
    }
  /** A task runs, or the redrive waits for messages that may come back. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** The run has just ended well. It is reported for two ticks; later, the run's `ending` describes it. */
  | { readonly kind: 'finish'; readonly reason: string }
  /**
   * The run was stopped for a cause that a person must look at. It is reported for at least ten ticks, and while there
   * are dead letters and no other run.
   */
  | { readonly kind: 'stop'; readonly cause: RedriveCause; readonly reason: string }
  /** There is no run, and none starts. */
  | { readonly kind: 'leave'; readonly cause: RedriveCause; readonly reason: string };

/** The result of planning. */
export interface RedrivePlan {
  readonly decision: RedriveDecision;
  /** The state of the redrive after the decision is carried out. */
  readonly state: RedriveState;
  /** The last run, if the facts still show one. */
  readonly run?: RedriveRun;
}

/** What the moves show about one run: its steps, the canary first. */
export interface RedriveRun {
  /** When its canary began. This identifies the run. */
  readonly startedAtMs: number;
  readonly moved: number;
  /** How many messages came back, as far as it can be determined. @default - not counted yet */
  readonly returned?: number;
  /** How it ended. @default - the run continues */
  readonly ending?: RunEnding;
}

export interface RunEnding {
  /** Why it was stopped. @default - the run was not stopped */
  readonly cause?: RedriveCause;
  readonly reason: string;
  /**
   * How many messages of a run that ended well may still wait in the destination. Those that fail come back later.
   * @default - none
   */
  readonly waiting?: number;
  /**
   * When the result is final, according to the moves alone: the tick of this minute reports it. It may be in the
   * future: a cancelled run is over at once, but what came back is only known when it has settled.
   */
  readonly overAtMs: number;
}
