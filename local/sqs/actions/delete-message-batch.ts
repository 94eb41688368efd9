import type { DeleteMessageBatchRequest, DeleteMessageBatchResult } from '@aws-sdk/client-sqs';
import { answerBatch } from '../batch';
import type { Call, SqsInternals } from '../desk';
import type { Queue } from '../queue';
import { deleteByHandle } from './delete-message';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessageBatch.html */
export function deleteMessageBatch(
  _: SqsInternals,
  queue: Queue,
  { input }: Call<DeleteMessageBatchRequest>,
): DeleteMessageBatchResult {
  return answerBatch(input.Entries, 'DeleteMessageBatchRequestEntry', ({ ReceiptHandle }, Id) => {
    deleteByHandle(queue, ReceiptHandle);
    return { Id };
  });
}
