import type { DeleteMessageRequest } from '@aws-sdk/client-sqs';
import type { Call, Desk } from '../desk';
import { missingParameter } from '../errors';
import type { Queue } from '../queue';
import { readReceiptHandle } from '../receipt-handle';

/**
 * Deletes the message with the handle of its last receive, even after its visibility timeout. With the handle of an
 * earlier receive AWS answers success and may not delete; our choice is that it does not. `NumberOfMessagesDeleted`
 * counts every successful call, repeated ones too.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_DeleteMessage.html
 */
export function deleteMessage(_: Desk, queue: Queue, { input }: Call<DeleteMessageRequest>): void {
  deleteByHandle(queue, input.ReceiptHandle);
}

export function deleteByHandle(queue: Queue, handle: string | undefined): void {
  if (!handle) throw missingParameter('ReceiptHandle');
  const { messageId, receiveCount } = readReceiptHandle(handle, queue.identity.name);
  const message = queue.store.find(messageId);
  if (message?.receiveCount === receiveCount) queue.delete(message);
  queue.metrics.put('NumberOfMessagesDeleted', 1);
}
