import type { Refused, ServiceContext } from '../kernel/service-api';
import type { Recorder } from '../kernel/trace';
import type { Message } from './message/message';
import type { RedrivePolicy } from './queue/redrive-policy';

interface OnQueue {
  readonly queueArn: string;
}

interface OfMessage extends OnQueue {
  readonly messageId: string;
}

interface OfReceivedMessage extends OfMessage {
  /** `ApproximateReceiveCount`, over all queues. */
  readonly receiveCount: number;
}

interface OfMoveTask extends OnQueue {
  readonly taskId: string;
}

/** The trace events of SQS. They hold names and counts, never bodies. */
export type SqsTraceEvent =
  | (OnQueue & { readonly type: 'sqs.queue-created' })
  | (OnQueue & { readonly type: 'sqs.attributes-set'; readonly attributes: readonly string[] })
  /** The number of messages deleted, including in-flight and delayed ones. */
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
  /** A FIFO queue ignored a duplicate of the message `messageId`, which it accepted within the last five minutes. */
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
  /** A message move task sent the message to its destination as a new message. */
  | (OfReceivedMessage &
      OfMoveTask & {
        readonly type: 'sqs.moved';
        readonly destinationArn: string;
        readonly newMessageId: string;
      })
  /** The queue is the source. Each message returns to the queue it came from, unless a destination is named. */
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
  /** The retention period ended, and SQS deleted the message. */
  | (OfReceivedMessage & { readonly type: 'sqs.expired'; readonly retentionSeconds: number })
  | Refused<'sqs'>;

/** Records what happens to the messages of one queue. */
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
    this.trace.note('body', messageId, () => String(sent.body));
  }

  /** @param messageId of the earlier message */
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
