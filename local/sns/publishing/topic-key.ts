import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { nameOf } from '../principal';
import type { SnsWorld } from '../sns-world';
import type { Topic } from '../topic';

/** What it takes of a topic's key to publish: to make a data key for the message, and to use it. */
const KEY_ACTIONS = ['kms:GenerateDataKey', 'kms:Decrypt'] as const;

/** What SNS answers for what KMS answered; it takes everything else for a refusal. */
const SNS_CODES: Readonly<Record<string, string>> = {
  DisabledException: 'KMSDisabled',
  KMSInvalidStateException: 'KMSInvalidState',
  NotFoundException: 'KMSNotFound',
  OptInRequired: 'KMSOptInRequired',
  ThrottlingException: 'KMSThrottling',
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
    const { allowed, code = 'AccessDeniedException', reason } = keys.decide(kmsMasterKeyId, action, caller, viaService);
    if (allowed) continue;
    const text = `User: ${nameOf(caller, place.partition)} is not authorized to perform: ${action} on resource: ${kmsMasterKeyId}`;
    const cause = code === 'AccessDeniedException' ? `${text} because ${reason}` : reason;
    throw new AwsError(
      SNS_CODES[code] ?? 'KMSAccessDenied',
      `${cause} (Service: AWSKMS; Status Code: 400; Error Code: ${code})`,
    );
  }
}
