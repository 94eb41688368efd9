import { parseArn } from '../../../policy/arn';
import { AwsError } from '../../kernel/aws-error';
import type { Caller } from '../../kernel/caller';
import type { SnsInternals } from '../directory';
import { invalidParameter } from '../errors';
import { isTokenText, type Subscription } from '../topic';
import { type SnsAction, topicAt } from './sns-action';

/** @throws AwsError when the token opens nothing, or no longer */
function subscriptionOf({ directory, context }: SnsInternals, token: string): Subscription {
  if (!isTokenText(token)) throw new AwsError('InvalidParameter', 'Invalid token');
  const subscription = directory.findByToken(token);
  if (!subscription || subscription.token.expiresAtMs <= context.timeline.nowMs) throw invalidParameter('Token');
  return subscription;
}

/** Whether a deleted subscription can come back: its topic is there, and has not got another one of the endpoint. */
function canComeBack({ directory }: SnsInternals, { topic, protocol, endpoint }: Subscription): boolean {
  const isTaken = topic.subscriptions.some(other => other.protocol === protocol && other.endpoint === endpoint);
  return directory.findTopic(topic.arn) === topic && !isTaken;
}

/** Opens the way for what is published from now on. */
function open(internals: SnsInternals, subscription: Subscription, caller: Caller): void {
  const { directory, context } = internals;
  if (subscription.deleted) {
    if (!canComeBack(internals, subscription)) throw invalidParameter('Token');
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
 * The token alone says which subscription it is: a topic that does not exist, but could, confirms as well. Confirming again
 * changes nothing. The token of an UnsubscribeConfirmation brings the deleted subscription back as it was.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
 */
export const confirmSubscription: SnsAction<'ConfirmSubscription'> = {
  // Whoever holds the token of a subscription may confirm it.
  permission: undefined,
  resourceOf: (internals, { TopicArn }) => topicAt(internals, TopicArn),
  run: (internals, { caller, input: { TopicArn = '', Token = '', AuthenticateOnUnsubscribe = 'false' } }) => {
    if (parseArn(TopicArn)?.region !== internals.context.place.region) throw invalidParameter('Topic');
    const mustAuthenticate = AuthenticateOnUnsubscribe.toLowerCase() === 'true';
    if (mustAuthenticate && caller.isAnonymous) {
      throw new AwsError('MissingAuthenticationToken', 'Request is missing Authentication Token', 403);
    }
    const subscription = subscriptionOf(internals, Token);
    open(internals, subscription, caller);
    if (mustAuthenticate) subscription.authenticateOnUnsubscribe = true;
    return { SubscriptionArn: subscription.arn };
  },
};
