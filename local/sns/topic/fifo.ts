import { FiveMinuteMemory } from '../../kernel/messaging';
import type { Scheduler } from '../../kernel/timeline';

/** The scopes in which a deduplication id must be unique. */
export const FIFO_THROUGHPUT_SCOPES = ['Topic', 'MessageGroup'] as const;

export type FifoThroughputScope = (typeof FIFO_THROUGHPUT_SCOPES)[number];

interface FifoReceipt {
  readonly messageId: string;
  /** Twenty digits, greater than the number of every earlier message. */
  readonly sequenceNumber: string;
}

/**
 * The state of a FIFO topic: its sequence numbers, and the deduplication ids of the last five minutes.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-dedup.html
 */
export class FifoMemory {
  contentBasedDeduplication = false;
  /** @default 'Topic' */
  throughputScope: FifoThroughputScope | undefined;
  private published = 0;
  private readonly receipts = new FiveMinuteMemory<FifoReceipt>();

  /** Returns the response to an earlier message with this deduplication id within the last five minutes. */
  duplicateOf(deduplicationId: string, groupId: string, nowMs: number): FifoReceipt | undefined {
    return this.receipts.recall(this.keyOf(deduplicationId, groupId), nowMs);
  }

  /**
   * Numbers a new message and remembers its deduplication id.
   * **Assumption SNS-40:** Numbers grow by one across all groups. AWS says only that they grow.
   */
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

/** Starts a delivery. It must call `onSettled` when the message is delivered, dead-lettered or lost. */
type StartDelivery = (onSettled: () => void) => void;

/**
 * Delivers the messages of each group to one FIFO queue strictly in order, one at a time. Different groups are
 * independent.
 * **Assumption SNS-41:** While a message is retried, the messages behind it in its group wait until it is delivered,
 * dead-lettered or lost.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
 */
export class GroupSequencer {
  /** Deliveries that wait behind the current one, by group. A group without a current delivery has no entry. */
  private readonly waiting = new Map<string, StartDelivery[]>();

  constructor(private readonly timeline: Scheduler) {}

  /** Starts a delivery when all earlier deliveries of the group are settled. */
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
    // As separate work, so that thousands of deliveries after a long outage do not nest.
    else this.timeline.after(0, () => depart(() => this.next(groupId)));
  }
}
