import type { MoveFacts, QueueDepth } from '../../policy/redrive/redrive-facts';
import type { QueueName } from '../../policy/redrive/redrive-settings';
import type { Inventory } from '../inventory/inventory';

/** A queue, as a redrive by hand sees it. */
export interface RedriveQueue extends QueueName {
  readonly name: string;
  readonly isFifo: boolean;
  readonly depth: QueueDepth;
  readonly retentionSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  readonly maximumMessageBytes: number;
  /** Where its own dead letters go. @default - nowhere */
  readonly deadLetterTargetArn?: string;
  /** @default - it has no dead-letter queue */
  readonly maxReceiveCount?: number;
  /** Of KMS. @default - SQS's own key, or none */
  readonly keyId?: string;
}

/** A redrive function of ours that looks after the queue. */
export interface AutomaticRedrive {
  /** Of its function. */
  readonly name: string;
  /** Whether its app lets it act. */
  readonly enabled: boolean;
}

/** What whoever moves letters by hand asks for. */
export interface ManualRedriveOptions {
  /** The ARN of a queue or a function. @default - where the letters were to go at first, if that is one place */
  readonly to?: string;
  /** Messages a second, 1 to 500. */
  readonly messagesPerSecond: number;
  /** How many go first, to see what becomes of them; 0 for none. */
  readonly canary: number;
  /** JMESPath over a letter. @default - all go */
  readonly filter?: string;
}

/** All that AWS says of a queue whose letters are to be moved by hand. */
export interface ManualRedriveFacts {
  readonly deadLetters: RedriveQueue;
  /** Of the account; it may hold no more than what has to do with the queue. */
  readonly inventory: Inventory;
  /** Of the queue, the newest first. */
  readonly tasks: readonly MoveFacts[];
  /** Functions of ours that redrive this queue. */
  readonly redrives: readonly AutomaticRedrive[];
}
