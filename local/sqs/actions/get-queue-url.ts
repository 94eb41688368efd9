import type { GetQueueUrlRequest, GetQueueUrlResult } from '@aws-sdk/client-sqs';
import type { Call, Desk } from '../desk';
import { missingParameter, queueDoesNotExist } from '../errors';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueUrl.html */
export function getQueueUrl(desk: Desk, { input }: Call<GetQueueUrlRequest>): GetQueueUrlResult {
  const { QueueName, QueueOwnerAWSAccountId = desk.context.place.account } = input;
  if (!QueueName) throw missingParameter('QueueName');
  const queue = desk.directory.findByName(QueueName);
  if (!queue || QueueOwnerAWSAccountId !== desk.context.place.account) throw queueDoesNotExist();
  queue.use();
  return { QueueUrl: queue.identity.url };
}
