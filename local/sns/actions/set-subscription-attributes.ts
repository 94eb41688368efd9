import { setSubscriptionAttribute } from '../attributes/subscription-attributes';
import { refuseValue } from '../errors';
import { type SnsAction, topicOfSubscription } from './sns-action';
import { subscriptionNamed } from './subscription-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSubscriptionAttributes.html */
export const setSubscriptionAttributes: SnsAction<'SetSubscriptionAttributes'> = {
  permission: 'sns:SetSubscriptionAttributes',
  resourceOf: (world, { SubscriptionArn }) => topicOfSubscription(world, SubscriptionArn),
  run: (world, { input: { SubscriptionArn, AttributeName = '', AttributeValue = '' } }) => {
    setSubscriptionAttribute(subscriptionNamed(world, SubscriptionArn), AttributeName, AttributeValue, refuseValue);
  },
};
