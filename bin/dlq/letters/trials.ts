import { ChangeMessageVisibilityBatchCommand, DeleteMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { awsFailureOf } from '../../../lambda/redrive/refusal';

/** Of a letter that nobody has: SQS looks first whether who asks may ask. */
const OF_NO_MESSAGE = { Id: '0', ReceiptHandle: 'of-no-letter' };

/** @throws Error where whoever asks may not */
async function tried(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (awsFailureOf(error, '')?.outcome !== 'refused') throw error;
  }
}

/**
 * Asks SQS to delete a letter that nobody has, so that whoever may not delete sends none that would stay.
 * @throws Error where SQS does not let whoever asks
 */
export function checkMayDelete(sqs: SQSClient, QueueUrl: string): Promise<void> {
  return tried(sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [OF_NO_MESSAGE] })));
}

/**
 * The same for giving back, so that whoever may not give back hides none.
 * @throws Error where SQS does not let whoever asks
 */
export function checkMayGiveBack(sqs: SQSClient, QueueUrl: string): Promise<void> {
  const Entries = [{ ...OF_NO_MESSAGE, VisibilityTimeout: 0 }];
  return tried(sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })));
}
