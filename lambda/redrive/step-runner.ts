import type { TaskStart } from '../../mover/aws/move-tasks';
import type { MovePassResult } from '../../mover/move-pass';
import type { RedriveMetricName } from '../../policy/metric-names';
import type { RedriveCause, RedriveDecision } from '../../policy/redrive/redrive-decision';
import type { MoveFacts, RedriveFacts } from '../../policy/redrive/redrive-facts';

export type StartDecision = Extract<RedriveDecision, { kind: 'start' }>;

export type PassProgress = Required<Pick<MoveFacts, 'startedAtMs' | 'moved' | 'returned' | 'setAside' | 'toMove'>>;

/** Why a move pass must stop. */
export interface StopReason {
  readonly cause: RedriveCause;
  readonly reason: string;
}

export interface StepOrder {
  readonly decision: StartDecision;
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
}

export type StepResult =
  | TaskStart
  /** The function moved messages itself, and the pass has ended. */
  | (MovePassResult & {
      readonly outcome: 'move-pass';
      /** Why a check stopped the pass. */
      readonly cause?: RedriveCause;
    });

/** Moves the messages of one step, by an SQS task or message by message. An error of AWS is a result, never thrown. */
export interface StepRunner {
  start(order: StepOrder): Promise<StepResult>;
}

/**
 * Writes metrics of the function before it returns, because the invocation may die at any time.
 * @param atMs the time of the data points: a move pass uses its start for all of them
 */
export type WriteMetrics = (atMs: number, metrics: Partial<Readonly<Record<RedriveMetricName, number>>>) => void;
