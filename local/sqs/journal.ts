import type { Recorder } from '../kernel/trace';
import type { SqsTraceEvent } from './happenings';
import type { Message } from './message';
import type { RedrivePolicy } from './redrive';

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
