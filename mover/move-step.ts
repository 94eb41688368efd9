import type { RedriveMetricName } from '../policy/metric-names';
import type { RedriveCause, RedriveDecision } from '../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../policy/redrive/redrive-facts';

export type StartDecision = Extract<RedriveDecision, { kind: 'start' }>;

/** A stint under way, as its carrier knows it. */
export type PassProgress = Required<Pick<MoveFacts, 'startedAtMs' | 'moved' | 'toMove'>>;

/** Why a stint must not go on. */
export interface StopReason {
  readonly cause: RedriveCause;
  readonly reason: string;
}

/** A step to be begun. */
export interface StepOrder {
  readonly decision: StartDecision;
  /** By which it was decided. */
  readonly facts: RedriveFacts;
  /** When the run's canary began: now, where it begins just now. What was sent later waits for another run. */
  readonly runStartedAtMs: number;
  /** Until Lambda stops the function. */
  readonly remainingMs: () => number;
  /**
   * Looks at the switch, the alarms and the destination again, for a carrier that moves messages itself.
   * @returns undefined while all is well
   */
  readonly check: (soFar: PassProgress) => Promise<StopReason | undefined>;
  /** How often it looks. @default 30 s */
  readonly checkEveryMs?: number;
  /** After how many letters that stay a stint ends: they are hidden until then. @default 5,000 */
  readonly maxRemaining?: number;
}

/** Messages a stint could not move, or should not. */
export interface RemainingMessages {
  /** In AWS's words where it gave one. */
  readonly reason: string;
  readonly messages: number;
  /** The SQS id of the first of them. */
  readonly example: string;
}

/** What came of beginning a step. */
export type StepResult =
  /** A task of SQS runs, by itself. */
  | { readonly outcome: 'started' }
  /** The function moved messages itself, and has ended. */
  | {
      readonly outcome: 'stint';
      readonly status: 'COMPLETED' | 'CANCELLED' | 'PAUSED' | 'FAILED';
      readonly moved: number;
      /** Messages that went to the quarantine. @default - none */
      readonly quarantined?: number;
      /** Of those, how many this run itself had moved before. @default - none */
      readonly returned?: number;
      /** Messages that stay where they are. @default - none */
      readonly left?: readonly RemainingMessages[];
      /** Of a stint that was halted. */
      readonly cause?: RedriveCause;
      /** Why it ended. */
      readonly reason: string;
    }
  /** Somebody else moves messages of this queue: by hand, or another run of this function. */
  | { readonly outcome: 'already-running'; readonly reason: string }
  /** SQS moves nothing of a queue that is no dead-letter queue of another: somebody must copy. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** AWS said no. */
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

/**
 * Moves the messages of one step: by a task of SQS, or itself. It throws nothing that AWS answers: that is an outcome.
 */
export interface StepRunner {
  start(order: StepOrder): Promise<StepResult>;
}

/**
 * Writes metrics of the function, which are there before it returns: an invocation may break off at any time.
 * @param atMs the instant they are of: a stint's are all of the one it began at
 */
export type WriteMetrics = (atMs: number, metrics: Partial<Readonly<Record<RedriveMetricName, number>>>) => void;
