import type { Message } from './message';
import { MessageHeap, type Slot } from './message-heap';
import { MessageList } from './message-list';

/** Where a message keeps its position among sorted messages. */
const POSITIONS = {
  place: { slot: 'placeSlot', earlier: 'earlierInPlace', later: 'laterInPlace' },
  expiry: { slot: 'expirySlot', earlier: 'earlierToExpire', later: 'laterToExpire' },
} as const satisfies Record<string, { slot: Slot; earlier: keyof Message; later: keyof Message }>;

/**
 * Messages sorted by an order in which they nearly always come: whoever belongs behind all others goes to the end of a
 * row, which takes no time, and only who comes too late for that to a heap.
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
