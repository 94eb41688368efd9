import { rootArn } from '../../kernel/caller';
import { isObject } from '../../kernel/json';
import { invalidParameter } from '../errors';
import type { Topic } from '../topic/topic';
import { checkPolicyLimits, OUT_OF_SCOPE, TOPIC_POLICY_ACTIONS } from '../topic/topic-policy';
import { type SnsAction, topicAt, topicNamed } from './sns-action';

/** AWS writes a list of one value as that value. */
function oneOrMany(values: readonly string[]): string | readonly string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : values;
}

/**
 * Adds a statement to the topic's policy. The error texts are those that other implementations report of AWS.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_AddPermission.html
 */
export const addPermission: SnsAction<'AddPermission'> = {
  permission: 'sns:AddPermission',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: (state, { input: { TopicArn, Label = '', AWSAccountId = [], ActionName = [] } }) => {
    const topic = topicNamed(state, TopicArn);
    const statements = statementsOf(topic);
    if (Label === '') throw invalidParameter('Label');
    if (AWSAccountId.length === 0) throw invalidParameter('AWSAccountId');
    if (ActionName.length === 0) throw invalidParameter('ActionName');
    if (statements.some(statement => isObject(statement) && statement['Sid'] === Label)) {
      throw invalidParameter('Statement already exists');
    }
    if (!ActionName.every(action => TOPIC_POLICY_ACTIONS.includes(action))) throw invalidParameter(OUT_OF_SCOPE);
    const { partition } = state.context.place;
    const statement = {
      Sid: Label,
      Effect: 'Allow',
      Principal: { AWS: oneOrMany(AWSAccountId.map(account => rootArn(partition, account))) },
      Action: oneOrMany(ActionName.map(action => `SNS:${action}`)),
      Resource: topic.arn,
    };
    const policy = { ...topic.policy, Statement: [...statements, statement] };
    checkPolicyLimits(policy, invalidParameter);
    topic.policy = policy;
  },
};

/**
 * Removes a statement from the topic's policy.
 * **Assumption SNS-26:** Removing a missing statement succeeds.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_RemovePermission.html
 */
export const removePermission: SnsAction<'RemovePermission'> = {
  permission: 'sns:RemovePermission',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: (state, { input: { TopicArn, Label } }) => {
    const topic = topicNamed(state, TopicArn);
    const kept = statementsOf(topic).filter(statement => !isObject(statement) || statement['Sid'] !== Label);
    topic.policy = { ...topic.policy, Statement: kept };
  },
};

/** Returns the statements of a topic's policy, which may be a list or a single statement. */
function statementsOf({ policy }: Topic): readonly unknown[] {
  const { Statement } = policy;
  return Array.isArray(Statement) ? Statement : [Statement];
}
