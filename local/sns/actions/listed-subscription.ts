import type { Subscription as ListedSubscription } from '@aws-sdk/client-sns';
import type { Subscription } from '../subscription';

/** A subscription as lists show it: one that is not confirmed has no ARN yet. */
export function listed({ arn, owner, protocol, endpoint, topic, pending }: Subscription): ListedSubscription {
  return {
    SubscriptionArn: pending ? 'PendingConfirmation' : arn,
    Owner: owner,
    Protocol: protocol,
    Endpoint: endpoint,
    TopicArn: topic.arn,
  };
}
