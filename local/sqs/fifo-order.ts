import type { Message } from './message';
import { firstTurn, MessageHeap, MessageList } from './message-collections';
import type { DeliveryOrder } from './message-store';
import type { Gauge } from './metrics';

/** The messages of one group, in the order in which they came. */
interface Group {
  readonly messages: MessageList;
  inFlight: number;
}

/**
 * The order of a FIFO queue. A message may be handed out when it is visible and so is every earlier one of its group, or
 * those have been handed out in the same receive: a group stands still while its first message is hidden. A receive
 * takes as many as it can from one group before it goes on to the next.
 *
 * Groups take turns by when their first message became visible, at first or again. That is our reading of the orders on
 * record from AWS, which publishes none; it explains all of them.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
export class FifoOrder implements DeliveryOrder {
  private readonly groups = new Map<string, Group>();
  /** The first message of each group that may be received. */
  private readonly available = new MessageHeap('placeSlot', firstTurn);
  /** Message groups with one or more messages in flight. */
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

  /** A message that is not deleted blocks its group, and so its age goes on counting. */
  isPoison(): boolean {
    return false;
  }

  gauges(): readonly Gauge[] {
    return [{ name: 'ApproximateNumberOfGroupsWithInflightMessages', value: this.groupsWithInFlight }];
  }

  /** Lets the group of `message` take its turn, if that is the first message of it and may be received. */
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

/** A FIFO queue looks for message groups among so many of its oldest messages. */
const SCANNED_MESSAGES = 120_000;

/**
 * The oldest 120,000 messages of a FIFO queue. A group whose next message stands behind them waits, however free it is:
 * a backlog in one group holds up all that came later.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html
 */
export class ScanWindow {
  private last: Message | undefined;
  private size = 0;

  constructor(private readonly capacity = SCANNED_MESSAGES) {}

  covers(message: Message): boolean {
    return this.last !== undefined && message.arrival <= this.last.arrival;
  }

  /** A message has come into the queue, behind all others. */
  arrived(message: Message): void {
    if (this.size >= this.capacity) return;
    this.size += 1;
    this.last = message;
  }

  /** A message is about to leave the queue. Answers the message that has come into view instead, if one has. */
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
