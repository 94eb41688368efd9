import type { Refused } from '../kernel/doorkeeper';

interface OnQueue {
  readonly queueArn: string;
}

interface OfMessage extends OnQueue {
  readonly messageId: string;
}

interface OfReceivedMessage extends OfMessage {
  /** `ApproximateReceiveCount`, all queues together. */
  readonly receiveCount: number;
}

interface OfMoveTask extends OnQueue {
  readonly taskId: string;
}

/** What SQS writes into the trace: names and counts, never bodies. */
export type SqsTraceEvent =
  | (OnQueue & { readonly type: 'sqs.queue-created' })
  | (OnQueue & { readonly type: 'sqs.attributes-set'; readonly attributes: readonly string[] })
  /** With how many messages, in flight and delayed ones too. */
  | (OnQueue & { readonly type: 'sqs.purged' | 'sqs.queue-deleted'; readonly messages: number })
  | (OfMessage & {
      readonly type: 'sqs.sent';
      readonly bytes: number;
      readonly delaySeconds: number;
      /** On FIFO queues. */
      readonly messageGroupId?: string | undefined;
      /** On FIFO queues. */
      readonly sequenceNumber?: string;
    })
  /** A FIFO queue was sent what it has taken within the last five minutes, as the message `messageId`. */
  | (OfMessage & { readonly type: 'sqs.deduplicated'; readonly messageDeduplicationId: string })
  | (OfReceivedMessage & { readonly type: 'sqs.received'; readonly visibilityTimeoutSeconds: number })
  | (OfReceivedMessage & { readonly type: 'sqs.visibility-changed'; readonly visibilityTimeoutSeconds: number })
  | (OfReceivedMessage & { readonly type: 'sqs.deleted' })
  /** A redrive policy moved the message. */
  | (OfReceivedMessage & {
      readonly type: 'sqs.dead-lettered';
      readonly deadLetterQueueArn: string;
      readonly maxReceiveCount: number;
    })
  /** A message move task has sent the message on, as a new one. */
  | (OfReceivedMessage &
      OfMoveTask & {
        readonly type: 'sqs.moved';
        readonly destinationArn: string;
        readonly newMessageId: string;
      })
  /** The queue is the one messages are taken from; each goes back to its own source queue unless a destination is named. */
  | (OfMoveTask & {
      readonly type: 'sqs.move-task-started';
      readonly destinationArn?: string;
      readonly messagesPerSecond: number;
    })
  | (OfMoveTask & { readonly type: 'sqs.move-task-cancelling' })
  | (OfMoveTask & {
      readonly type: 'sqs.move-task-ended';
      readonly status: 'COMPLETED' | 'CANCELLED' | 'FAILED';
      readonly messagesMoved: number;
      readonly failureReason?: string;
    })
  /** The message was kept for as long as the queue keeps messages, and is gone. */
  | (OfReceivedMessage & { readonly type: 'sqs.expired'; readonly retentionSeconds: number })
  | Refused<'sqs'>;
