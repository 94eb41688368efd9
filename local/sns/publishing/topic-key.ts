import { AccessRefused } from '../../kernel/aws-error';
import { type Caller, notAuthorized } from '../../kernel/caller';
import type { SnsWorld } from '../sns-world';
import type { Topic } from '../topic';

/** What it takes of a topic's key to publish: to make a data key for the message, and to use it. */
const KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'] as const;

const REFUSED = 'KMS.AccessDeniedException';

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
export function checkTopicKey({ context }: SnsWorld, topic: Topic, caller: Caller): void {
  const { kmsMasterKeyId } = topic;
  if (kmsMasterKeyId === undefined) return;
  const { keys, place } = context;
  const viaService = `sns.${place.region}.${place.urlSuffix}`;
  for (const action of KEY_ACTIONS) {
    const decision = keys.decide(kmsMasterKeyId, action, caller, viaService);
    if (decision.allowed) continue;
    const { code = REFUSED, reason, httpStatus = 400 } = decision;
    const text = code === REFUSED ? notAuthorized(caller, place.partition, action, kmsMasterKeyId) : reason;
    throw new AccessRefused(
      SNS_CODES[code] ?? (httpStatus >= 500 ? 'InternalError' : 'KMSAccessDenied'),
      `${text} (Service: AWSKMS; Status Code: ${httpStatus}; Error Code: ${code.replace('KMS.', '')})`,
      httpStatus,
      `${action}: ${reason}`,
    );
  }
}
