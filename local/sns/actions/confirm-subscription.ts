import { parseArn } from '../../kernel/arn';
import { invalidParameter } from '../errors';
import { type SnsAction, topicAt } from './sns-action';

/**
 * The token alone says which subscription it is: a topic that does not exist, but could, confirms as well. Confirming again
 * changes nothing.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_ConfirmSubscription.html
 */
export const confirmSubscription: SnsAction<'ConfirmSubscription'> = {
  // Whoever holds the token of a subscription may confirm it.
  permission: undefined,
  resourceOf: (world, { TopicArn }) => topicAt(world, TopicArn),
  run: ({ directory, context }, { input: { TopicArn = '', Token, AuthenticateOnUnsubscribe } }) => {
    if (parseArn(TopicArn)?.region !== context.place.region) throw invalidParameter('Topic');
    const subscription = directory.findByToken(Token);
    if (!subscription) throw invalidParameter('Token');
    if (subscription.pending) {
      subscription.pending = false;
      subscription.confirmationWasAuthenticated = AuthenticateOnUnsubscribe === 'true';
      const topicArn = subscription.topic.arn;
      context.trace.record({ type: 'sns.confirmed', topicArn, subscriptionArn: subscription.arn });
    }
    return { SubscriptionArn: subscription.arn };
  },
};
