import type { LeftLetters } from '../../../lambda/redrive/ports';
import type { NowMs, Wait } from '../../../lambda/shared/clock';

/** What moving takes beside AWS. */
export interface StagePorts {
  readonly nowMs: NowMs;
  readonly wait: Wait;
  /** Whether somebody has interrupted the command. */
  readonly isInterrupted: () => boolean;
  /** Is told how many letters have been moved so far. */
  readonly progress: (moved: number) => void;
}

/** What is moved in one go. */
export interface Stage {
  readonly messagesPerSecond: number;
  /** @default - all there are */
  readonly messages?: number;
}

/** How one ended. */
export interface StageEnd {
  readonly moved: number;
  /**
   * `done`: it moved as many as it should. `empty`: there is no letter more. `unseen`: it goes on, and nobody can follow it.
   */
  readonly ending: 'done' | 'empty' | 'interrupted' | 'failed' | 'unseen';
  /** Why, in words. */
  readonly reason: string;
  /** Letters that stay. @default - none that anybody knows of */
  readonly left?: readonly LeftLetters[];
}
