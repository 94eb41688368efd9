import { FiveMinuteMemory } from '../../kernel/messaging';
import type { Accepted, Message, SentMessage } from '../message/message';
import type { DeduplicationScope, FifoSettings } from '../queue/queue-attributes';
import { FifoOrder } from './fifo-order';

/** The parts of a queue that only a FIFO queue has. */
export class Fifo {
  readonly order = new FifoOrder();
  readonly deduplication: Deduplication;
  readonly attempts = new ReceiveAttempts();
  private readonly sequenceNumbers = new SequenceNumbers();

  constructor(settings: FifoSettings) {
    this.deduplication = new Deduplication(settings.deduplicationScope);
  }

  /** Numbers a message that enters the queue, sent or moved, and restarts its retention. */
  admit(message: Message, nowMs: number): void {
    message.sequenceNumber = this.sequenceNumbers.next();
    message.keptFromMs = nowMs;
  }
}

/**
 * A redrive policy replaces the deduplication id with the message id.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function renameForDeadLetterQueue(message: Message): void {
  message.sent = { ...message.sent, deduplicationId: message.id };
}

/** A message, in the state in which a receive left it. */
interface ReceivedByAttempt {
  readonly message: Message;
  readonly receiveCount: number;
  readonly visibleAtMs: number;
}

/**
 * Receives by `ReceiveRequestAttemptId`. A caller that missed the response can repeat the call, and receives the same
 * messages with the same receipt handles, hidden again. This works for five minutes, unless one of the messages was
 * deleted, became visible, or had its visibility timeout changed. In all other cases a repeated receive is a new one.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
 */
class ReceiveAttempts {
  private readonly received = new FiveMinuteMemory<readonly ReceivedByAttempt[]>();

  /**
   * @param messages the result of the receive. An empty result is not noted, so that the next attempt is a new receive
   */
  note(attemptId: string, messages: readonly Message[], nowMs: number): void {
    const handed = messages.map(message => {
      const { receiveCount, visibleAtMs } = message;
      return { message, receiveCount, visibleAtMs };
    });
    this.received.remember(attemptId, handed, nowMs);
  }

  /**
   * Returns the messages of an earlier attempt with this id.
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

/** Sequence numbers of AWS have 20 digits, grow within a message group, and have gaps. */
const FIRST_DIGITS = '1889';
const GAP = 256;

/**
 * The sequence numbers of one FIFO queue.
 * **Assumption:** AWS does not publish this. They also grow across groups.
 */
class SequenceNumbers {
  private count = 0;

  next(): string {
    this.count += 1;
    return FIRST_DIGITS + String(this.count * GAP).padStart(20 - FIRST_DIGITS.length, '0');
  }
}

/** AWS allows 60 seconds for an attribute change to take effect everywhere. */
const PROPAGATION_MS = 60_000;

/**
 * The messages that a FIFO queue has accepted in the last five minutes, including received and deleted ones.
 * **Assumption:** AWS does not publish this. A duplicate does not restart the five minutes.
 * **Assumption:** AWS does not publish this. A changed scope applies to messages sent 60 seconds after the change or
 * later. Recordings show the old scope still at work seconds after the change, and AWS allows 60 seconds for it.
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
class Deduplication {
  private readonly taken = new FiveMinuteMemory<Accepted>();
  private wanted: DeduplicationScope;
  private holdsFromMs = Number.NEGATIVE_INFINITY;

  constructor(private scope: DeduplicationScope) {
    this.wanted = scope;
  }

  changeScope(scope: DeduplicationScope, nowMs: number): void {
    if (scope === this.wanted) return;
    this.scope = this.scopeAt(nowMs);
    this.wanted = scope;
    this.holdsFromMs = nowMs + PROPAGATION_MS;
  }

  /** Returns the earlier message with this deduplication id, if there is one. */
  earlier(sent: SentMessage, nowMs: number): Accepted | undefined {
    return this.taken.recall(this.idOf(sent, nowMs), nowMs);
  }

  note(sent: SentMessage, { id, sequenceNumber }: Accepted, nowMs: number): void {
    this.taken.remember(this.idOf(sent, nowMs), { id, sequenceNumber }, nowMs);
  }

  /** Forgets everything, as a purge does (recorded). */
  clear(): void {
    this.taken.clear();
  }

  private idOf({ deduplicationId = '', groupId = '' }: SentMessage, nowMs: number): string {
    return this.scopeAt(nowMs) === 'queue' ? deduplicationId : `${groupId} ${deduplicationId}`;
  }

  private scopeAt(nowMs: number): DeduplicationScope {
    return nowMs >= this.holdsFromMs ? this.wanted : this.scope;
  }
}
