import type { NowMs, Wait } from '../../mover/clock';
import type { RemainingMessages } from '../../mover/move-step';

/** What moving takes beside AWS. */
export interface MoveStepPorts {
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /** Whether somebody has interrupted the command. */
  readonly isInterrupted: () => boolean;
  /** Is told how many letters have been moved so far. */
  readonly progress: (moved: number) => void;
}

/** What is moved in one go. */
export interface MoveStep {
  readonly messagesPerSecond: number;
  /** @default - all there are */
  readonly messages?: number;
}

/** Letters that are among the dead ones still. */
export interface StayingMessages extends RemainingMessages {
  /** Whether they should have gone, or be gone: not those that a filter leaves, or that came after the move began. */
  readonly isMeant: boolean;
}

/** How one ended. */
export interface MoveStepEnd {
  /** For certain. */
  readonly moved: number;
  /**
   * `done`: it moved as many as it should. `empty`: there is no letter more. `unseen`: it goes on, and nobody can follow it.
   */
  readonly ending: 'done' | 'empty' | 'interrupted' | 'failed' | 'unseen';
  /** Why, in words. */
  readonly reason: string;
  /** Letters that stay, with those of stages before it that were sent and not deleted. @default - none that anybody knows of */
  readonly left?: readonly StayingMessages[];
  /** How many, with stages before it, were sent without an answer: the destination may have them. @default 0 */
  readonly unsure?: number;
  /** And how many the destination has for certain, and SQS has not deleted here. They are among those that moved. @default 0 */
  readonly undeleted?: number;
}
