import type { Subscription as ListedSubscription } from '@aws-sdk/client-sns';
import { setSubscriptionAttribute, subscriptionAttributes } from '../attributes/subscription-attributes';
import { invalidParameter, refuseValue } from '../errors';
import type { SnsState } from '../sns-state';
import type { Subscription } from '../topic/topic';
import { checkArn, type SnsAction, snsPage, topicAt, topicNamed, topicOfSubscription } from './sns-action';

/** The ARN of a subscription is the ARN of its topic, followed by an id. */
const ARN_PARTS = 7;

/** @throws AwsError when the ARN is not that of a subscription */
export function checkSubscriptionArn(arn: string | undefined): void {
  if (arn === undefined) throw invalidParameter('SubscriptionArn Reason: no value for required parameter');
  checkArn('SubscriptionArn', arn);
  if (arn.split(':').length < ARN_PARTS) throw invalidParameter('SubscriptionId');
}

/**
 * Returns the subscription with this ARN.
 * @throws AwsError when the ARN is not that of a subscription, or the subscription does not exist
 */
function subscriptionNamed({ directory }: SnsState, arn: string | undefined): Subscription {
  checkSubscriptionArn(arn);
  return directory.subscription(arn);
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetSubscriptionAttributes.html */
export const getSubscriptionAttributes: SnsAction<'GetSubscriptionAttributes'> = {
  permission: 'sns:GetSubscriptionAttributes',
  resourceOf: (state, { SubscriptionArn }) => topicOfSubscription(state, SubscriptionArn),
  run: (state, { input }) => ({
    Attributes: subscriptionAttributes(subscriptionNamed(state, input.SubscriptionArn)),
  }),
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSubscriptionAttributes.html */
export const setSubscriptionAttributes: SnsAction<'SetSubscriptionAttributes'> = {
  permission: 'sns:SetSubscriptionAttributes',
  resourceOf: (state, { SubscriptionArn }) => topicOfSubscription(state, SubscriptionArn),
  run: (state, { input: { SubscriptionArn, AttributeName = '', AttributeValue = '' } }) => {
    setSubscriptionAttribute(subscriptionNamed(state, SubscriptionArn), AttributeName, AttributeValue, refuseValue);
  },
};

/** A subscription as lists show it. A pending one has no ARN yet. */
function listed({ arn, owner, protocol, endpoint, topic, pending }: Subscription): ListedSubscription {
  return {
    SubscriptionArn: pending ? 'PendingConfirmation' : arn,
    Owner: owner,
    Protocol: protocol,
    Endpoint: endpoint,
    TopicArn: topic.arn,
  };
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptions.html */
export const listSubscriptions: SnsAction<'ListSubscriptions'> = {
  permission: 'sns:ListSubscriptions',
  resourceOf: () => ({ arn: '*' }),
  run: ({ ownSubscriptions }, { input }) => {
    const { items, nextToken } = snsPage(ownSubscriptions(), input.NextToken);
    return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html */
export const listSubscriptionsByTopic: SnsAction<'ListSubscriptionsByTopic'> = {
  permission: 'sns:ListSubscriptionsByTopic',
  resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
  run: (state, { input }) => {
    const { items, nextToken } = snsPage(topicNamed(state, input.TopicArn).subscriptions, input.NextToken);
    return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
  },
};
