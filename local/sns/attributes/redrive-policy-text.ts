import { parseArn } from '../../../policy/arn';
import { isFifoName } from '../../kernel/fifo-name';
import { isMembers } from '../../kernel/json';
import type { Refuse } from '../errors';
import { parseJsonAttribute } from '../json-attribute';
import type { RedrivePolicy, SubscriptionIdentity } from '../subscription';

/**
 * Reads a `RedrivePolicy` attribute.
 * @throws AwsError made by `refuse`
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
 */
export function readRedrivePolicy(
  text: string,
  { arn, topic, endpoint }: SubscriptionIdentity,
  refuse: Refuse,
): RedrivePolicy {
  const document = parseJsonAttribute(text, problem => refuse(`RedrivePolicy: ${problem}`));
  const { deadLetterTargetArn, ...others } = isMembers(document) ? document : {};
  // AWS does not say what it makes of a member it does not know; what is misspelt here would be missed in silence.
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`RedrivePolicy: Unexpected JSON member: ${unknown}`);
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
  // A FIFO topic's standard queue may have a dead-letter queue of either kind, as recorded. Of a standard topic's nothing is
  // recorded: our choice is to refuse a FIFO queue, which takes no message without a group.
  if (topic.fifo && isFifoName(endpoint) && !isFifoName(deadLetterTargetArn)) {
    throw refuse('RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic.');
  }
  if (!topic.fifo && isFifoName(deadLetterTargetArn)) {
    throw refuse('RedrivePolicy: must not use a FIFO queue as DLQ for a Subscription to a Standard Topic.');
  }
  return { deadLetterTargetArn };
}
