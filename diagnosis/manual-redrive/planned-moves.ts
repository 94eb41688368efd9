import type { MoveFacts } from '../../policy/redrive/redrive-facts';
import type { RedriveDestination } from '../../policy/redrive/redrive-settings';
import type { Form } from './destination';
import type { RedriveQueue } from './manual-redrive-facts';
import type { Selection } from './selection';

/**
 * How messages are moved: by a task of SQS; by the command, which sends and then deletes them; or by the command, which
 * invokes a function with them.
 */
export type MoveMethod = MoveFacts['carrier'];

/** The messages that are moved first. */
export interface Canary {
  readonly messages: number;
  readonly messagesPerSecond: number;
}

/** What a manual redrive does, before its risks are known. */
export interface PlannedMoves {
  readonly deadLetters: RedriveQueue;
  readonly destination: RedriveDestination;
  /** The destination as it is now, if it is a queue. */
  readonly destinationQueue?: RedriveQueue;
  readonly carrier: MoveMethod;
  /** Why SQS does not move the messages itself. @default - SQS moves them */
  readonly whyNoTask?: string;
  readonly form: Form;
  readonly messagesPerSecond: number;
  /** @default - there is no canary */
  readonly canary?: Canary;
  readonly filter?: string;
  /** Which messages were for the destination. @default - all */
  readonly selection?: Selection;
  /**
   * The queue for messages that fail again at the destination: for a function the dead-letter queue itself, where they stay.
   * @default - none, or unknown
   */
  readonly failuresArn?: string;
  /** The timeout of the function that is invoked. @default - the destination is a queue */
  readonly functionTimeoutSeconds?: number;
  /** Whether an enabled event source mapping reads the destination, so that its messages should be consumed. */
  readonly isRead: boolean;
  /** How long a message that fails there may take to come back. */
  readonly settleMs: number;
  /** How long the command watches for messages that come back: that time, or less if it is very long. */
  readonly watchMs: number;
  /** At the planned rate, without interruptions. */
  readonly takesSeconds: number;
  /** Everything the plan was made from, by name. If one part differs, it is another plan. */
  readonly planInputs: Readonly<Record<PlanInput, unknown>>;
}

export type PlanInput = 'options' | 'route' | 'queues' | 'activity';
