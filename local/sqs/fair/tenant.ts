import type { Message } from '../message';
import { firstTurn, MessageHeap } from '../message-heap';

/** The messages of one message group on a standard queue. */
export class Tenant {
  readonly visible = new MessageHeap('placeSlot', firstTurn);
  delayed = 0;
  inFlight = 0;
  /** When it last sent a message. */
  lastSentMs = Number.NEGATIVE_INFINITY;
  /** Which of its messages takes its turn among those of the quiet tenants. */
  offered: Message | undefined;

  get size(): number {
    return this.visible.size + this.delayed + this.inFlight;
  }
}
