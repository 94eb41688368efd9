import { MAX_IN_FLIGHT } from './limits';
import type { Message } from './message';
import { MessageList, SortedMessages } from './message-collections';
import type { Gauge } from './metrics';

const soonestVisible = (a: Message, b: Message): boolean =>
  a.visibleAtMs === b.visibleAtMs ? a.turn < b.turn : a.visibleAtMs < b.visibleAtMs;
const firstKept = (a: Message, b: Message): boolean =>
  a.keptFromMs === b.keptFromMs ? a.arrival < b.arrival : a.keptFromMs < b.keptFromMs;

/**
 * The messages of one queue, by where they are: visible, delayed, or in flight. Each step is O(log n), and the order
 * in which messages come out depends on nothing but the steps.
 */
export class MessageStore {
  private readonly byId = new Map<string, Message>();
  private readonly delayed = new SortedMessages('place', soonestVisible);
  private readonly inFlight = new SortedMessages('place', soonestVisible);
  private readonly expiring = new SortedMessages('expiry', firstKept);
  /** In the order of arrival, without the poison messages. */
  private readonly ageing = new MessageList('earlier', 'later');
  private visible = 0;
  private arrivals = 0;
  private turns = 0;

  /**
   * @param whenReceivable called by every step after which a message may be received that could not be before; now and
   * then by one that changes nothing
   * @param maxInFlight while so many messages are in flight, none may be received
   */
  constructor(
    private readonly order: DeliveryOrder,
    private readonly whenReceivable: () => void,
    private readonly maxInFlight = MAX_IN_FLIGHT,
  ) {}

  get size(): number {
    return this.byId.size;
  }

  /** Messages that are neither delayed nor in flight, whether or not their group may be received. */
  get visibleCount(): number {
    return this.visible;
  }

  get delayedCount(): number {
    return this.delayed.size;
  }

  get inFlightCount(): number {
    return this.inFlight.size;
  }

  /** How many messages more may be in flight. */
  get remainingInFlight(): number {
    return Math.max(0, this.maxInFlight - this.inFlight.size);
  }

  /** Whether a message may be received now. */
  get isReceivable(): boolean {
    return this.inFlight.size < this.maxInFlight && this.order.next(undefined) !== undefined;
  }

  find(messageId: string): Message | undefined {
    return this.byId.get(messageId);
  }

  /**
   * The visible message whose turn it is, if any may be received.
   *
   * @param after the message that was received just before, in the same call
   */
  nextVisible(after?: Message): Message | undefined {
    return this.order.next(after);
  }

  /** The message whose retention ends first. */
  firstToExpire(): Message | undefined {
    return this.expiring.peek();
  }

  /** When the next hidden message becomes visible. */
  nextReturnMs(): number | undefined {
    const delayedMs = this.delayed.peek()?.visibleAtMs;
    const inFlightMs = this.inFlight.peek()?.visibleAtMs;
    if (delayedMs === undefined || inFlightMs === undefined) return delayedMs ?? inFlightMs;
    return Math.min(delayedMs, inFlightMs);
  }

  /**
   * When the message came whose age `ApproximateAgeOfOldestMessage` gives.
   *
   * @param counts whether a message counts. @default all do
   */
  oldestArrivalMs(counts: (message: Message) => boolean = () => true): number | undefined {
    let oldest = this.ageing.first;
    while (oldest && !counts(oldest)) oldest = oldest.later;
    return oldest?.arrivedAtMs;
  }

  /** What only a queue of this order reports each minute. */
  gauges(nowMs: number): readonly Gauge[] {
    return this.order.gauges(this, nowMs);
  }

  /** Takes a new message in, visible from `visibleAtMs` on. */
  add(message: Message, nowMs: number, visibleAtMs: number): void {
    this.arrivals += 1;
    this.turns += 1;
    message.arrival = this.arrivals;
    message.turn = this.turns;
    message.visibleAtMs = visibleAtMs;
    this.byId.set(message.id, message);
    this.ageing.append(message);
    this.expiring.push(message);
    this.order.arrived(message);
    this.enter(message, visibleAtMs > nowMs ? 'delayed' : 'visible');
  }

  /** Notes a receive and hides the message until `visibleAtMs`. */
  receive(message: Message, nowMs: number, visibleAtMs: number): void {
    this.leave(message);
    const wasPoison = this.order.isPoison(message);
    message.receiveCount += 1;
    message.receivesHere += 1;
    message.firstReceivedAtMs ??= nowMs;
    message.receivedAtMs = nowMs;
    message.visibleAtMs = visibleAtMs;
    if (!wasPoison && this.order.isPoison(message)) this.ageing.remove(message);
    this.enter(message, 'in-flight');
  }

