import type { AccessControl, PolicyDocument } from '../kernel/access';
import type { Caller } from '../kernel/caller';

/**
 * The policy of a topic nobody has given one. Its condition is met by services that call for an account, such as
 * CloudWatch's alarms, and never by a user or a role: those need a policy of their own.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
export function defaultTopicPolicy(topicArn: string, account: string): PolicyDocument {
  return {
    Version: '2008-10-17',
    Id: '__default_policy_ID',
    Statement: [
      {
        Sid: '__default_statement_ID',
        Effect: 'Allow',
        Principal: { AWS: '*' },
        Action: [
          'SNS:GetTopicAttributes',
          'SNS:SetTopicAttributes',
          'SNS:AddPermission',
          'SNS:RemovePermission',
          'SNS:DeleteTopic',
          'SNS:Subscribe',
          'SNS:ListSubscriptionsByTopic',
          'SNS:Publish',
        ],
        Resource: topicArn,
        Condition: { StringEquals: { 'AWS:SourceOwner': account } },
      },
    ],
  };
}

/** The services whose calls carry `aws:SourceOwner`. EventBridge's and others' do not, and need a topic policy. */
const SERVICES_WITH_SOURCE_OWNER: readonly string[] = ['cloudwatch.amazonaws.com'];

/** Decides for SNS, which alone tells policies who owns the source of a call. */
export function withSourceOwner(access: AccessControl): AccessControl {
  return {
    decide: request => {
      const caller = owned(request.caller);
      return access.decide(caller === request.caller ? request : { ...request, caller });
    },
  };
}

function owned(caller: Caller): Caller {
  const { principal, context } = caller;
  const owner = context['aws:SourceAccount'];
  if (principal.kind !== 'service' || owner === undefined) return caller;
  if (!SERVICES_WITH_SOURCE_OWNER.includes(principal.service)) return caller;
  return { principal, context: { ...context, 'aws:SourceOwner': owner } };
}
