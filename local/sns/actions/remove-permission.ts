import { isMembers } from '../../kernel/json';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';
import { statementsOf } from './topic-statements';

/**
 * Takes a statement out of the topic's policy. Our choice: removing what is not there is done already.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_RemovePermission.html
 */
export const removePermission: SnsAction<'RemovePermission'> = {
  permission: 'sns:RemovePermission',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: (world, { input: { TopicArn, Label } }) => {
    const topic = topicNamed(world, TopicArn);
    const kept = statementsOf(topic).filter(statement => !isMembers(statement) || statement['Sid'] !== Label);
    topic.policy = { ...topic.policy, Statement: kept };
  },
};
