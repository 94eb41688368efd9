import { keyRefusal, kmsAnswer } from '../../kernel/access';
import { AccessRefused } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import type { SqsContext } from '../trace-events';
import type { Queue } from './queue';

/**
 * Checks that the caller may use the KMS key of the queue. SQS calls KMS on behalf of the caller, so a sender without a
 * grant on the key cannot send. AWS reuses a data key for up to `KmsDataKeyReusePeriodSeconds` and would not check
 * again in that time. Here every call is checked, so that a missing grant shows at once.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
export function checkMayEncrypt(context: SqsContext, queue: Queue, caller: Caller): void {
  checkKey(context, queue.settings.kmsMasterKeyId, caller, 'kms:GenerateDataKey', 'kms:Decrypt');
}

/**
 * Checks that the caller may decrypt what one key encrypted: a message, whose key is that of the queue it was sent to.
 * "Moving a message to a dead-letter queue doesn't affect its encryption."
 *
 * @param keyId undefined for a message that no KMS key encrypts
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-server-side-encryption.html
 */
export function checkMayDecrypt(context: SqsContext, keyId: string | undefined, caller: Caller): void {
  checkKey(context, keyId, caller, 'kms:Decrypt');
}

function checkKey(context: SqsContext, keyId: string | undefined, caller: Caller, ...actions: readonly string[]): void {
  if (keyId === undefined) return;
  const refusal = keyRefusal(context, { keyId, caller, via: 'sqs' }, ...actions);
  if (!refusal) return;
  const { code, httpStatus, action, reason } = refusal;
  throw new AccessRefused(code, `null ${kmsAnswer(refusal)}`, httpStatus, `${action}: ${reason}`);
}
