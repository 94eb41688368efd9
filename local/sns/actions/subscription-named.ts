import { invalidParameter } from '../errors';
import type { SnsInternals } from '../sns-world';
import type { Subscription } from '../subscription';
import { checkArn } from './topic-named';

/** The ARN of a subscription is that of its topic, and an id. */
const ARN_PARTS = 7;

/** @throws AwsError when the ARN is none of a subscription */
export function checkSubscriptionArn(arn: string | undefined): void {
  if (arn === undefined) throw invalidParameter('SubscriptionArn Reason: no value for required parameter');
  checkArn('SubscriptionArn', arn);
  if (arn.split(':').length < ARN_PARTS) throw invalidParameter('SubscriptionId');
}

/**
 * The subscription with this ARN.
 * @throws AwsError when the ARN is none of a subscription, or there is no such subscription
 */
export function subscriptionNamed({ directory }: SnsInternals, arn: string | undefined): Subscription {
  checkSubscriptionArn(arn);
  return directory.subscription(arn);
}
