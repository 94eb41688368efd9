import { subscriptionAttributes } from '../attributes/subscription-attributes';
import { type SnsAction, topicOfSubscription } from './sns-action';
import { subscriptionNamed } from './subscription-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetSubscriptionAttributes.html */
export const getSubscriptionAttributes: SnsAction<'GetSubscriptionAttributes'> = {
  permission: 'sns:GetSubscriptionAttributes',
  resourceOf: (world, { SubscriptionArn }) => topicOfSubscription(world, SubscriptionArn),
  run: (world, { input }) => ({
    Attributes: subscriptionAttributes(subscriptionNamed(world, input.SubscriptionArn)),
  }),
};
