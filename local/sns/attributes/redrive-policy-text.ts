import { parseArn } from '../../kernel/arn';
import { isMembers } from '../../kernel/json';
import type { Refuse } from '../errors';
import type { RedrivePolicy, SubscriptionIdentity } from '../subscription';

function parsed(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refuse(`RedrivePolicy: failed to parse JSON. ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Reads a `RedrivePolicy` attribute.
 * @throws AwsError made by `refuse`
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
 */
export function readRedrivePolicy(text: string, { arn }: SubscriptionIdentity, refuse: Refuse): RedrivePolicy {
  const document = parsed(text, refuse);
  const deadLetterTargetArn = isMembers(document) ? document['deadLetterTargetArn'] : undefined;
  if (deadLetterTargetArn === undefined) throw refuse('RedrivePolicy: Missing deadLetterTargetArn attribute');
  const queue = typeof deadLetterTargetArn === 'string' ? parseArn(deadLetterTargetArn) : undefined;
  if (typeof deadLetterTargetArn !== 'string' || !queue) {
    throw refuse('RedrivePolicy: deadLetterTargetArn is an invalid arn');
  }
  if (queue.service !== 'sqs') throw refuse('RedrivePolicy: deadLetterTargetArn must be a SQS queue');
  const own = parseArn(arn);
  if (queue.region !== own?.region) {
    throw refuse('RedrivePolicy: deadLetterTargetArn must be in the same region as the subscription');
  }
  if (queue.account !== own.account) {
    throw refuse('RedrivePolicy: deadLetterTargetArn must be in the same account as the subscription');
  }
  return { deadLetterTargetArn };
}
