import { listed } from './listed-subscription';
import { snsPage } from './page';
import { type SnsAction, topicAt } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html */
export const listSubscriptionsByTopic: SnsAction<'ListSubscriptionsByTopic'> = {
  permission: 'sns:ListSubscriptionsByTopic',
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: ({ directory }, { input }) => {
    const { items, nextToken } = snsPage(directory.topic(input.TopicArn).subscriptions, input.NextToken);
    return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
  },
};
