import type { Message } from './message';
import { MessageHeap } from './message-heap';

/** From this many receives in one queue on, a message goes to the back and its age no longer counts. */
const POISON_RECEIVES = 3;

const firstTurn = (a: Message, b: Message): boolean => a.turn < b.turn;
const soonestVisible = (a: Message, b: Message): boolean =>
  a.visibleAtMs === b.visibleAtMs ? a.turn < b.turn : a.visibleAtMs < b.visibleAtMs;
const firstSent = (a: Message, b: Message): boolean =>
  a.sentAtMs === b.sentAtMs ? a.turn < b.turn : a.sentAtMs < b.sentAtMs;

/**
 * The messages of one queue, by where they are: visible, delayed, or in flight. Each step is O(log n), and the order
 * in which messages come out depends on nothing but the steps.
 *
 * A standard queue promises no order. Our choice: the oldest visible message first, and a message received three times
 * without being deleted goes to the back, as AWS describes for poison messages.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export class MessageStore {
  private readonly byId = new Map<string, Message>();
  private readonly visible = new MessageHeap('placeSlot', firstTurn);
  private readonly delayed = new MessageHeap('placeSlot', soonestVisible);
  private readonly inFlight = new MessageHeap('placeSlot', soonestVisible);
  private readonly bySentAt = new MessageHeap('expirySlot', firstSent);
  /** In the order of arrival, without the poison messages. */
  private readonly ageing = new Set<Message>();
  private turns = 0;

  get size(): number {
    return this.byId.size;
  }

  get visibleCount(): number {
    return this.visible.size;
  }

  get delayedCount(): number {
    return this.delayed.size;
  }

  get inFlightCount(): number {
    return this.inFlight.size;
  }

  find(messageId: string): Message | undefined {
    return this.byId.get(messageId);
  }

  /** The visible message whose turn it is. */
  nextVisible(): Message | undefined {
    return this.visible.peek();
  }

  /** The message whose retention ends first. */
  firstSent(): Message | undefined {
    return this.bySentAt.peek();
  }

  /** When the next hidden message becomes visible. */
  nextReturnMs(): number | undefined {
    const delayed = this.delayed.peek()?.visibleAtMs ?? Number.POSITIVE_INFINITY;
    const inFlight = this.inFlight.peek()?.visibleAtMs ?? Number.POSITIVE_INFINITY;
    const soonest = Math.min(delayed, inFlight);
    return soonest === Number.POSITIVE_INFINITY ? undefined : soonest;
  }

  /** When the message came whose age `ApproximateAgeOfOldestMessage` gives. */
  oldestArrivalMs(): number | undefined {
    const [oldest] = this.ageing;
    return oldest?.arrivedAtMs;
  }

  /** Takes a new message in, visible from `visibleAtMs` on. */
  add(message: Message, nowMs: number, visibleAtMs: number): void {
    this.turns += 1;
    message.turn = this.turns;
    message.visibleAtMs = visibleAtMs;
    this.byId.set(message.id, message);
    this.ageing.add(message);
    this.bySentAt.push(message);
    this.enter(message, visibleAtMs > nowMs ? 'delayed' : 'visible');
  }

  /** Notes a receive and hides the message until `visibleAtMs`. */
  receive(message: Message, nowMs: number, visibleAtMs: number): void {
    this.heap(message).remove(message);
    message.receiveCount += 1;
    message.receivesHere += 1;
    message.firstReceivedAtMs ??= nowMs;
    message.receivedAtMs = nowMs;
    message.visibleAtMs = visibleAtMs;
    if (message.receivesHere >= POISON_RECEIVES) this.ageing.delete(message);
    this.enter(message, 'in-flight');
  }

  /** Hides the message until `visibleAtMs`, or lets it be seen when that is past. */
  hideUntil(message: Message, nowMs: number, visibleAtMs: number): void {
    this.heap(message).remove(message);
    message.visibleAtMs = visibleAtMs;
    if (visibleAtMs > nowMs) this.enter(message, 'in-flight');
    else this.reappear(message);
  }

  remove(message: Message): void {
    this.heap(message).remove(message);
    this.bySentAt.remove(message);
    this.byId.delete(message.id);
    this.ageing.delete(message);
  }

  /** Makes visible whatever is due, and answers how many messages that were. */
  returnDue(nowMs: number): number {
    let returned = 0;
    for (const hidden of [this.delayed, this.inFlight]) {
      for (let next = hidden.peek(); next && next.visibleAtMs <= nowMs; next = hidden.peek()) {
        hidden.remove(next);
        this.reappear(next);
        returned += 1;
      }
    }
    return returned;
  }

  private reappear(message: Message): void {
    if (message.receivesHere >= POISON_RECEIVES) {
      this.turns += 1;
      message.turn = this.turns;
    }
    this.enter(message, 'visible');
  }

  private enter(message: Message, place: Message['place']): void {
    message.place = place;
    this.heap(message).push(message);
  }

  private heap(message: Message): MessageHeap {
    if (message.place === 'visible') return this.visible;
    return message.place === 'delayed' ? this.delayed : this.inFlight;
  }
}
