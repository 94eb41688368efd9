import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import type { AwsError } from '../../kernel/aws-error';
import { sha256OfText } from '../digests';
import { invalidParameterValue, missingParameter, notForThisQueueType } from '../errors';
import type { Sending } from '../letter';
import type { FifoSettings } from '../queue-attributes';
import { checkToken } from '../token';

const NO_DEDUPLICATION_ID =
  'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly';

/**
 * A delay of 0 is the queue's own (recorded); any other is refused.
 *
 * @throws AwsError what only a FIFO queue refuses, in the recorded words
 */
export function checkFifoSending(sending: Sending, fifo: FifoSettings): void {
  const { MessageGroupId, MessageDeduplicationId, DelaySeconds } = sending;
  if (DelaySeconds) throw notForThisQueueType(DelaySeconds, 'DelaySeconds');
  if (MessageGroupId === undefined) throw missingParameter('MessageGroupId');
  checkToken(MessageGroupId, 'MessageGroupId');
  if (MessageDeduplicationId !== undefined) checkToken(MessageDeduplicationId, 'MessageDeduplicationId');
  else if (!fifo.contentBasedDeduplication) throw invalidParameterValue(NO_DEDUPLICATION_ID);
}

/**
 * What one entry of a batch leaves out is the error of the whole batch, with a code of its own (recorded).
 *
 * @throws AwsError when an entry has no message group id, or no deduplication id where it needs one
 */
export function checkFifoBatch(
  entries: readonly SendMessageBatchRequestEntry[],
  { contentBasedDeduplication }: FifoSettings,
): void {
  for (const { MessageGroupId, MessageDeduplicationId } of entries) {
    if (MessageGroupId === undefined) throw withBatchCode(missingParameter('MessageGroupId'));
    if (MessageDeduplicationId === undefined && !contentBasedDeduplication) {
      throw invalidParameterValue(NO_DEDUPLICATION_ID);
    }
  }
}

/** The id a message is known by for five minutes: the sender's, or the SHA-256 digest of the body. */
export function deduplicationIdOf({ MessageDeduplicationId, MessageBody = '' }: Sending): string {
  return MessageDeduplicationId ?? sha256OfText(MessageBody.toString());
}

const withBatchCode = ({ message }: AwsError): AwsError => invalidParameterValue(message);