  /** Hides the message until `visibleAtMs`, or lets it be seen when that is past. */
  hideUntil(message: Message, nowMs: number, visibleAtMs: number): void {
    this.leave(message);
    message.visibleAtMs = visibleAtMs;
    if (visibleAtMs > nowMs) this.enter(message, 'in-flight');
    else this.reappear(message);
  }

  /** Takes the message out of the queue. */
  remove(message: Message): void {
    const wasFull = this.remainingInFlight === 0;
    const unlocked = this.take(message);
    if (wasFull || unlocked) this.notifyIfReceivable();
  }

  /** Takes every message out of the queue, and answers how many that were. */
  removeAll(): number {
    const messages = this.size;
    for (let next = this.firstToExpire(); next; next = this.firstToExpire()) this.take(next);
    return messages;
  }

  /** Makes visible whatever is due. */
  returnDue(nowMs: number): void {
    this.returnDueOf(this.delayed, nowMs);
    this.returnDueOf(this.inFlight, nowMs);
  }

  /** Each message that nobody has received is visible `delayMs` after it came, whatever its delay was. */
  changeDelay(nowMs: number, delayMs: number): void {
    for (let message = this.ageing.first; message; message = message.later) {
      if (message.receivesHere > 0) continue;
      const visibleAtMs = message.arrivedAtMs + delayMs;
      const place = visibleAtMs > nowMs ? 'delayed' : 'visible';
      if (place === 'visible' && message.place === 'visible') continue;
      this.leave(message);
      message.visibleAtMs = visibleAtMs;
      this.enter(message, place);
    }
  }

  private returnDueOf(hidden: SortedMessages, nowMs: number): void {
    for (let next = hidden.peek(); next && next.visibleAtMs <= nowMs; next = hidden.peek()) {
      this.leave(next);
      this.reappear(next);
    }
  }

  private reappear(message: Message): void {
    if (this.order.goesToTheBack(message)) {
      this.turns += 1;
      message.turn = this.turns;
    }
    this.enter(message, 'visible');
  }

  private enter(message: Message, place: Message['place']): void {
    message.place = place;
    if (place === 'visible') this.visible += 1;
    else this.hiddenIn(place).push(message);
    this.order.entered(message);
    if (place === 'visible') this.notifyIfReceivable();
  }

  /** Answers whether another message, of the same group, may be received now that could not be before. */
  private take(message: Message): boolean {
    this.leave(message);
    const unlocked = this.order.left(message);
    if (!this.order.isPoison(message)) this.ageing.remove(message);
    this.expiring.remove(message);
    this.byId.delete(message.id);
    return unlocked;
  }

  private notifyIfReceivable(): void {
    if (this.isReceivable) this.whenReceivable();
  }

  private leave(message: Message): void {
    this.order.leaving(message);
    if (message.place === 'visible') this.visible -= 1;
    else this.hiddenIn(message.place).remove(message);
  }

  private hiddenIn(place: 'delayed' | 'in-flight'): SortedMessages {
    return place === 'delayed' ? this.delayed : this.inFlight;
  }
}

/**
 * In which order a queue hands out its visible messages: what standard and FIFO queues differ in. The store tells the
 * order where each message is and where it goes.
 */
export interface DeliveryOrder {
  /**
   * The message whose turn it is; undefined when none may be handed out, visible or not.
   *
   * @param after the message that was handed out just before, in the same receive
   */
  next(after: Message | undefined): Message | undefined;
  /** A message is new in the queue; its place is told next. */
  arrived(message: Message): void;
  /** A message has come to its `place`. */
  entered(message: Message): void;
  /** A message is about to leave its `place`. */
  leaving(message: Message): void;
  /**
   * A message, which is in no place any more, is about to leave the queue.
   *
   * @returns whether a message may be handed out now that could not be before
   */
  left(message: Message): boolean;
  /** Whether a message that becomes visible again goes behind all that are visible. */
  goesToTheBack(message: Message): boolean;
  /** Whether the age of a message no longer counts as that of the oldest. */
  isPoison(message: Message): boolean;
  /** What only a queue of this order reports each minute. */
  gauges(store: MessageStore, nowMs: number): readonly Gauge[];
}
