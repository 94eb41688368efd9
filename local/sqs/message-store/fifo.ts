import { MINUTE_MS } from '../../../policy/time-units';
import { FiveMinuteMemory } from '../../kernel/messaging';
import type { Accepted, Message, SentMessage } from '../message/message';
import type { Gauge } from '../queue/metrics';
import type { DeduplicationScope, FifoSettings } from '../queue/queue-attributes';
import { firstTurn, MessageHeap, MessageList } from './message-collections';
import type { DeliveryOrder } from './message-store';

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
 * **Assumption SQS-12:** They also grow across groups.
 */
class SequenceNumbers {
  private count = 0;

  next(): string {
    this.count += 1;
    return FIRST_DIGITS + String(this.count * GAP).padStart(20 - FIRST_DIGITS.length, '0');
  }
}

/** AWS allows 60 seconds for an attribute change to take effect everywhere. */
const PROPAGATION_MS = MINUTE_MS;

/**
 * The messages that a FIFO queue has accepted in the last five minutes, including received and deleted ones.
 * **Assumption SQS-13:** A duplicate does not restart the five minutes.
 * **Assumption SQS-14:** A changed scope applies to messages sent 60 seconds after the change or later. Recordings show
 * the old scope still at work seconds after the change, and AWS allows 60 seconds for it.
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

interface Group {
  readonly messages: MessageList;
  inFlight: number;
}

/**
 * The order of a FIFO queue. A message can be received when it is visible and every earlier message of its group is
 * visible too, or was received in the same call. So a group is blocked while its first message is hidden. One receive
 * takes as many messages as it can from one group before it takes from the next.
 * **Assumption SQS-15:** SQS serves groups in the order in which their first message last became visible. Every order
 * that was recorded on AWS agrees with this.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
export class FifoOrder implements DeliveryOrder {
  private readonly groups = new Map<string, Group>();
  /** The first message of each group that can be received. */
  private readonly available = new MessageHeap('placeSlot', firstTurn);
  private groupsWithInFlight = 0;

  constructor(private readonly window = new ScanWindow()) {}

  next(after: Message | undefined): Message | undefined {
    const following = after?.laterInGroup;
    return following?.place === 'visible' ? following : this.available.peek();
  }

  arrived(message: Message): void {
    this.window.arrived(message);
    this.groupOf(message).messages.append(message);
  }

  entered(message: Message): void {
    if (message.place === 'visible') this.offer(message);
    else if (message.place === 'in-flight') this.countInFlight(message, 1);
  }

  leaving(message: Message): void {
    if (message.place === 'in-flight') this.countInFlight(message, -1);
    else if (message.place === 'visible' && message.placeSlot !== -1) this.available.remove(message);
  }

  left(message: Message): boolean {
    const cameIntoView = this.window.left(message);
    const { messages } = this.groupOf(message);
    const wasFirst = messages.first === message;
    messages.remove(message);
    if (!messages.first) this.groups.delete(nameOf(message));
    const unlocked = wasFirst && messages.first !== undefined && this.offer(messages.first);
    return (cameIntoView !== undefined && this.offer(cameIntoView)) || unlocked;
  }

  goesToTheBack(): boolean {
    return true;
  }

  /** An undeleted message blocks its group, so its age keeps counting. */
  isPoison(): boolean {
    return false;
  }

  gauges(): readonly Gauge[] {
    return [{ name: 'ApproximateNumberOfGroupsWithInflightMessages', value: this.groupsWithInFlight }];
  }

  /** Makes a group available if `message` is its first message and can be received. */
  private offer(message: Message): boolean {
    if (message.place !== 'visible' || message.placeSlot !== -1 || !this.window.covers(message)) return false;
    if (this.groupOf(message).messages.first !== message) return false;
    this.available.push(message);
    return true;
  }

  private countInFlight(message: Message, change: 1 | -1): void {
    const group = this.groupOf(message);
    const before = group.inFlight;
    group.inFlight += change;
    if (before === 0) this.groupsWithInFlight += 1;
    if (group.inFlight === 0) this.groupsWithInFlight -= 1;
  }

  private groupOf(message: Message): Group {
    const name = nameOf(message);
    const known = this.groups.get(name);
    if (known) return known;
    const group = { messages: new MessageList('earlierInGroup', 'laterInGroup'), inFlight: 0 };
    this.groups.set(name, group);
    return group;
  }
}

const nameOf = ({ sent }: Message): string => sent.groupId ?? '';

/** A FIFO queue searches this many of its oldest messages for message groups. */
const SCANNED_MESSAGES = 120_000;

/**
 * The oldest 120,000 messages of a FIFO queue. A message behind them cannot be received even if its group is not
 * blocked: a backlog in one group holds up every later group.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html
 */
export class ScanWindow {
  private last: Message | undefined;
  private size = 0;

  constructor(private readonly capacity = SCANNED_MESSAGES) {}

  covers(message: Message): boolean {
    return this.last !== undefined && message.arrival <= this.last.arrival;
  }

  /** Adds a message at the end of the queue. */
  arrived(message: Message): void {
    if (this.size >= this.capacity) return;
    this.size += 1;
    this.last = message;
  }

  /** Removes a message. Returns the message that enters the window instead, if there is one. */
  left(message: Message): Message | undefined {
    if (!this.last || !this.covers(message)) return undefined;
    const next = this.last.later;
    if (next) {
      this.last = next;
      return next;
    }
    this.size -= 1;
    if (message === this.last) this.last = message.earlier;
    return undefined;
  }
}
