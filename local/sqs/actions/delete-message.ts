import type { DeleteMessageRequest } from '@aws-sdk/client-sqs';
import type { Call, SqsInternals } from '../desk';
import { invalidValue, missingParameter } from '../errors';
import type { Queue } from '../queue';
import { readReceiptHandle } from '../receipt-handle';

/**
 * Deletes the message with the handle of its last receive, even after its visibility timeout. With the handle of an
 * earlier receive AWS answers success and may not delete; our choice is that it does not. `NumberOfMessagesDeleted`
 * counts every successful call, repeated ones too. On a FIFO queue a handle is of use only while its receive hides the
 * message (recorded).
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
 */
export function deleteMessage(_: SqsInternals, queue: Queue, { input }: Call<DeleteMessageRequest>): void {
  deleteByHandle(queue, input.ReceiptHandle);
}

export function deleteByHandle(queue: Queue, handle: string | undefined): void {
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
