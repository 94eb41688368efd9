import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchResult,
  ChangeMessageVisibilityRequest,
} from '@aws-sdk/client-sqs';
import { invalidParameterValue, invalidValue, missingParameter } from '../errors';
import { MAX_VISIBILITY_SECONDS } from '../limits';
import { readReceiptHandle } from '../message/received-message';
import type { Queue } from '../queue/queue';
import type { Call, SqsState } from '../sqs-state';
import { answerBatch } from './batch';

/**
 * Changes the visibility timeout of a message. On a standard queue the receipt handle of an earlier receive works as
 * the latest one does, and works after the timeout while the message exists (recorded).
 * **Assumption SQS-6:** A call after the timeout hides the message again. On a FIFO queue, whose handles expire, it
 * gets the error for a deleted message.
 * The 12-hour limit counts from the receive. Recorded: AWS refuses the full 43,200 seconds, because some time has
 * always passed since.
 * **Assumption SQS-7:** The simulation also refuses 43,200 seconds when no virtual time has passed. A timeout of 0
 * extends nothing, so on a standard queue it works with a handle of any age while the message exists. With a handle
 * older than 12 hours, nothing else works.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
 */
export function changeMessageVisibility(
  state: SqsState,
  queue: Queue,
  { input }: Call<ChangeMessageVisibilityRequest>,
): void {
  changeByHandle(state, queue, input);
}

function changeByHandle(
  state: SqsState,
  queue: Queue,
  { ReceiptHandle: handle, VisibilityTimeout: timeout }: Omit<ChangeMessageVisibilityRequest, 'QueueUrl'>,
): void {
  if (!handle) throw missingParameter('ReceiptHandle');
  if (timeout === undefined) throw missingParameter('VisibilityTimeout');
  if (!(timeout >= 0 && timeout <= MAX_VISIBILITY_SECONDS)) {
    throw invalidValue(timeout, 'VisibilityTimeout', `Must be between 0 and ${MAX_VISIBILITY_SECONDS}, if provided.`);
  }
  const { messageId, receiveCount } = readReceiptHandle(handle, queue.identity.name);
  const message = queue.store.find(messageId);
  const isUseful = !queue.fifo || (message?.receiveCount === receiveCount && message.place === 'in-flight');
  if (!message || !isUseful) {
    const gone = 'Message does not exist or is not available for visibility timeout change.';
    throw invalidValue(handle, 'ReceiptHandle', gone);
  }
  const isBeyond = state.nowMs + timeout * 1000 > message.receivedAtMs + MAX_VISIBILITY_SECONDS * 1000;
  if (timeout > 0 && (isBeyond || timeout === MAX_VISIBILITY_SECONDS)) {
    throw invalidParameterValue(
      `Value ${timeout} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${MAX_VISIBILITY_SECONDS} seconds]`,
    );
  }
  queue.changeVisibility(message, timeout);
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibilityBatch.html */
export function changeMessageVisibilityBatch(
  state: SqsState,
  queue: Queue,
  { input }: Call<ChangeMessageVisibilityBatchRequest>,
): ChangeMessageVisibilityBatchResult {
  return answerBatch(
    input.Entries,
    'ChangeMessageVisibilityBatchRequestEntry',
    ({ ReceiptHandle, VisibilityTimeout }, Id) => {
      changeByHandle(state, queue, { ReceiptHandle, VisibilityTimeout });
      return { Id };
    },
  );
}
