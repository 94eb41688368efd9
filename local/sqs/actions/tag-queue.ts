import type { TagQueueRequest } from '@aws-sdk/client-sqs';
import { tagList } from '../../kernel/resource-tags';
import type { Call, SqsInternals } from '../desk';
import { missingParameter } from '../errors';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_TagQueue.html */
export function tagQueue(_: SqsInternals, queue: Queue, { input: { Tags = {} } }: Call<TagQueueRequest>): void {
  if (Object.keys(Tags).length === 0) throw missingParameter('Tags');
  queue.tags.put(tagList(Tags));
}
