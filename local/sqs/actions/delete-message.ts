import type { DeleteMessageBatchRequest, DeleteMessageBatchResult, DeleteMessageRequest } from '@aws-sdk/client-sqs';
import { invalidValue, missingParameter } from '../errors';
import { readReceiptHandle } from '../message/received-message';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';
import { answerBatch } from './batch';

/**
 * Deletes a message of a standard queue by the receipt handle of any of its receives, even after the visibility timeout.
 * AWS documents that it may not delete by an older handle; recorded on AWS, it did. On a FIFO queue a handle works only
 * while its receive hides the message (recorded on AWS). `NumberOfMessagesDeleted` counts every successful call,
 * "including duplicate deletions".
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export function deleteMessage(_: SqsState, queue: Queue, { input }: Call<DeleteMessageRequest>): void {
  deleteByHandle(queue, input.ReceiptHandle);
}

function deleteByHandle(queue: Queue, handle: string | undefined): void {
  if (!handle) throw missingParameter('ReceiptHandle');
  const { messageId, receiveCount } = readReceiptHandle(handle, queue.identity.name);
  const message = queue.store.find(messageId);
  const hidesMessage = message?.receiveCount === receiveCount && message.place === 'in-flight';
  if (queue.fifo && message && !hidesMessage) {
    throw invalidValue(handle, 'ReceiptHandle', 'The receipt handle has expired.');
  }
  if (message) queue.delete(message);
  queue.metrics.put('NumberOfMessagesDeleted', 1);
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessageBatch.html */
export function deleteMessageBatch(
  _: SqsState,
  queue: Queue,
  { input }: Call<DeleteMessageBatchRequest>,
): DeleteMessageBatchResult {
  return answerBatch(input.Entries, 'DeleteMessageBatchRequestEntry', ({ ReceiptHandle }, Id) => {
    deleteByHandle(queue, ReceiptHandle);
    return { Id };
  });
}
