import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { nameOf } from '../principal';
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
    const who = nameOf(caller, place.partition);
    const text = `User: ${who} is not authorized to perform: ${action} on resource: ${kmsMasterKeyId} because ${reason}`;
    const error = code.replace('KMS.', '');
    throw new AwsError(
      SNS_CODES[code] ?? (httpStatus >= 500 ? 'InternalError' : 'KMSAccessDenied'),
      `${code === REFUSED ? text : reason} (Service: AWSKMS; Status Code: ${httpStatus}; Error Code: ${error})`,
      httpStatus,
    );
  }
}
