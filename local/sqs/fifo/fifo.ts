import type { Message } from '../message';
import type { FifoSettings } from '../queue-attributes';
import { Deduplication } from './deduplication';
import { FifoOrder } from './fifo-order';
import { ReceiveAttempts } from './receive-attempts';
import { SequenceNumbers } from './sequence-numbers';

/** What a FIFO queue has and a standard queue has not. */
export class Fifo {
  readonly order = new FifoOrder();
  readonly deduplication: Deduplication;
  readonly attempts = new ReceiveAttempts();
  private readonly sequenceNumbers = new SequenceNumbers();

  constructor(settings: FifoSettings) {
    this.deduplication = new Deduplication(settings.deduplicationScope);
  }

  /** A message, sent or moved, comes into the queue: it is numbered, and its retention begins anew. */
  admit(message: Message, nowMs: number): void {
    message.sequenceNumber = this.sequenceNumbers.next();
    message.keptFromMs = nowMs;
  }
}

/**
 * A redrive policy replaces the deduplication id by the message id.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function renameForDeadLetterQueue(message: Message): void {
  message.sent = { ...message.sent, deduplicationId: message.id };
}
