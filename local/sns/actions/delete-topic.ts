import { type SnsAction, topicAt } from './sns-action';
import { checkTopicArn } from './topic-named';

/** Deleting what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_DeleteTopic.html */
export const deleteTopic: SnsAction<'DeleteTopic'> = {
  permission: 'sns:DeleteTopic',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: ({ directory, context }, { input }) => {
    checkTopicArn(context.place, input.TopicArn);
    const topic = directory.findTopic(input.TopicArn);
    if (!topic) return;
    for (const subscription of topic.subscriptions) {
      directory.removeSubscription(subscription);
      context.trace.record({ type: 'sns.unsubscribed', topicArn: topic.arn, subscriptionArn: subscription.arn });
    }
    directory.removeTopic(topic);
    context.trace.record({ type: 'sns.topic-deleted', topicArn: topic.arn });
  },
};
