import type { DeleteQueueRequest, PurgeQueueRequest } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import { COOL_DOWN_MS } from '../limits';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';

/**
 * Deletes the queue and its messages at once. AWS takes up to 60 seconds.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html
 */
export function deleteQueue(state: SqsState, queue: Queue, _: Call<DeleteQueueRequest>): void {
  const messages = state.directory.delete(queue);
  state.context.trace.record({ type: 'sqs.queue-deleted', queueArn: queue.arn, messages });
}

/**
 * Deletes every message at once, including in-flight and delayed ones. AWS takes up to 60 seconds.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_PurgeQueue.html
 */
export function purgeQueue(state: SqsState, queue: Queue, _: Call<PurgeQueueRequest>): void {
  if (state.nowMs - queue.lastPurgedMs < COOL_DOWN_MS) {
    throw new AwsError(
      'AWS.SimpleQueueService.PurgeQueueInProgress',
      `Only one PurgeQueue operation on ${queue.identity.name} is allowed every 60 seconds.`,
      403,
    );
  }
  queue.lastPurgedMs = state.nowMs;
  const messages = queue.empty();
  state.context.trace.record({ type: 'sqs.purged', queueArn: queue.arn, messages });
}
