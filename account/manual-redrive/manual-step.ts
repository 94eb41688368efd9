import type { NowMs, Wait } from '../../mover/aws/clock';
import type { RemainingMessages } from '../../mover/pass-progress';

/** What moving needs besides AWS. */
export interface MoveStepPorts {
  readonly nowMs: NowMs;
  readonly wait: Wait;
  readonly isInterrupted: () => boolean;
  /** Receives how many messages of the step have been moved so far. */
  readonly progress: (moved: number) => void;
}

/** A part of a redrive: the canary, or the rest. */
export interface MoveStep {
  readonly messagesPerSecond: number;
  /** @default - all messages */
  readonly messages?: number;
}

export interface StayingMessages extends RemainingMessages {
  /** Whether they should have moved. False for messages that the filter excludes, or that arrived after the redrive began. */
  readonly isMeant: boolean;
}

export interface MoveStepEnd {
  /** Messages that certainly moved. */
  readonly moved: number;
  /**
   * `done`: it moved as many messages as it should. `empty`: there are no more messages. `unseen`: the task of SQS continues,
   * but its state can no longer be read.
   */
  readonly ending: 'done' | 'empty' | 'interrupted' | 'failed' | 'unseen';
  /** Why, in words. */
  readonly reason: string;
  /** Messages that stay, including those that earlier steps sent but did not delete. @default - none are known */
  readonly left?: readonly StayingMessages[];
  /** How many messages were sent without a response, in all steps so far: the destination may have them. @default 0 */
  readonly unsure?: number;
  /** How many of the moved messages SQS has not deleted here, in all steps so far. @default 0 */
  readonly undeleted?: number;
  /**
   * Until when messages may be hidden that SQS returned in answers that were lost, in all steps so far. @default - no answer was lost
   */
  readonly lostUntilMs?: number;
}
