import { parseArn } from '../../kernel/arn';
import { invalidParameter } from '../errors';
import { type SnsAction, topicOfSubscription } from './sns-action';

/** Deleting what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_Unsubscribe.html */
export const unsubscribe: SnsAction<'Unsubscribe'> = {
  permission: 'sns:Unsubscribe',
  resourceOf: (world, { SubscriptionArn }) => topicOfSubscription(world, SubscriptionArn),
  run: ({ directory, context }, { input: { SubscriptionArn = '' } }) => {
    if (!parseArn(SubscriptionArn)) {
      const parts = SubscriptionArn.split(':').length;
      throw invalidParameter(`SubscriptionArn Reason: An ARN must have at least 6 elements, not ${parts}`);
    }
    const subscription = directory.findSubscription(SubscriptionArn);
    if (!subscription) return;
    directory.removeSubscription(subscription);
    const topicArn = subscription.topic.arn;
    context.trace.record({ type: 'sns.unsubscribed', topicArn, subscriptionArn: subscription.arn });
  },
};
