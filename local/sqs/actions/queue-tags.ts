import type {
  ListQueueTagsRequest,
  ListQueueTagsResult,
  TagQueueRequest,
  UntagQueueRequest,
} from '@aws-sdk/client-sqs';
import { tagList } from '../../kernel/tags';
import { missingParameter } from '../errors';
import type { Queue } from '../queue/queue';
import { checkTagKey } from '../queue/queue-attributes';
import type { Call, SqsState } from '../sqs-state';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_TagQueue.html */
export function tagQueue(_: SqsState, queue: Queue, { input: { Tags = {} } }: Call<TagQueueRequest>): void {
  if (Object.keys(Tags).length === 0) throw missingParameter('Tags');
  queue.tags.put(tagList(Tags));
}

/**
 * Ignores a key that the queue does not have. Recorded: an empty list gets the same error as an empty key.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_UntagQueue.html
 */
export function untagQueue(_: SqsState, queue: Queue, { input: { TagKeys } }: Call<UntagQueueRequest>): void {
  if (!TagKeys) throw missingParameter('TagKeys');
  if (TagKeys.length === 0) checkTagKey('');
  for (const key of TagKeys) checkTagKey(key);
  queue.tags.remove(TagKeys);
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListQueueTags.html */
export function listQueueTags(_: SqsState, queue: Queue, __: Call<ListQueueTagsRequest>): ListQueueTagsResult {
  return queue.tags.size > 0 ? { Tags: queue.tags.record() } : {};
}
