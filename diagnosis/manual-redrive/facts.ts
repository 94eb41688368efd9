import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import type { QueueName } from '../../policy/redrive/redrive-settings';
import type { Inventory } from '../inventory/inventory';

/** A queue with what a manual redrive needs to know. */
export interface RedriveQueue extends QueueName {
  readonly name: string;
  readonly isFifo: boolean;
  readonly depth: QueueDepth;
  readonly retentionSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maximumMessageBytes: number;
  /** Its own dead-letter queue. @default - none */
  readonly deadLetterTargetArn?: string;
  /** @default - it has no dead-letter queue */
  readonly maxReceiveCount?: number;
  /** Its KMS key. @default - SQS's own key, or none */
  readonly keyId?: string;
}

/** A redrive function that watches the queue. */
export interface AutomaticRedrive {
  /** The name of the function. */
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
}

/** Everything AWS reports about a queue to redrive. */
export interface ManualRedriveFacts {
  readonly deadLetters: RedriveQueue;
  /** Of the account; it may contain only what concerns the queue. */
  readonly inventory: Inventory;
  /** Of the queue, the newest first. */
  readonly tasks: readonly MoveFacts[];
  /** Our redrive functions for this queue. */
  readonly redrives: readonly AutomaticRedrive[];
}
