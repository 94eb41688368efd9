import type { ListQueueTagsRequest, ListQueueTagsResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListQueueTags.html */
export function listQueueTags(_: SqsInternals, queue: Queue, __: Call<ListQueueTagsRequest>): ListQueueTagsResult {
  return queue.tags.size > 0 ? { Tags: queue.tags.record() } : {};
}
