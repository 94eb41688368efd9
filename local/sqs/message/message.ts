import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { LazyText } from '../../kernel/messaging';

/** How SSE-KMS encrypted a message. */
export interface MessageEncryption {
  /** A key id, key ARN, alias name or alias ARN. */
  readonly keyId: string;
  /** The queue that it was sent to: the message's encryption context. */
  readonly queueArn: string;
}

/** A message as it was sent. It stays the same in every queue, except as noted at `Message`. */
export interface SentMessage {
  /** The message id in the response to the sender. A redrive policy keeps it. */
  readonly id: string;
  readonly body: string | LazyText;
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  /** System attribute `AWSTraceHeader`. */
  readonly traceHeader: string | undefined;
  /** `MessageGroupId`: the unit of order on a FIFO queue, the tenant on a fair standard queue. */
  readonly groupId: string | undefined;
  /** `MessageDeduplicationId`, on FIFO queues. */
  readonly deduplicationId?: string | undefined;
  readonly senderId: string;
  /**
   * The KMS key of the queue that it was sent to, as the queue named it: it stays encrypted with that key when it is
   * moved to a dead-letter queue, or when the queue gets another. An alias is followed even if it names another key by
   * now, which AWS does not do. @default - no KMS key encrypts it
   */
  readonly encryption?: MessageEncryption | undefined;
  /** Body and attributes, in bytes. */
  readonly sizeBytes: number;
  readonly sentAtMs: number;
}

/** The ids in the response to a sender. */
export interface Accepted {
  readonly id: string;
  /** On FIFO queues. */
  readonly sequenceNumber: string | undefined;
}

/** A message in one queue, with its state there. */
export class Message implements Accepted {
  readonly id: string;
  readonly sentAtMs: number;
  /** When it arrived in this queue. The age metric counts from here. */
  arrivedAtMs: number;
  /** Start of its retention: when it was sent (standard queues), or when it arrived in this queue (FIFO queues). */
  keptFromMs: number;
  /** 20 digits, on FIFO queues. */
  sequenceNumber: string | undefined = undefined;
  /** Receives in all its queues: the dead-letter queue continues `ApproximateReceiveCount`. */
  receiveCount = 0;
  receivesHere = 0;
  firstReceivedAtMs: number | undefined = undefined;
  /** Time of the last receive. The 12-hour limit of the visibility timeout counts from here. */
  receivedAtMs = 0;
  /** The queue whose redrive policy moved it here. */
  deadLetterQueueSourceArn: string | undefined = undefined;
  place: 'visible' | 'delayed' | 'in-flight' = 'visible';
  visibleAtMs: number;
  /** Position in the order of arrival. */
  arrival = 0;
  /** Visible messages are received in the order of `turn`, the smallest first. */
  turn = 0;
  /** Position in the heap of its place or its tenant, or -1. Set by `MessageHeap`. */
  placeSlot = -1;
  /** Position in the heap of the tenants' first messages, or -1. Set by `MessageHeap`. */
  headSlot = -1;
  /** Position in the heap of expiries, or -1. Set by `MessageHeap`. */
  expirySlot = -1;
  /** Links in the list of its place. `MessageList` sets these and all following links. */
  earlierInPlace: Message | undefined = undefined;
  laterInPlace: Message | undefined = undefined;
  /** Links in the list of expiries. */
  earlierToExpire: Message | undefined = undefined;
  laterToExpire: Message | undefined = undefined;
  /** Links in the order of arrival. */
  earlier: Message | undefined = undefined;
  later: Message | undefined = undefined;
  /** Links in its message group, on FIFO queues. */
  earlierInGroup: Message | undefined = undefined;
  laterInGroup: Message | undefined = undefined;

  /** @param sent a redrive policy of a FIFO queue replaces its deduplication id with the message id */
  constructor(public sent: SentMessage) {
    this.id = sent.id;
    this.sentAtMs = sent.sentAtMs;
    this.arrivedAtMs = sent.sentAtMs;
    this.keptFromMs = sent.sentAtMs;
    this.visibleAtMs = sent.sentAtMs;
  }
}
