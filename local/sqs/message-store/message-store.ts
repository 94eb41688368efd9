import { MAX_IN_FLIGHT } from '../limits';
import type { Message } from '../message/message';
import type { Gauge } from '../queue/metrics';
import { MessageList, SortedMessages } from './message-collections';

const soonestVisible = (a: Message, b: Message): boolean =>
  a.visibleAtMs === b.visibleAtMs ? a.turn < b.turn : a.visibleAtMs < b.visibleAtMs;
const firstKept = (a: Message, b: Message): boolean =>
  a.keptFromMs === b.keptFromMs ? a.arrival < b.arrival : a.keptFromMs < b.keptFromMs;

/** The messages of one queue by state: visible, delayed or in flight. Every operation is O(log n) and deterministic. */
export class MessageStore {
  private readonly byId = new Map<string, Message>();
  private readonly delayed = new SortedMessages('place', soonestVisible);
  private readonly inFlight = new SortedMessages('place', soonestVisible);
  private readonly expiring = new SortedMessages('expiry', firstKept);
  /** In the order of arrival, without poison messages. */
  private readonly ageing = new MessageList('earlier', 'later');
  private visible = 0;
  private arrivals = 0;
  private turns = 0;

  /**
   * @param whenReceivable called after every operation that makes a message receivable; sometimes also when nothing has
   * changed
   * @param maxInFlight no message can be received while this many are in flight
   */
  constructor(
    private readonly order: DeliveryOrder,
    private readonly whenReceivable: () => void,
    private readonly maxInFlight = MAX_IN_FLIGHT,
  ) {}

  get size(): number {
    return this.byId.size;
  }

  /** Messages that are neither delayed nor in flight, even if their group is blocked. */
  get visibleCount(): number {
    return this.visible;
  }

  get delayedCount(): number {
    return this.delayed.size;
  }

  get inFlightCount(): number {
    return this.inFlight.size;
  }

  get remainingInFlight(): number {
    return Math.max(0, this.maxInFlight - this.inFlight.size);
  }

  get isReceivable(): boolean {
    return this.inFlight.size < this.maxInFlight && this.order.next(undefined) !== undefined;
  }

  find(messageId: string): Message | undefined {
    return this.byId.get(messageId);
  }

  /**
   * Returns the visible message that is received next, if any can be received.
   * @param after the message received just before in the same call
   */
  nextVisible(after?: Message): Message | undefined {
    return this.order.next(after);
  }

  /** The message whose retention ends first. */
  firstToExpire(): Message | undefined {
    return this.expiring.peek();
  }

  /** Returns when the next hidden message becomes visible. */
  nextReturnMs(): number | undefined {
    const delayedMs = this.delayed.peek()?.visibleAtMs;
    const inFlightMs = this.inFlight.peek()?.visibleAtMs;
    if (delayedMs === undefined || inFlightMs === undefined) return delayedMs ?? inFlightMs;
    return Math.min(delayedMs, inFlightMs);
  }

  /**
   * Returns when the message arrived whose age `ApproximateAgeOfOldestMessage` reports.
   * @param counts whether a message counts. @default all do
   */
  oldestArrivalMs(counts: (message: Message) => boolean = () => true): number | undefined {
    let oldest = this.ageing.first;
    while (oldest && !counts(oldest)) oldest = oldest.later;
    return oldest?.arrivedAtMs;
  }

  /** The additional metrics of the queue type, once a minute. */
  gauges(nowMs: number): readonly Gauge[] {
    return this.order.gauges(this, nowMs);
  }

  /** Adds a new message, visible from `visibleAtMs` on. */
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

  /** Counts a receive, and hides the message until `visibleAtMs`. */
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

  /** Hides the message until `visibleAtMs`, or makes it visible if that is past. */
  hideUntil(message: Message, nowMs: number, visibleAtMs: number): void {
    this.leave(message);
    message.visibleAtMs = visibleAtMs;
    if (visibleAtMs > nowMs) this.enter(message, 'in-flight');
    else this.reappear(message);
  }

  remove(message: Message): void {
    const wasFull = this.remainingInFlight === 0;
    const unlocked = this.take(message);
    if (wasFull || unlocked) this.notifyIfReceivable();
  }

  removeAll(): number {
    const messages = this.size;
    for (let next = this.firstToExpire(); next; next = this.firstToExpire()) this.take(next);
    return messages;
  }

  returnDue(nowMs: number): void {
    this.returnDueOf(this.delayed, nowMs);
    this.returnDueOf(this.inFlight, nowMs);
  }

  /**
   * Applies a new delay to every message that was never received: visible `delayMs` after its arrival, whatever its
   * delay was.
   */
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

  /** Returns whether another message of the same group can now be received. */
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
 * The order in which a queue hands out its visible messages. Standard and FIFO queues differ in it. The store reports
 * each message's state and its changes.
 */
export interface DeliveryOrder {
  /**
   * Returns the message to hand out next, or undefined when none may be handed out.
   * @param after the message handed out just before in the same receive
   */
  next(after: Message | undefined): Message | undefined;
  /** A new message is in the queue. `entered` follows with its state. */
  arrived(message: Message): void;
  /** A message has entered its `place`. */
  entered(message: Message): void;
  /** A message is about to leave its `place`. */
  leaving(message: Message): void;
  /**
   * A message has left its `place` and is about to leave the queue.
   * @returns whether another message can now be handed out
   */
  left(message: Message): boolean;
  /** Whether a message that becomes visible again goes behind all visible messages. */
  goesToTheBack(message: Message): boolean;
  /** Whether the message no longer counts for the age of the oldest message. */
  isPoison(message: Message): boolean;
  /** The additional metrics of the queue type, once a minute. */
  gauges(store: MessageStore, nowMs: number): readonly Gauge[];
}
