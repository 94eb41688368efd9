import type { AccessControl, PolicyDocument } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import { isMembers } from '../kernel/json';
import { readPolicyText } from '../policy-document';
import type { Refuse } from './errors';

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

/** The actions a topic's policy can allow or deny; `Receive` is left from the beginnings of SNS. */
export const TOPIC_POLICY_ACTIONS: readonly string[] = [
  'AddPermission',
  'DeleteTopic',
  'GetTopicAttributes',
  'ListSubscriptionsByTopic',
  'Publish',
  'Receive',
  'RemovePermission',
  'SetTopicAttributes',
  'Subscribe',
];

/** What SNS says of any other action, `SNS:*` included: as recorded from SetTopicAttributes. */
export const OUT_OF_SCOPE = 'Policy statement action out of service scope!';

const IN_SCOPE = new Set(TOPIC_POLICY_ACTIONS.map(action => `sns:${action}`.toLowerCase()));

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** An element of a policy that may be one or a list. */
function listed(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function actionsOf(statement: unknown): readonly unknown[] {
  if (!isMembers(statement)) return [];
  return [...listed(statement['Action']), ...listed(statement['NotAction'])];
}

/**
 * Reads a `Policy` attribute. AWS does not say whether it takes wildcards such as `SNS:Get*`; it refuses `SNS:*`, which
 * takes in more than a topic's own actions, and our choice is to refuse every one.
 * @throws AwsError made by `refuse`
 */
export function readTopicPolicy(text: string, refuse: Refuse): PolicyDocument {
  const policy = readPolicyText(text, 'resource', (problem = 'null') => refuse(`Policy Error: ${problem}`));
  const actions = listed(policy.Statement).flatMap(actionsOf);
  if (!actions.every(action => typeof action === 'string' && IN_SCOPE.has(action.toLowerCase()))) {
    throw refuse(OUT_OF_SCOPE);
  }
  return policy;
}
