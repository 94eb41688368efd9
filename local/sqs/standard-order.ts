import type { DeliveryOrder } from './delivery-order';
import type { Message } from './message';
import { firstTurn, MessageHeap } from './message-heap';

/** From this many receives in one queue on, a message goes to the back and its age no longer counts. */
const POISON_RECEIVES = 3;

/**
 * A standard queue promises no order. Our choice: the oldest visible message first, and a message received three times
 * without being deleted goes to the back, as AWS describes for poison messages.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export class StandardOrder implements DeliveryOrder {
  private readonly visible = new MessageHeap('placeSlot', firstTurn);

  next(): Message | undefined {
    return this.visible.peek();
  }

  arrived(): void {}

  entered(message: Message): void {
    if (message.place === 'visible') this.visible.push(message);
  }

  leaving(message: Message): void {
    if (message.place === 'visible') this.visible.remove(message);
  }

  left(): boolean {
    return false;
  }

  goesToTheBack(message: Message): boolean {
    return this.isPoison(message);
  }

  isPoison(message: Message): boolean {
    return message.receivesHere >= POISON_RECEIVES;
  }
}
