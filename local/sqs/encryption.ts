import { AccessRefused } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import type { SqsContext } from './context';
import type { Queue } from './queue';

/**
 * A queue encrypted by KMS asks for its key in the caller's name, so a sender without a grant on the key sends nothing.
 * AWS keeps a data key for up to `KmsDataKeyReusePeriodSeconds` and would let a caller through on it; our choice is to
 * ask every time, so that a missing grant shows at once.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 */
export function checkMayEncrypt(context: SqsContext, queue: Queue, caller: Caller): void {
  checkKey(context, queue, caller, 'kms:GenerateDataKey');
  checkKey(context, queue, caller, 'kms:Decrypt');
}

export function checkMayDecrypt(context: SqsContext, queue: Queue, caller: Caller): void {
  checkKey(context, queue, caller, 'kms:Decrypt');
}

function checkKey({ keys, place }: SqsContext, queue: Queue, caller: Caller, action: string): void {
  const keyId = queue.settings.kmsMasterKeyId;
  if (keyId === undefined) return;
  const decision = keys.decide(keyId, action, caller, `sqs.${place.region}.${place.urlSuffix}`);
  if (decision.allowed) return;
  const { code = 'KMS.AccessDeniedException', httpStatus = 400, reason } = decision;
  const text = `null (Service: AWSKMS; Status Code: ${httpStatus}; Error Code: ${code.replace('KMS.', '')})`;
  throw new AccessRefused(code, text, httpStatus, `${action}: ${reason}`);
}
