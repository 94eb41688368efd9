import type { Message } from './message';
import type { MessageStore } from './message-store';
import type { Gauge } from './metrics';

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
