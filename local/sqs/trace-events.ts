import type { Refused, ServiceContext } from '../kernel/service-api';
import type { Recorder } from '../kernel/trace';
import type { Message } from './message';
import type { RedrivePolicy } from './redrive-policy';

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

/** What becomes of the messages of one queue, as the trace has it. */
export class QueueTrace {
  constructor(
    private readonly queueArn: string,
    private readonly trace: Recorder<SqsTraceEvent>,
  ) {}

  sent({ id: messageId, sequenceNumber, sent }: Message, delaySeconds: number): void {
    const { queueArn } = this;
    const { sizeBytes: bytes, groupId: messageGroupId } = sent;
    this.trace.record(
      sequenceNumber === undefined
        ? { type: 'sqs.sent', queueArn, messageId, bytes, delaySeconds }
        : { type: 'sqs.sent', queueArn, messageId, bytes, delaySeconds, messageGroupId, sequenceNumber },
    );
  }

  /** @param messageId of the message that was taken in earlier */
  deduplicated(messageId: string, messageDeduplicationId: string): void {
    this.trace.record({ type: 'sqs.deduplicated', queueArn: this.queueArn, messageId, messageDeduplicationId });
  }

  received({ id: messageId, receiveCount }: Message, visibilityTimeoutSeconds: number): void {
    const { queueArn } = this;
    this.trace.record({ type: 'sqs.received', queueArn, messageId, receiveCount, visibilityTimeoutSeconds });
  }

  visibilityChanged({ id: messageId, receiveCount }: Message, visibilityTimeoutSeconds: number): void {
    const { queueArn } = this;
    this.trace.record({ type: 'sqs.visibility-changed', queueArn, messageId, receiveCount, visibilityTimeoutSeconds });
  }

  deleted({ id: messageId, receiveCount }: Message): void {
    this.trace.record({ type: 'sqs.deleted', queueArn: this.queueArn, messageId, receiveCount });
  }

  deadLettered({ id: messageId, receiveCount }: Message, policy: RedrivePolicy): void {
    const { queueArn } = this;
    const { deadLetterTargetArn: deadLetterQueueArn, maxReceiveCount } = policy;
    this.trace.record({
      type: 'sqs.dead-lettered',
      queueArn,
      messageId,
      receiveCount,
      deadLetterQueueArn,
      maxReceiveCount,
    });
  }

  expired({ id: messageId, receiveCount }: Message, retentionSeconds: number): void {
    this.trace.record({ type: 'sqs.expired', queueArn: this.queueArn, messageId, receiveCount, retentionSeconds });
  }
}

export type SqsContext = ServiceContext<SqsTraceEvent>;
