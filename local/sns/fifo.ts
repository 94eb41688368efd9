import { FiveMinuteMemory } from '../kernel/messaging';
import type { Scheduler } from '../kernel/timeline';

/** Within what a deduplication id has to be unique. */
export const FIFO_THROUGHPUT_SCOPES = ['Topic', 'MessageGroup'] as const;

export type FifoThroughputScope = (typeof FIFO_THROUGHPUT_SCOPES)[number];

/** What a FIFO topic answers to whoever publishes. */
export interface FifoReceipt {
  readonly messageId: string;
  /** Twenty digits, larger than that of every message before. */
  readonly sequenceNumber: string;
}

/**
 * What a FIFO topic remembers of its messages: their number, and for five minutes their deduplication ids.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-dedup.html
 */
export class FifoMemory {
  contentBasedDeduplication = false;
  /** @default 'Topic' */
  throughputScope: FifoThroughputScope | undefined;
  private published = 0;
  private readonly receipts = new FiveMinuteMemory<FifoReceipt>();

  /** The receipt of the message that was published with this deduplication id within the last five minutes. */
  duplicateOf(deduplicationId: string, groupId: string, nowMs: number): FifoReceipt | undefined {
    return this.receipts.recall(this.keyOf(deduplicationId, groupId), nowMs);
  }

  /** Takes a message in. That numbers count up by one, over all groups, is our choice: AWS says that they grow. */
  take(messageId: string, deduplicationId: string, groupId: string, nowMs: number): FifoReceipt {
    this.published += 1;
    const receipt = { messageId, sequenceNumber: `1${String(this.published).padStart(19, '0')}` };
    this.receipts.remember(this.keyOf(deduplicationId, groupId), receipt, nowMs);
    return receipt;
  }

  private keyOf(deduplicationId: string, groupId: string): string {
    return this.throughputScope === 'MessageGroup' ? `${groupId}\n${deduplicationId}` : deduplicationId;
  }
}

/** Sets something out, and is to call `over` once nothing more becomes of it. */
type StartDelivery = (over: () => void) => void;

/**
 * The groupSequencer to one FIFO queue, one for each message group: AWS delivers groups side by side, and within each one message
 * after the other, in strict order. It does not say what becomes of those behind one that is being retried. Our choice:
 * they wait until it has been delivered, dead-lettered or lost.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
 */
export class GroupSequencer {
  /** Who waits behind the message that is under way; a group without a message under way has no lane. */
  private readonly waiting = new Map<string, StartDelivery[]>();

  constructor(private readonly timeline: Scheduler) {}

  /** Has `depart` called as soon as everything that entered before in the group is over. */
  run(groupId: string, depart: StartDelivery): void {
    const lane = this.waiting.get(groupId);
    if (lane) {
      lane.push(depart);
      return;
    }
    this.waiting.set(groupId, []);
    depart(() => this.next(groupId));
  }

  private next(groupId: string): void {
    const depart = this.waiting.get(groupId)?.shift();
    if (!depart) this.waiting.delete(groupId);
    // As work of its own: after a long outage thousands may go, each right after the other.
    else this.timeline.after(0, () => depart(() => this.next(groupId)));
  }
}
