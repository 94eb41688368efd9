import type { Message } from '../message/message';
import type { Gauge } from '../queue/metrics';
import { firstTurn, MessageHeap, MessageList } from './message-collections';
import type { DeliveryOrder } from './message-store';

/** The messages of one group, in the order of arrival. */
interface Group {
  readonly messages: MessageList;
  inFlight: number;
}

/**
 * The order of a FIFO queue. A message can be received when it is visible and every earlier message of its group is
 * visible too, or was received in the same call. So a group is blocked while its first message is hidden. One receive
 * takes as many messages as it can from one group before it takes from the next.
 * **Assumption:** AWS does not publish this. Groups are served in the order in which their first message last became
 * visible. This explains every recorded order.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-understanding-logic.html
 */
export class FifoOrder implements DeliveryOrder {
  private readonly groups = new Map<string, Group>();
  /** The first message of each group that can be received. */
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
