import type { GetQueueUrlRequest, GetQueueUrlResult } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { missingParameter, queueDoesNotExist } from '../errors';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueUrl.html */
export function getQueueUrl(internals: SqsInternals, { input }: Call<GetQueueUrlRequest>): GetQueueUrlResult {
  const { QueueName, QueueOwnerAWSAccountId = internals.context.place.account } = input;
  if (!QueueName) throw missingParameter('QueueName');
  const queue = internals.directory.findByName(QueueName);
  if (!queue || QueueOwnerAWSAccountId !== internals.context.place.account) throw queueDoesNotExist();
  queue.use();
  return { QueueUrl: queue.identity.url };
}
