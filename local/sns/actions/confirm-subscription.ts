import { parseArn } from '../../../policy/arn';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import { invalidParameter } from '../errors';
import type { SnsState } from '../sns-state';
import { isTokenText, type Subscription } from '../topic/topic';
import { type SnsAction, topicAt } from './sns-action';

/**
 * Confirms a subscription, or restores the deleted subscription for the token of an UnsubscribeConfirmation. The token
 * alone identifies the subscription: the topic ARN must be well-formed, but the topic need not exist. Confirming twice
 * changes nothing.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
 */
export const confirmSubscription: SnsAction<'ConfirmSubscription'> = {
  // The token is the permission.
  permission: undefined,
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
};

/** @throws AwsError when the token is unknown or has expired */
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
