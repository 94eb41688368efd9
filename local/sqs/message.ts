import type { MessageAttributeValue } from '@aws-sdk/client-sqs';

/** What a sender hands in; it stays as it is wherever the message goes. */
export interface Letter {
  /** The message id SQS answers to the sender. A redrive policy's move keeps it. */
  readonly id: string;
  readonly body: string;
  readonly md5OfBody: string;
  readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
  /** System attribute `AWSTraceHeader`. */
  readonly traceHeader: string | undefined;
  /** On a standard queue, the tenant a fair queue counts the message to. */
  readonly groupId: string | undefined;
  readonly senderId: string;
  /** Body and attributes, in bytes. */
  readonly sizeBytes: number;
  /** When it was first sent. On standard queues retention counts from here, wherever it is moved. */
  readonly sentAtMs: number;
}

/** A letter in one queue, and what has become of it there. */
export class Message {
  readonly id: string;
  readonly sentAtMs: number;
  /** When it came into this queue; the age metric counts from here. */
  arrivedAtMs: number;
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
  /** Its turn among the visible messages of the queue: the smallest is received first. */
  turn = 0;
  /** Its position in the heap of its place; -1 while it is in none. Kept by `MessageHeap`. */
  placeSlot = -1;
  /** Its position in the heap of expiries. Kept by `MessageHeap`. */
  expirySlot = -1;

  constructor(readonly letter: Letter) {
    this.id = letter.id;
    this.sentAtMs = letter.sentAtMs;
    this.arrivedAtMs = letter.sentAtMs;
    this.visibleAtMs = letter.sentAtMs;
  }
}
