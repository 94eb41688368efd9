import type { ChangeMessageVisibilityBatchRequest, ChangeMessageVisibilityBatchResult } from '@aws-sdk/client-sqs';
import { answerBatch } from '../batch';
import type { Call, SqsInternals } from '../desk';
import type { Queue } from '../queue';
import { changeByHandle } from './change-message-visibility';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibilityBatch.html */
export function changeMessageVisibilityBatch(
  internals: SqsInternals,
  queue: Queue,
  { input }: Call<ChangeMessageVisibilityBatchRequest>,
): ChangeMessageVisibilityBatchResult {
  return answerBatch(
    input.Entries,
    'ChangeMessageVisibilityBatchRequestEntry',
    ({ ReceiptHandle, VisibilityTimeout }, Id) => {
      changeByHandle(internals, queue, { ReceiptHandle, VisibilityTimeout });
      return { Id };
    },
  );
}
