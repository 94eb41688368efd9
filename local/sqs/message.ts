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

/** A message in one queue. */
export interface Message extends Letter {
  /** When it came into this queue; the age metric counts from here. */
  arrivedAtMs: number;
  /** Receives in all its queues: `ApproximateReceiveCount` carries over into the dead-letter queue. */
  receiveCount: number;
  /** Receives in this queue. */
  receivesHere: number;
  firstReceivedAtMs: number | undefined;
  /** The last receive, from which the 12 hours of visibility count. */
  receivedAtMs: number;
  /** The queue whose redrive policy moved it here. */
  deadLetterQueueSourceArn: string | undefined;
  place: 'visible' | 'delayed' | 'in-flight';
  /** When it becomes visible, for a message that is not. */
  visibleAtMs: number;
  /** Its turn among the visible messages of the queue: the smallest is received first. */
  turn: number;
  /** Its position in the heap of its place; -1 while it is in none. Kept by `MessageHeap`. */
  placeSlot: number;
  /** Its position in the heap of expiries. Kept by `MessageHeap`. */
  expirySlot: number;
}

/** A message that has just been sent, before any queue has it. */
export function newMessage(letter: Letter): Message {
  return {
    ...letter,
    arrivedAtMs: letter.sentAtMs,
    receiveCount: 0,
    receivesHere: 0,
    firstReceivedAtMs: undefined,
    receivedAtMs: 0,
    deadLetterQueueSourceArn: undefined,
    place: 'visible',
    visibleAtMs: letter.sentAtMs,
    turn: 0,
    placeSlot: -1,
    expirySlot: -1,
  };
}
