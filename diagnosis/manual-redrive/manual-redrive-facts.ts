import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import type { QueueName, RedriveDestination } from '../../policy/redrive/redrive-settings';
import type { Inventory } from '../inventory/inventory';

export interface RedriveQueue extends QueueName {
  readonly name: string;
  readonly isFifo: boolean;
  readonly depth: QueueDepth;
  readonly retentionSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maximumMessageBytes: number;
  /** Its own dead-letter queue. @default - none */
  readonly deadLetterTargetArn?: string;
  /** @default - the queue has no dead-letter queue */
  readonly maxReceiveCount?: number;
  /** Its KMS key. @default - SQS's own key, or none */
  readonly keyId?: string;
}

/** A redrive function that watches the queue. */
export interface AutomaticRedrive {
  readonly name: string;
  /** Whether its app lets it act. */
  readonly enabled: boolean;
}

/** What the operator asks for. */
export interface ManualRedriveOptions {
  /** The ARN of a queue or a function. @default - the original destination, if all messages had the same */
  readonly to?: string;
  /** Messages per second, 1 to 500. */
  readonly messagesPerSecond: number;
  /** How many messages are moved first, to see whether they come back; 0 for none. */
  readonly canary: number;
  /** A JMESPath expression over a message. @default - all messages are moved */
  readonly filter?: string;
  /** The ARN of a subscription: only its messages are moved. @default - all, or those that were for `to` */
  readonly subscription?: string;
}

/** Everything AWS reports about a queue to redrive. */
export interface ManualRedriveFacts {
  readonly deadLetters: RedriveQueue;
  /** The inventory of the account. It may contain only what concerns the queue. */
  readonly inventory: Inventory;
  /** The move tasks of the queue, newest first. */
  readonly tasks: readonly MoveFacts[];
  /** Whether the move tasks could not be read. @default false */
  readonly areTasksUnknown?: boolean;
  /** Our redrive functions for this queue. */
  readonly redrives: readonly AutomaticRedrive[];
}

export type Form =
  /** Unchanged. */
  | 'as-they-are'
  /** The message inside an SNS envelope, with its attributes, as with raw message delivery. */
  | 'unwrapped'
  /** The event that a message contains for a function. */
  | 'event';

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

/**
 * The messages of a dead-letter queue that were for one destination. Several subscriptions may share the queue, and the
 * others must not receive a message again that was delivered to them.
 */
export interface Selection {
  /** The subscriptions that the envelopes of these messages name. */
  readonly subscriptionArns: readonly string[];
  /** The queue from which SQS moved these messages. @default - none */
  readonly sourceArn?: string;
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
