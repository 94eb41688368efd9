import type { PolicyDocument } from '../../kernel/access';
import { isMembers } from '../../kernel/json';
import { readPolicyText } from '../../policy-document';
import type { Refuse } from '../errors';

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
