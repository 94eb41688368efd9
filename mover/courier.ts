import type { QuarantineCause } from '../policy/redrive/quarantine';
import type { DeadLetter } from './dead-letter';

/** It is to be carried. */
export interface Movable {
  readonly kind: 'fit';
}

/** It cannot go where it should, and never will by itself. */
export interface Unmovable {
  readonly kind: 'unfit';
  readonly cause: QuarantineCause;
  /** Completes a sentence that begins with the letter: `is not JSON`. */
  readonly reason: string;
}

/** It stays among the dead letters. */
export interface Remaining {
  readonly kind: 'left';
  /** Completes a sentence that begins with the letter, or is AWS's. */
  readonly reason: string;
}

/** What one attempt to carry a letter came to. */
export type MoveResult =
  /** The destination has it. */
  | { readonly kind: 'moved' }
  /** There was no answer: the destination may have it. It stays, and only a stint that knows nothing of it carries it once more. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The destination did not take it just now. */
  | { readonly kind: 'again'; readonly reason: string }
  | Unmovable
  | Remaining;

/** Nothing can be carried to the destination at all, for a reason that does not pass by itself. */
export interface DestinationClosed {
  readonly kind: 'closed';
  readonly reason: string;
}

/** Carries letters to a destination. */
export interface MessageMover {
  /** How long what the destination fails at may take to come back to where it was taken. @default - it goes elsewhere */
  readonly returnsWithinMs?: number;
  /** Looks at a letter before it is carried. */
  readonly inspect: (deadLetter: DeadLetter) => Movable | Unmovable | Remaining;
  /**
   * Which letters go in one call, a lot, and which lots wait for each other: those of one lane. Where a letter of a lane
   * stays, what is behind it stays too.
   */
  readonly batchesInOrder: (deadLetters: readonly DeadLetter[]) => readonly (readonly (readonly DeadLetter[])[])[];
  /** What became of each letter, in their order. It rejects only where something of ours is broken. */
  readonly move: (lot: readonly DeadLetter[]) => Promise<readonly MoveResult[] | DestinationClosed>;
}
