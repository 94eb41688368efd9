import type { Clock } from '../kernel/clock';
import type { DeliveryOrder } from './delivery-order';
import { Tenants } from './fair/tenants';
import type { Message } from './message';
import { firstTurn } from './message-heap';
import type { MessageStore } from './message-store';
import type { Gauge } from './metrics';
import { SortedMessages } from './sorted-messages';

/** From this many receives in one queue on, a message goes to the back and its age no longer counts. */
const POISON_RECEIVES = 3;

/**
 * A standard queue promises no order. Our choice: the oldest visible message first, but the noisy tenants of a fair queue
 * after all others, and a message received three times without being deleted goes to the back, as AWS describes for
 * poison messages.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export class StandardOrder implements DeliveryOrder {
  /** The visible messages without a group: each counts as a quiet tenant of its own. */
  private readonly ungrouped = new SortedMessages('place', firstTurn);
  private readonly tenants: Tenants;
  private inFlight = 0;
  private isFair = false;

  constructor(clock: Clock) {
    this.tenants = new Tenants(clock);
  }

  next(): Message | undefined {
    const own = this.ungrouped.peek();
    if (!this.isFair) return own;
    const grouped = this.tenants.nextQuiet();
    if (own && grouped) return firstTurn(own, grouped) ? own : grouped;
    return own ?? grouped ?? this.tenants.nextNoisy();
  }

  arrived(message: Message): void {
    const { groupId } = message.sent;
    if (groupId === undefined) return;
    this.isFair = true;
    this.tenants.arrived(message, groupId);
  }

  entered(message: Message): void {
    const { groupId } = message.sent;
    if (message.place === 'in-flight') this.inFlight += 1;
    if (groupId !== undefined) this.tenants.entered(message, groupId, this.inFlight);
    else if (message.place === 'visible') this.ungrouped.push(message);
  }

  leaving(message: Message): void {
    const { groupId } = message.sent;
    if (message.place === 'in-flight') this.inFlight -= 1;
    if (groupId !== undefined) this.tenants.leaving(message, groupId);
    else if (message.place === 'visible') this.ungrouped.remove(message);
  }

  left(message: Message): boolean {
    const { groupId } = message.sent;
    if (groupId !== undefined) this.tenants.left(groupId);
    return false;
  }

  goesToTheBack(message: Message): boolean {
    return this.isPoison(message);
  }

  isPoison(message: Message): boolean {
    return message.receivesHere >= POISON_RECEIVES;
  }

  gauges(store: MessageStore, nowMs: number): readonly Gauge[] {
    if (!this.isFair) return [];
    const loud = { visible: 0, inFlight: 0, delayed: 0 };
    for (const { visible, inFlight, delayed } of this.tenants.noisy) {
      loud.visible += visible.size;
      loud.inFlight += inFlight;
      loud.delayed += delayed;
    }
    const oldestMs = store.oldestArrivalMs(({ sent }) => !this.tenants.isNoisy(sent.groupId)) ?? nowMs;
    return [
      { name: 'ApproximateNumberOfNoisyGroups', value: this.tenants.noisy.size },
      { name: 'ApproximateNumberOfMessagesVisibleInQuietGroups', value: store.visibleCount - loud.visible },
      { name: 'ApproximateNumberOfMessagesNotVisibleInQuietGroups', value: store.inFlightCount - loud.inFlight },
      { name: 'ApproximateNumberOfMessagesDelayedInQuietGroups', value: store.delayedCount - loud.delayed },
      {
        name: 'ApproximateAgeOfOldestMessageInQuietGroups',
        value: Math.floor((nowMs - oldestMs) / 1000),
        unit: 'Seconds',
      },
    ];
  }
}
