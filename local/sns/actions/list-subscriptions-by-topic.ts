import { listed } from './listed-subscription';
import { snsPage } from './page';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html */
export const listSubscriptionsByTopic: SnsAction<'ListSubscriptionsByTopic'> = {
  permission: 'sns:ListSubscriptionsByTopic',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: (world, { input }) => {
    const { items, nextToken } = snsPage(topicNamed(world, input.TopicArn).subscriptions, input.NextToken);
    return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
  },
};
