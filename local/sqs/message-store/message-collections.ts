import type { Message } from '../message/message';

type Link =
  | 'earlier'
  | 'later'
  | 'earlierInGroup'
  | 'laterInGroup'
  | 'earlierInPlace'
  | 'laterInPlace'
  | 'earlierToExpire'
  | 'laterToExpire';

/**
 * A linked list of messages in the order of arrival. The links are in the messages, so removing any message takes
 * constant time.
 */
export class MessageList {
  private head: Message | undefined;
  private tail: Message | undefined;

  /** @param earlier the property of a message that links to its predecessor in this list */
  constructor(
    private readonly earlier: Link,
    private readonly later: Link,
  ) {}

  get first(): Message | undefined {
    return this.head;
  }

  get last(): Message | undefined {
    return this.tail;
  }

  append(message: Message): void {
    const { tail } = this;
    message[this.earlier] = tail;
    if (tail) tail[this.later] = message;
    else this.head = message;
    this.tail = message;
  }

  /** @param message must be in the list */
  remove(message: Message): void {
    const before = message[this.earlier];
    const after = message[this.later];
    if (before) before[this.later] = after;
    else this.head = after;
    if (after) after[this.earlier] = before;
    else this.tail = before;
    message[this.earlier] = undefined;
    message[this.later] = undefined;
  }
}

type Slot = 'placeSlot' | 'headSlot' | 'expirySlot';

/** Whether `a` is received before `b`. */
export const firstTurn = (a: Message, b: Message): boolean => a.turn < b.turn;

/**
 * A binary heap of messages. Each message stores its position, so any message can be removed in O(log n) without
 * tombstones, and the heap uses no memory for removed messages.
 */
export class MessageHeap {
  private readonly items: Message[] = [];

  /** @param slot the property of a message that stores its position in this heap */
  constructor(
    private readonly slot: Slot,
    private readonly isBefore: (a: Message, b: Message) => boolean,
  ) {}

  get size(): number {
    return this.items.length;
  }

  peek(): Message | undefined {
    return this.items[0];
  }

  push(message: Message): void {
    this.items.push(message);
    this.rise(message, this.items.length - 1);
  }

  remove(message: Message): void {
    const slot = message[this.slot];
    const last = this.items.pop();
    message[this.slot] = -1;
    if (!last || last === message) return;
    this.rise(last, slot);
    this.sink(last, last[this.slot]);
  }

  private rise(message: Message, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      const above = this.items[parent];
      if (!above || !this.isBefore(message, above)) break;
      this.put(above, slot);
      slot = parent;
    }
    this.put(message, slot);
  }

  private sink(message: Message, from: number): void {
    let slot = from;
    for (let child = this.firstChild(slot); child !== undefined; child = this.firstChild(slot)) {
      if (!this.isBefore(child, message)) break;
      const below = child[this.slot];
      this.put(child, slot);
      slot = below;
    }
    this.put(message, slot);
  }

  /** Returns the smaller child of `slot`. */
  private firstChild(slot: number): Message | undefined {
    const left = this.items[2 * slot + 1];
    const right = this.items[2 * slot + 2];
    return left && right && this.isBefore(right, left) ? right : left;
  }

  private put(message: Message, slot: number): void {
    this.items[slot] = message;
    message[this.slot] = slot;
  }
}

/** The properties of a message that store its position among sorted messages. */
const POSITIONS = {
  place: { slot: 'placeSlot', earlier: 'earlierInPlace', later: 'laterInPlace' },
  expiry: { slot: 'expirySlot', earlier: 'earlierToExpire', later: 'laterToExpire' },
} as const satisfies Record<string, { slot: Slot; earlier: keyof Message; later: keyof Message }>;

/**
 * Sorted messages that mostly arrive in order. A message that belongs at the end is appended to a list in constant
 * time. Only a message that arrives out of order goes to a heap.
 */
export class SortedMessages {
  private readonly row: MessageList;
  private readonly late: MessageHeap;
  private readonly slot: Slot;
  private inRow = 0;

  constructor(
    positions: keyof typeof POSITIONS,
    private readonly isBefore: (a: Message, b: Message) => boolean,
  ) {
    const { slot, earlier, later } = POSITIONS[positions];
    this.slot = slot;
    this.row = new MessageList(earlier, later);
    this.late = new MessageHeap(slot, isBefore);
  }

  get size(): number {
    return this.inRow + this.late.size;
  }

  peek(): Message | undefined {
    const { first } = this.row;
    const late = this.late.peek();
    if (!late) return first;
    return first && this.isBefore(first, late) ? first : late;
  }

  push(message: Message): void {
    const { last } = this.row;
    if (last && this.isBefore(message, last)) {
      this.late.push(message);
      return;
    }
    this.row.append(message);
    this.inRow += 1;
  }

  remove(message: Message): void {
    if (message[this.slot] !== -1) {
      this.late.remove(message);
      return;
    }
    this.row.remove(message);
    this.inRow -= 1;
  }
}
