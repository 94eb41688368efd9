import type { SendMessageBatchRequest, SendMessageBatchResult } from '@aws-sdk/client-sqs';
import { AwsError } from '../../kernel/aws-error';
import { answerBatch } from '../batch';
import type { Call, SqsInternals } from '../desk';
import { checkFifoBatch } from '../fifo/fifo-sending';
import { checkSending, sizeOf } from '../letter';
import { MAX_MESSAGE_BYTES } from '../limits';
import type { Queue } from '../queue';
import { sendChecked } from './send-message';

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
export function sendMessageBatch(
  internals: SqsInternals,
  queue: Queue,
  { input, caller }: Call<SendMessageBatchRequest>,
): SendMessageBatchResult {
  const bytes = (input.Entries ?? []).reduce((sum, entry) => sum + sizeOf(entry), 0);
  if (bytes > MAX_MESSAGE_BYTES) {
    throw new AwsError(
      'AWS.SimpleQueueService.BatchRequestTooLong',
      `Batch requests cannot be longer than ${MAX_MESSAGE_BYTES} bytes. You have sent ${bytes} bytes.`,
    );
  }
  const { fifo } = queue.settings;
  return answerBatch(
    input.Entries,
    'SendMessageBatchRequestEntry',
    (entry, Id) => {
      checkSending(entry, queue.settings, true);
      return { Id, ...sendChecked(internals, queue, entry, caller) };
    },
    entries => fifo && checkFifoBatch(entries, fifo),
  );
}
