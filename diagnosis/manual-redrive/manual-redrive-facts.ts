import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import type { QueueName } from '../../policy/redrive/redrive-settings';
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
