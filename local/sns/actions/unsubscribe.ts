import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { ControlMessageDelivery } from '../delivery/control-message-delivery';
import type { SnsState } from '../sns-state';
import { newToken, type Subscription } from '../topic/topic';
import { type SnsAction, topicOfSubscription } from './sns-action';
import { checkSubscriptionArn } from './subscriptions';

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
  new ControlMessageDelivery(services, subscription, protocol, 'UnsubscribeConfirmation').start();
  timeline.inBackground(token.expiresAtMs, () => {
    if (subscription.deleted && subscription.token === token) directory.forgetToken(subscription);
  });
}

/** Deleting a missing subscription succeeds. @see https://docs.aws.amazon.com/sns/latest/api/API_Unsubscribe.html */
export const unsubscribe: SnsAction<'Unsubscribe'> = {
  permission: 'sns:Unsubscribe',
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
};
