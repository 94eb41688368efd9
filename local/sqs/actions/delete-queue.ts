import type { DeleteQueueRequest } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import type { Queue } from '../queue';

/**
 * Gone at once, with its messages; AWS takes up to 60 seconds.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteQueue.html
 */
export function deleteQueue(internals: SqsInternals, queue: Queue, _: Call<DeleteQueueRequest>): void {
  const messages = internals.directory.delete(queue);
  internals.context.trace.record({ type: 'sqs.queue-deleted', queueArn: queue.arn, messages });
}
