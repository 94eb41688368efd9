import { excessText, policyExcesses } from '../../../policy/resource-policy';
import type { AccessControl, PolicyDocument } from '../../kernel/access';
import type { Caller } from '../../kernel/caller';
import { isObject } from '../../kernel/json';
import { readPolicyText } from '../../policy-document/policy';
import type { Refuse } from '../errors';

/**
 * The default policy of a topic. Its condition holds for services that call on behalf of an account, such as CloudWatch
 * alarms. It never holds for a user or role, which need a policy of their own.
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

/** The services whose calls carry `aws:SourceOwner`. EventBridge and others do not send it, and need a topic policy. */
const SERVICES_WITH_SOURCE_OWNER: readonly string[] = ['cloudwatch.amazonaws.com'];

/** Returns access control for SNS, which alone sets `aws:SourceOwner` when it evaluates a policy. */
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

/** The actions that a topic's policy can allow or deny. `Receive` is obsolete. */
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

/** Recorded from SetTopicAttributes: the refusal of any other action, `SNS:*` included. */
export const OUT_OF_SCOPE = 'Policy statement action out of service scope!';

const IN_SCOPE = new Set(TOPIC_POLICY_ACTIONS.map(action => `sns:${action}`.toLowerCase()));

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** A policy element that may be one value or a list. */
function listed(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function actionsOf(statement: unknown): readonly unknown[] {
  if (!isObject(statement)) return [];
  return [...listed(statement['Action']), ...listed(statement['NotAction'])];
}

/**
 * Reads a `Policy` attribute. AWS refuses `SNS:*`, which covers more than the actions of a topic.
 * **Assumption SNS-42:** Other wildcards, such as `SNS:Get*`, are refused too.
 */
export function readTopicPolicy(text: string, refuse: Refuse): PolicyDocument {
  const policy = readPolicyText(text, 'resource', (problem = 'null') => refuse(`Policy Error: ${problem}`));
  const actions = listed(policy.Statement).flatMap(actionsOf);
  if (!actions.every(action => typeof action === 'string' && IN_SCOPE.has(action.toLowerCase()))) {
    throw refuse(OUT_OF_SCOPE);
  }
  checkPolicyLimits(policy, refuse, text);
  return policy;
}

/**
 * Refuses a policy that is larger than SNS accepts. **Assumption SNS-49:** AWS does not publish the error. A policy of
 * 101 statements would settle it.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-language-api-permissions-reference.html
 */
export function checkPolicyLimits(policy: PolicyDocument, refuse: Refuse, text = JSON.stringify(policy)): void {
  const [excess] = policyExcesses('topic', policy, Buffer.byteLength(text));
  if (excess) throw refuse(`Policy ${excessText('topic', excess)}`);
}
