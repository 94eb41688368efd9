import type {
  GetQueueUrlRequest,
  GetQueueUrlResult,
  ListDeadLetterSourceQueuesRequest,
  ListDeadLetterSourceQueuesResult,
  ListQueuesRequest,
  ListQueuesResult,
} from '@aws-sdk/client-sqs';
import { type Page, pageOf } from '../../kernel/page';
import { invalidValue, missingParameter, queueDoesNotExist } from '../errors';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListQueues.html */
export function listQueues(state: SqsState, { input }: Call<ListQueuesRequest>): ListQueuesResult {
  const { QueueNamePrefix = '', MaxResults, NextToken } = input;
  const urls = [...state.directory.all()]
    .filter(({ identity }) => identity.name.startsWith(QueueNamePrefix))
    .map(({ identity }) => identity.url);
  const { items, nextToken } = sqsPage(urls, MaxResults, NextToken);
  return { ...(items.length > 0 && { QueueUrls: items }), ...(nextToken && { NextToken: nextToken }) };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ListDeadLetterSourceQueues.html */
export function listDeadLetterSourceQueues(
  state: SqsState,
  queue: Queue,
  { input }: Call<ListDeadLetterSourceQueuesRequest>,
): ListDeadLetterSourceQueuesResult {
  const urls = [...state.directory.all()]
    .filter(({ settings }) => settings.redrivePolicy?.deadLetterTargetArn === queue.arn)
    .map(({ identity }) => identity.url);
  const { items, nextToken } = sqsPage(urls, input.MaxResults, input.NextToken);
  return { queueUrls: items, ...(nextToken && { NextToken: nextToken }) };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueUrl.html */
export function getQueueUrl(state: SqsState, { input }: Call<GetQueueUrlRequest>): GetQueueUrlResult {
  const { QueueName, QueueOwnerAWSAccountId = state.context.place.account } = input;
  if (!QueueName) throw missingParameter('QueueName');
  const queue = state.directory.findByName(QueueName);
  if (!queue || QueueOwnerAWSAccountId !== state.context.place.account) throw queueDoesNotExist();
  queue.use();
  return { QueueUrl: queue.identity.url };
}

const MAX_RESULTS = 1000;

/** Without `MaxResults` AWS returns up to 1,000 items and no token. */
function sqsPage<Item>(
  items: readonly Item[],
  maxResults: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  if (maxResults !== undefined && !(maxResults >= 1 && maxResults <= MAX_RESULTS)) {
    throw invalidValue(maxResults, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}.`);
  }
  const page = pageOf(items, maxResults ?? MAX_RESULTS, nextToken, token =>
    invalidValue(token, 'NextToken', 'Must be a token of an earlier page.'),
  );
  return maxResults === undefined ? { ...page, nextToken: undefined } : page;
}
