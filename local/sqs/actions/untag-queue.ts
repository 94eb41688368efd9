import type { UntagQueueRequest } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { missingParameter } from '../errors';
import type { Queue } from '../queue';
import { checkTagKey } from '../tags';

/**
 * A key the queue has no tag of is passed over. An empty list is answered like an empty key: recorded.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_UntagQueue.html
 */
export function untagQueue(_: SqsInternals, queue: Queue, { input: { TagKeys } }: Call<UntagQueueRequest>): void {
  if (!TagKeys) throw missingParameter('TagKeys');
  if (TagKeys.length === 0) checkTagKey('');
  for (const key of TagKeys) checkTagKey(key);
  queue.tags.remove(TagKeys);
}
