import { keyRefusal, kmsAnswer } from '../../kernel/access';
import { AccessRefused } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import type { MessageEncryption } from '../message/message';
import type { SqsContext } from '../trace-events';
import type { Queue } from './queue';

/**
 * Checks that the caller may use the KMS key of the queue. SQS calls KMS on behalf of the caller, so a sender without a
 * grant on the key cannot send. AWS reuses a data key for up to `KmsDataKeyReusePeriodSeconds` and would not check
 * again in that time. Here every call is checked, so that a missing grant shows at once.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
export function checkMayEncrypt(context: SqsContext, queue: Queue, caller: Caller): void {
  checkKey(context, encryptionOf(queue), caller, 'kms:GenerateDataKey', 'kms:Decrypt');
}

/** How the queue encrypts a message that is sent now; undefined if no KMS key does. */
export function encryptionOf({ arn, settings: { kmsMasterKeyId } }: Queue): MessageEncryption | undefined {
  return kmsMasterKeyId === undefined ? undefined : { keyId: kmsMasterKeyId, queueArn: arn };
}

/**
 * Checks that the caller may decrypt a message. Its key is the key of the queue that it was first sent to:
 * "Moving a message to a dead-letter queue doesn't affect its encryption."
 *
 * @param encryption undefined for a message that no KMS key encrypts
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
 */
export function checkMayDecrypt(context: SqsContext, encryption: MessageEncryption | undefined, caller: Caller): void {
  checkKey(context, encryption, caller, 'kms:Decrypt');
}

/**
 * **Assumption KMS-5:** SQS sends the ARN of the queue that the message was sent to as the encryption context
 * `aws:sqs:arn`, also when the message is in a dead-letter queue.
 */
function checkKey(
  context: SqsContext,
  encryption: MessageEncryption | undefined,
  caller: Caller,
  ...actions: readonly string[]
): void {
  if (encryption === undefined) return;
  const { keyId, queueArn } = encryption;
  const encryptionContext = { 'aws:sqs:arn': queueArn };
  const refusal = keyRefusal(context, { keyId, caller, via: 'sqs', encryptionContext }, ...actions);
  if (!refusal) return;
  const { code, httpStatus, action, reason } = refusal;
  throw new AccessRefused(code, `null ${kmsAnswer(refusal)}`, httpStatus, `${action}: ${reason}`);
}
