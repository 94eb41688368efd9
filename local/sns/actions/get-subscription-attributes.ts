import { subscriptionAttributes } from '../attributes/subscription-attributes';
import type { SnsAction } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetSubscriptionAttributes.html */
export const getSubscriptionAttributes: SnsAction<'GetSubscriptionAttributes'> = {
  permission: 'sns:GetSubscriptionAttributes',
  topicArn: ({ directory }, { SubscriptionArn }) => directory.findSubscription(SubscriptionArn)?.topic.arn,
  run: ({ directory }, { input }) => ({
    Attributes: subscriptionAttributes(directory.subscription(input.SubscriptionArn)),
  }),
};
