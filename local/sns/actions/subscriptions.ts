import type { Subscription as ListedSubscription } from '@aws-sdk/client-sns';
import { parseArn } from '../../../policy/arn';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { setSubscriptionAttribute, subscriptionAttributes } from '../attributes/subscription-attributes';
import { sendControlMessage } from '../delivery/control-message-delivery';
import { invalidParameter, refuseValue } from '../errors';
import type { SnsState } from '../sns-state';
import { isTokenText, newToken, type Subscription } from '../topic/topic-and-subscription';
import { checkArn, type SnsFamily, snsPage, topicAt, topicNamed, topicOfSubscription } from './sns-action';

/** The ARN of a subscription is the ARN of its topic, followed by an id. */
const ARN_PARTS = 7;

function checkSubscriptionArn(arn: string | undefined): void {
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

export const subscriptionActions = {
  GetSubscriptionAttributes: {
    resourceOf: (state, { SubscriptionArn }) => topicOfSubscription(state, SubscriptionArn),
    run: (state, { input }) => ({
      Attributes: subscriptionAttributes(subscriptionNamed(state, input.SubscriptionArn)),
    }),
  },

  SetSubscriptionAttributes: {
    resourceOf: (state, { SubscriptionArn }) => topicOfSubscription(state, SubscriptionArn),
    run: (state, { input: { SubscriptionArn, AttributeName = '', AttributeValue = '' } }) => {
      setSubscriptionAttribute(subscriptionNamed(state, SubscriptionArn), AttributeName, AttributeValue, refuseValue);
    },
  },

  ListSubscriptions: {
    run: ({ ownSubscriptions }, { input }) => {
      const { items, nextToken } = snsPage(ownSubscriptions(), input.NextToken);
      return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  ListSubscriptionsByTopic: {
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: (state, { input }) => {
      const { items, nextToken } = snsPage(topicNamed(state, input.TopicArn).subscriptions, input.NextToken);
      return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  /**
   * Confirms a subscription, or restores the deleted subscription for the token of an UnsubscribeConfirmation. The token
   * alone identifies the subscription: the topic ARN must be well-formed, but the topic need not exist. Confirming twice
   * changes nothing.
   */
  ConfirmSubscription: {
    // The token is the permission.
    permission: null,
    resourceOf: (state, { TopicArn }) => topicAt(state, TopicArn),
    run: (state, { caller, input: { TopicArn = '', Token = '', AuthenticateOnUnsubscribe = 'false' } }) => {
      if (parseArn(TopicArn)?.region !== state.context.place.region) throw invalidParameter('Topic');
      const mustAuthenticate = AuthenticateOnUnsubscribe.toLowerCase() === 'true';
      if (mustAuthenticate && caller.isAnonymous) {
        throw new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token', 403);
      }
      const subscription = subscriptionOf(state, Token);
      open(state, subscription, caller);
      if (mustAuthenticate) subscription.authenticateOnUnsubscribe = true;
      return { SubscriptionArn: subscription.arn };
    },
  },

  /** Deleting a missing subscription succeeds. */
  Unsubscribe: {
    resourceOf: (state, { SubscriptionArn }) => topicOfSubscription(state, SubscriptionArn),
    run: (state, { caller, input: { SubscriptionArn } }) => {
      checkSubscriptionArn(SubscriptionArn);
      const { directory, context } = state;
      const subscription = directory.findSubscription(SubscriptionArn);
      if (!subscription) return;
      if (subscription.authenticateOnUnsubscribe && caller.isAnonymous) {
        const text = `User: anonymous is not authorized to perform: SNS:Unsubscribe on resource: ${subscription.arn}`;
        throw new AwsError('AuthorizationError', text, 403);
      }
      directory.removeSubscription(subscription);
      const topicArn = subscription.topic.arn;
      context.trace.record({ type: 'sns.unsubscribed', topicArn, subscriptionArn: subscription.arn });
      if (receivesUnsubscribeConfirmation(subscription, caller)) offerBack(state, subscription);
    },
  },
} satisfies SnsFamily;

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

function subscriptionOf({ directory, context }: SnsState, token: string): Subscription {
  if (!isTokenText(token)) throw new AwsError('InvalidParameter', 'Invalid token');
  const subscription = directory.findByToken(token);
  if (!subscription || subscription.token.expiresAtMs <= context.timeline.nowMs) throw invalidParameter('Token');
  return subscription;
}

/**
 * Whether a deleted subscription can be restored: its topic exists and has no new subscription of the same endpoint.
 */
function canComeBack({ directory }: SnsState, { topic, protocol, endpoint }: Subscription): boolean {
  const isTaken = topic.subscriptions.some(other => other.protocol === protocol && other.endpoint === endpoint);
  return directory.findTopic(topic.arn) === topic && !isTaken;
}

/** Confirms a subscription. It receives messages published from now on. */
function open(state: SnsState, subscription: Subscription, caller: Caller): void {
  const { directory, context } = state;
  if (subscription.deleted) {
    if (!canComeBack(state, subscription)) throw invalidParameter('Token');
    directory.addSubscription(subscription);
  } else if (!subscription.pending) {
    return;
  }
  subscription.pending = false;
  subscription.confirmationWasAuthenticated = caller.isAnonymous !== true;
  const topicArn = subscription.topic.arn;
  context.trace.record({ type: 'sns.confirmed', topicArn, subscriptionArn: subscription.arn });
}

/**
 * Whether the endpoint receives an unsubscribe confirmation, with which its owner can restore the subscription.
 * Recorded for HTTP/S, for every caller of Unsubscribe.
 * **Assumption SNS-32:** E-mail endpoints receive it when an unauthenticated caller used the link in an e-mail, but not
 * when the owner of the topic unsubscribes them.
 */
function receivesUnsubscribeConfirmation(
  { protocol, pending }: Subscription,
  { isAnonymous = false }: Caller,
): boolean {
  if (pending) return false;
  if (protocol === 'http' || protocol === 'https') return true;
  return isAnonymous && (protocol === 'email' || protocol === 'email-json');
}

/** Sends the unsubscribe confirmation. The subscription can be restored until its token expires. */
function offerBack({ directory, services, context }: SnsState, subscription: Subscription): void {
  const { protocol } = subscription;
  if (protocol !== 'http' && protocol !== 'https' && protocol !== 'email' && protocol !== 'email-json') return;
  const { random, timeline } = context;
  const token = newToken(random, timeline.nowMs);
  directory.offerBack(subscription, token);
  sendControlMessage(services, subscription, protocol, 'UnsubscribeConfirmation');
  timeline.inBackground(token.expiresAtMs, () => {
    if (subscription.deleted && subscription.token === token) directory.forgetToken(subscription);
  });
}
