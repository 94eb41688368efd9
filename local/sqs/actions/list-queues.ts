import type { ListQueuesRequest, ListQueuesResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { sqsPage } from '../paging';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListQueues.html */
export function listQueues(internals: SqsInternals, { input }: Call<ListQueuesRequest>): ListQueuesResult {
  const { QueueNamePrefix = '', MaxResults, NextToken } = input;
  const urls = [...internals.directory.all()]
    .filter(({ identity }) => identity.name.startsWith(QueueNamePrefix))
    .map(({ identity }) => identity.url);
  const { items, nextToken } = sqsPage(urls, MaxResults, NextToken);
  return { ...(items.length > 0 && { QueueUrls: items }), ...(nextToken && { NextToken: nextToken }) };
}
