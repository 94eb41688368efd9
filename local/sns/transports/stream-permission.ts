import type { AccessControl } from '../../kernel/access';
import { roleCaller } from '../../kernel/caller';
import type { RoleTrust } from '../../kernel/role-trust';
import { type Destination, refusedEnd } from './recorded-transport';
import type { AttemptEnd } from './transport';

/**
 * SNS writes to a Firehose stream with the role of the subscription: without it, or without its permission, nothing
 * arrives.
 * @returns the refusal, or undefined when it may write
 * @see https://docs.aws.amazon.com/sns/latest/dg/prereqs-kinesis-data-firehose.html
 */
export function streamRefusal(
  { endpoint, subscriptionRoleArn = '' }: Destination,
  access: AccessControl,
  roles: RoleTrust,
): AttemptEnd | undefined {
  const caller = roleCaller(subscriptionRoleArn);
  const mayAssume = roles.decideAssumeRole('sns.amazonaws.com', subscriptionRoleArn).allowed;
  const decision = access.decide({ caller, action: 'firehose:PutRecord', resource: endpoint });
  if (mayAssume && decision.allowed) return undefined;
  const reason = mayAssume ? decision.reason : `sns.amazonaws.com may not assume ${subscriptionRoleArn}`;
  return refusedEnd(400, 'AccessDeniedException', reason);
}
