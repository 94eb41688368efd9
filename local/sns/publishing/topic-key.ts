import { KEY_ACCESS_DENIED, keyRefusal, kmsAnswer } from '../../kernel/access';
import { AccessRefused } from '../../kernel/aws-error';
import { type Caller, notAuthorized } from '../../kernel/caller';
import type { SnsInternals } from '../sns-world';
import type { Topic } from '../topic';

/** What it takes of a topic's key to publish: to make a data key for the message, and to use it. */
const KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'] as const;

/** What SNS answers for what KMS answered; it takes everything else for a refusal. */
const SNS_CODES: Readonly<Record<string, string>> = {
  'KMS.DisabledException': 'KMSDisabled',
  'KMS.InvalidStateException': 'KMSInvalidState',
  'KMS.NotFoundException': 'KMSNotFound',
  'KMS.OptInRequired': 'KMSOptInRequired',
  'KMS.ThrottlingException': 'KMSThrottling',
};

/**
 * Whoever publishes to an encrypted topic uses its key in their own name.
 * @throws AwsError when they may not, or the key cannot be used
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
 */
export function checkTopicKey({ context }: SnsInternals, topic: Topic, caller: Caller): void {
  const { kmsMasterKeyId } = topic;
  if (kmsMasterKeyId === undefined) return;
  const refusal = keyRefusal(context, { keyId: kmsMasterKeyId, caller, via: 'sns' }, ...KEY_ACTIONS);
  if (!refusal) return;
  const { code, reason, httpStatus, action } = refusal;
  const { partition } = context.place;
  const text = code === KEY_ACCESS_DENIED ? notAuthorized(caller, partition, action, kmsMasterKeyId) : reason;
  throw new AccessRefused(
    SNS_CODES[code] ?? (httpStatus >= 500 ? 'InternalError' : 'KMSAccessDenied'),
    `${text} ${kmsAnswer(refusal)}`,
    httpStatus,
    `${action}: ${reason}`,
  );
}
