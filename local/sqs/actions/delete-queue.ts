import type { DeleteQueueRequest, PurgeQueueRequest } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import type { Call, SqsInternals } from '../internals';
import { COOL_DOWN_MS } from '../limits';
import type { Queue } from '../queue';

/**
 * Deletes the queue and its messages at once. AWS takes up to 60 seconds.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html
 */
export function deleteQueue(internals: SqsInternals, queue: Queue, _: Call<DeleteQueueRequest>): void {
  const messages = internals.directory.delete(queue);
  internals.context.trace.record({ type: 'sqs.queue-deleted', queueArn: queue.arn, messages });
}

/**
 * Deletes every message at once, including in-flight and delayed ones. AWS takes up to 60 seconds.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_PurgeQueue.html
 */
export function purgeQueue(internals: SqsInternals, queue: Queue, _: Call<PurgeQueueRequest>): void {
  if (internals.nowMs - queue.lastPurgedMs < COOL_DOWN_MS) {
    throw new AwsError(
      'AWS.SimpleQueueService.PurgeQueueInProgress',
      `Only one PurgeQueue operation on ${queue.identity.name} is allowed every 60 seconds.`,
      403,
    );
  }
  queue.lastPurgedMs = internals.nowMs;
  const messages = queue.empty();
  internals.context.trace.record({ type: 'sqs.purged', queueArn: queue.arn, messages });
}
