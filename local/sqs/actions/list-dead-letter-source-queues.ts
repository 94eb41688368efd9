import type { ListDeadLetterSourceQueuesRequest, ListDeadLetterSourceQueuesResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { sqsPage } from '../paging';
import type { Queue } from '../queue';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListDeadLetterSourceQueues.html */
export function listDeadLetterSourceQueues(
  internals: SqsInternals,
  queue: Queue,
  { input }: Call<ListDeadLetterSourceQueuesRequest>,
): ListDeadLetterSourceQueuesResult {
  const urls = [...internals.directory.all()]
    .filter(({ settings }) => settings.redrivePolicy?.deadLetterTargetArn === queue.arn)
    .map(({ identity }) => identity.url);
  const { items, nextToken } = sqsPage(urls, input.MaxResults, input.NextToken);
  return { queueUrls: items, ...(nextToken && { NextToken: nextToken }) };
}
