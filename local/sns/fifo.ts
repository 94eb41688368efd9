import { FiveMinuteMemory } from '../kernel/five-minutes';

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
