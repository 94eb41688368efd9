import { FiveMinuteMemory } from '../kernel/messaging';
import { Deduplication } from './deduplication';
import { FifoOrder } from './fifo-order';
import type { Message } from './message';
import type { FifoSettings } from './queue-attributes';

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

/** A message as a receive left it. */
interface ReceivedByAttempt {
  readonly message: Message;
  readonly receiveCount: number;
  readonly visibleAtMs: number;
}

/**
 * Receives by their `ReceiveRequestAttemptId`: a caller who never saw the answer asks again, and is handed the same
 * messages with the same handles, hidden anew. It holds for five minutes, while none of the messages has been deleted or
 * had its visibility changed, or become visible; otherwise, and where AWS says nothing, a repeated receive is a new one.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
export class ReceiveAttempts {
  private readonly received = new FiveMinuteMemory<readonly ReceivedByAttempt[]>();

  /** @param messages what the attempt was handed; one that came to nothing is not noted, and its next is a new receive */
  note(attemptId: string, messages: readonly Message[], nowMs: number): void {
    const handed = messages.map(message => {
      const { receiveCount, visibleAtMs } = message;
      return { message, receiveCount, visibleAtMs };
    });
    this.received.remember(attemptId, handed, nowMs);
  }

  /**
   * The messages an earlier attempt of this id was handed.
   *
   * @param isHere whether a message is still in the queue
   */
  recall(attemptId: string, nowMs: number, isHere: (message: Message) => boolean): readonly Message[] | undefined {
    const handed = this.received.recall(attemptId, nowMs);
    const isUntouched = handed?.every(
      ({ message, receiveCount, visibleAtMs }) =>
        isHere(message) &&
        message.place === 'in-flight' &&
        message.receiveCount === receiveCount &&
        message.visibleAtMs === visibleAtMs,
    );
    return isUntouched ? handed?.map(({ message }) => message) : undefined;
  }
}

/** AWS's numbers have 20 digits, grow within a message group, and leave gaps. */
const FIRST_DIGITS = '1889';
const GAP = 256;

/** The sequence numbers of one FIFO queue. Our choice: they grow across its groups too. */
export class SequenceNumbers {
  private count = 0;

  next(): string {
    this.count += 1;
    return FIRST_DIGITS + String(this.count * GAP).padStart(20 - FIRST_DIGITS.length, '0');
  }
}
