import { setSubscriptionAttribute } from '../attributes/subscription-attributes';
import { refuseValue } from '../errors';
import { type SnsAction, topicOfSubscription } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSubscriptionAttributes.html */
export const setSubscriptionAttributes: SnsAction<'SetSubscriptionAttributes'> = {
  permission: 'sns:SetSubscriptionAttributes',
  resourceOf: (world, { SubscriptionArn }) => topicOfSubscription(world, SubscriptionArn),
  run: ({ directory }, { input: { SubscriptionArn, AttributeName = '', AttributeValue = '' } }) => {
    setSubscriptionAttribute(directory.subscription(SubscriptionArn), AttributeName, AttributeValue, refuseValue);
  },
};
