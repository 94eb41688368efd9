import type { RedriveMetricName } from '../policy/metric-names';
import type { RedriveCause, RedriveDecision } from '../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../policy/redrive/redrive-facts';

export type StartDecision = Extract<RedriveDecision, { kind: 'start' }>;

/** The progress of a move pass under way. */
export type PassProgress = Required<Pick<MoveFacts, 'startedAtMs' | 'moved' | 'returned' | 'setAside' | 'toMove'>>;

/** Why a move pass must stop. */
export interface StopReason {
  readonly cause: RedriveCause;
  readonly reason: string;
}

/** A step to run. */
export interface StepOrder {
  readonly decision: StartDecision;
  /** The facts the decision is based on. */
  readonly facts: RedriveFacts;
  /** When the run's canary started. A message that was sent later is not moved in this run. */
  readonly runStartedAtMs: number;
  /** Time until Lambda stops the function. */
  readonly remainingMs: () => number;
  /**
   * Checks the kill switch, the alarms and the destination again. Only a runner that moves messages itself calls it.
   * @returns undefined if the pass may continue
   */
  readonly check: (progress: PassProgress) => Promise<StopReason | undefined>;
  /** How often to check. @default 30 s */
  readonly checkEveryMs?: number;
  /** The pass ends when this many messages remain in the queue: they stay hidden until then. @default 5,000 */
  readonly maxRemaining?: number;
}

/** Messages that a move pass left in the dead-letter queue, for one reason. */
export interface RemainingMessages {
  /** In AWS's words if AWS gave a reason. */
  readonly reason: string;
  readonly messages: number;
  /** The SQS message id of the first of them. */
  readonly example: string;
}

/** The result of starting a step. */
export type StepResult =
  /** An SQS message move task is running. */
  | { readonly outcome: 'started' }
  /** The function moved messages itself, and the pass has ended. */
  | {
      readonly outcome: 'move-pass';
      readonly status: 'COMPLETED' | 'CANCELLED' | 'PAUSED' | 'FAILED';
      readonly moved: number;
      /** Messages sent to the quarantine. @default - none */
      readonly quarantined?: number;
      /** Messages that the function was invoked with and failed. They count as moved. @default - none */
      readonly returned?: number;
      /** Messages that remain in the dead-letter queue. @default - none */
      readonly left?: readonly RemainingMessages[];
      /** Why a check stopped the pass. */
      readonly cause?: RedriveCause;
      /** Why it ended. */
      readonly reason: string;
    }
  /** An operator or another run of the function is moving messages of this queue. */
  | { readonly outcome: 'already-running'; readonly reason: string }
  /** SQS moves only messages of a queue that another queue names as its dead-letter queue. The function must copy them. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** AWS rejected the call. */
  | { readonly outcome: 'failed'; readonly code: string; readonly reason: string };

/** Moves the messages of one step, by an SQS task or message by message. An error of AWS is a result, never thrown. */
export interface StepRunner {
  start(order: StepOrder): Promise<StepResult>;
}

/**
 * Writes metrics of the function before it returns, because the invocation may die at any time.
 * @param atMs the time of the data points: a move pass uses its start for all of them
 */
export type WriteMetrics = (atMs: number, metrics: Partial<Readonly<Record<RedriveMetricName, number>>>) => void;
