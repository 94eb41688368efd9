import type { Message } from './message';

export type Slot = 'placeSlot' | 'headSlot' | 'expirySlot';

/** The order of turns, in which visible messages are received. */
export const firstTurn = (a: Message, b: Message): boolean => a.turn < b.turn;

/**
 * A binary heap that any message can leave, because each message knows its position: O(log n) for everything, and no
 * tombstones, so a queue's memory is that of the messages in it.
 */
export class MessageHeap {
  private readonly items: Message[] = [];

  /** @param slot where a message keeps its position in this heap */
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

  /** The one of the two below `slot` that comes first. */
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
