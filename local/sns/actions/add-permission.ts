import { rootArn } from '../../kernel/caller';
import { isMembers } from '../../kernel/json';
import { OUT_OF_SCOPE, TOPIC_POLICY_ACTIONS } from '../attributes/topic-policy';
import { invalidParameter } from '../errors';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';
import { statementsOf } from './topic-statements';

/** AWS writes a list of one as the one. */
function oneOrMany(values: readonly string[]): string | readonly string[] {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : values;
}

/**
 * Adds a statement to the topic's policy. Its words are those other implementations report of AWS.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_AddPermission.html
 */
export const addPermission: SnsAction<'AddPermission'> = {
  permission: 'sns:AddPermission',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: (world, { input: { TopicArn, Label = '', AWSAccountId = [], ActionName = [] } }) => {
    const topic = topicNamed(world, TopicArn);
    const statements = statementsOf(topic);
    if (Label === '') throw invalidParameter('Label');
    if (AWSAccountId.length === 0) throw invalidParameter('AWSAccountId');
    if (ActionName.length === 0) throw invalidParameter('ActionName');
    if (statements.some(statement => isMembers(statement) && statement['Sid'] === Label)) {
      throw invalidParameter('Statement already exists');
    }
    if (!ActionName.every(action => TOPIC_POLICY_ACTIONS.includes(action))) throw invalidParameter(OUT_OF_SCOPE);
    const { partition } = world.context.place;
    const statement = {
      Sid: Label,
      Effect: 'Allow',
      Principal: { AWS: oneOrMany(AWSAccountId.map(account => rootArn(partition, account))) },
      Action: oneOrMany(ActionName.map(action => `SNS:${action}`)),
      Resource: topic.arn,
    };
    topic.policy = { ...topic.policy, Statement: [...statements, statement] };
  },
};
