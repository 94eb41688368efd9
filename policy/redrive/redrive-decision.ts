/** How a redrive stands. The number is what its metric says, and its alarm fires above `settling`. */
export const REDRIVE_STATES = { idle: 0, moving: 1, settling: 2, stopped: 3 } as const;

export type RedriveState = keyof typeof REDRIVE_STATES;

/** Why a redrive does not begin, or does not go on: each is a named outcome of docs/redrive.md. */
export type RedriveCause =
  | 'switched-off'
  | 'switch-unknown'
  | 'no-dead-letter-queue'
  | 'no-destination'
  | 'no-letters'
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
  | 'came-back'
  | 'resting'
  | 'unproven'
  | 'cancelled'
  | 'abandoned'
  | 'task-failed'
  | 'nothing-to-do';

/** What a redrive does now. */
export type RedriveDecision =
  /** Starts a step: the canary, or the one after it. `messages` is the step's quota, and never above what the budget leaves. */
  | {
      readonly kind: 'start';
      /** Index of the step. */
      readonly step: number;
      readonly carrier: 'task' | 'copy' | 'replay';
      readonly messagesPerSecond: number;
      /** How many it may move. A task cannot be told, and is cancelled in time. */
      readonly messages: number;
      /** When the run began that it goes on with. @default - a run begins with it */
      readonly runStartedAtMs?: number;
      readonly reason: string;
    }
  /** Cancels a task: `step-done` where the next step follows, any other cause ends the run. */
  | {
      readonly kind: 'cancel';
      readonly handle: string;
      readonly cause: 'step-done' | RedriveCause;
      readonly reason: string;
    }
  /** A task runs, or what it moved is waited for. */
  | { readonly kind: 'wait'; readonly reason: string }
  /** The run has ended well just now: it is said for two ticks, and the run's `ending` tells of it later. */
  | { readonly kind: 'finish'; readonly reason: string }
  /** The run is over for a cause that a human has to see to: it is said for ten ticks, and while there are letters and no other run. */
  | { readonly kind: 'stop'; readonly cause: RedriveCause; readonly reason: string }
  /** There is no run, and none begins. */
  | { readonly kind: 'leave'; readonly cause: RedriveCause; readonly reason: string };

/** What came of looking at the facts. */
export interface RedrivePlan {
  readonly decision: RedriveDecision;
  /** How the redrive stands once that is done. */
  readonly state: RedriveState;
  /** The last run, where the facts still show one. */
  readonly run?: RedriveRun;
}

/** What the moves say of one run: its steps, the canary first. */
export interface RedriveRun {
  /** When its canary began: what tells one run from another. */
  readonly startedAtMs: number;
  readonly moved: number;
  /** How many came back, as far as anybody can know. @default - it is too early to say */
  readonly returned?: number;
  /** How it ended. @default - it goes on */
  readonly ending?: RunEnding;
}

/** How a run ended. */
export interface RunEnding {
  /** Why it was stopped. @default - it ended well */
  readonly cause?: RedriveCause;
  readonly reason: string;
  /**
   * How many letters of a run that ended well may be in the destination yet, untried: what fails of them comes back later.
   * @default - none
   */
  readonly waiting?: number;
  /**
   * When its outcome is known for good, by the moves alone: the tick whose minute this falls into tells of it. It can lie
   * ahead: a cancelled run is over at once, and what came back is known when it has settled.
   */
  readonly overAtMs: number;
}
