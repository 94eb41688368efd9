import type { DeleteMessageBatchRequest, DeleteMessageBatchResult, DeleteMessageRequest } from '@aws-sdk/client-sqs';
import { invalidValue, missingParameter } from '../errors';
import { readReceiptHandle } from '../message/received-message';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';
import { answerBatch } from './batch';

/**
 * Deletes the message when the receipt handle is that of its last receive, even after the visibility timeout. With an
 * older handle AWS answers success and may not delete.
 * **Assumption SQS-8:** It never deletes with an older handle. `NumberOfMessagesDeleted` counts every successful call,
 * including repeated ones. On a FIFO queue a handle works only while its receive hides the message (recorded).
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
 */
export function deleteMessage(_: SqsState, queue: Queue, { input }: Call<DeleteMessageRequest>): void {
  deleteByHandle(queue, input.ReceiptHandle);
}

function deleteByHandle(queue: Queue, handle: string | undefined): void {
  if (!handle) throw missingParameter('ReceiptHandle');
  const { messageId, receiveCount } = readReceiptHandle(handle, queue.identity.name);
  const message = queue.store.find(messageId);
  const isLastReceive = message?.receiveCount === receiveCount;
  if (queue.fifo && message && !(isLastReceive && message.place === 'in-flight')) {
    throw invalidValue(handle, 'ReceiptHandle', 'The receipt handle has expired.');
  }
  if (isLastReceive) queue.delete(message);
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
