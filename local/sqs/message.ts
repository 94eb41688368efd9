import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { LazyText } from '../kernel/messaging';

/** What a sender hands in; it stays as it is wherever the message goes, but for what `Message` says. */
export interface SentMessage {
  /** The message id SQS answers to the sender. A redrive policy's move keeps it. */
  readonly id: string;
  readonly body: string | LazyText;
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  /** System attribute `AWSTraceHeader`. */
  readonly traceHeader: string | undefined;
  /** `MessageGroupId`: on a FIFO queue what is received in order; on a standard queue the tenant a fair queue counts it to. */
  readonly groupId: string | undefined;
  /** `MessageDeduplicationId`, which the messages of FIFO queues have. */
  readonly deduplicationId?: string | undefined;
  readonly senderId: string;
  /** Body and attributes, in bytes. */
  readonly sizeBytes: number;
  readonly sentAtMs: number;
}

/** What the sender of a message is told. */
export interface Accepted {
  readonly id: string;
  /** On FIFO queues. */
  readonly sequenceNumber: string | undefined;
}

/** A letter in one queue, and what has become of it there. */
export class Message implements Accepted {
  readonly id: string;
  readonly sentAtMs: number;
  /** When it came into this queue; the age metric counts from here. */
  arrivedAtMs: number;
  /** From when on it is kept: on standard queues since it was first sent, on FIFO queues since it came into this one. */
  keptFromMs: number;
  /** 20 digits, on FIFO queues. */
  sequenceNumber: string | undefined = undefined;
  /** Receives in all its queues: `ApproximateReceiveCount` carries over into the dead-letter queue. */
  receiveCount = 0;
  /** Receives in this queue. */
  receivesHere = 0;
  firstReceivedAtMs: number | undefined = undefined;
  /** The last receive, from which the 12 hours of visibility count. */
  receivedAtMs = 0;
  /** The queue whose redrive policy moved it here. */
  deadLetterQueueSourceArn: string | undefined = undefined;
  place: 'visible' | 'delayed' | 'in-flight' = 'visible';
  /** When it becomes visible, for a message that is not. */
  visibleAtMs: number;
  /** Its place in the order in which messages came into the queue. */
  arrival = 0;
  /** Its turn among the visible messages of the queue: the smallest is received first. */
  turn = 0;
  /** Its position in a heap of its place, or among its tenant's; -1 while it is in none. Kept by `MessageHeap`. */
  placeSlot = -1;
  /** Its position in the heap of the tenants' first messages; -1 while it is not in it. Kept by `MessageHeap`. */
  headSlot = -1;
  /** Its position in the heap of expiries; -1 while it is not in it. Kept by `MessageHeap`. */
  expirySlot = -1;
  /** Its neighbours in the row of its place. Kept by `MessageList`, as all of these. */
  earlierInPlace: Message | undefined = undefined;
  laterInPlace: Message | undefined = undefined;
  /** Its neighbours in the row of expiries. */
  earlierToExpire: Message | undefined = undefined;
  laterToExpire: Message | undefined = undefined;
  /** Its neighbours among the messages of the queue in the order of arrival. */
  earlier: Message | undefined = undefined;
  later: Message | undefined = undefined;
  /** Its neighbours in its message group, on FIFO queues. */
  earlierInGroup: Message | undefined = undefined;
  laterInGroup: Message | undefined = undefined;

  /** @param letter a FIFO queue's redrive policy replaces its deduplication id by the message id */
  constructor(public sent: SentMessage) {
    this.id = sent.id;
    this.sentAtMs = sent.sentAtMs;
    this.arrivedAtMs = sent.sentAtMs;
    this.keptFromMs = sent.sentAtMs;
    this.visibleAtMs = sent.sentAtMs;
  }
}
