import {
  type DeliveryPolicy,
  type DeliveryPolicySettings,
  type TopicPolicySettings,
  withDefaults,
} from './delivery-policy';

/** The two places a delivery policy can come from. */
export interface PolicySources {
  /** @default - the topic has none */
  readonly topic?: TopicPolicySettings;
  /** @default - the subscription has none */
  readonly subscription?: DeliveryPolicySettings;
}

/**
 * The policy one HTTP/S subscription is delivered by. Each of its three members is the subscription's where it has one,
 * else the topic's, else the default; a member is taken whole, never mixed. A topic with `disableSubscriptionOverrides`
 * has the only word.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function effectivePolicy({ topic = {}, subscription = {} }: PolicySources): DeliveryPolicy {
  const first = topic.disableSubscriptionOverrides === true ? {} : subscription;
  return withDefaults({
    healthyRetryPolicy: first.healthyRetryPolicy ?? topic.healthyRetryPolicy,
    throttlePolicy: first.throttlePolicy ?? topic.throttlePolicy,
    requestPolicy: first.requestPolicy ?? topic.requestPolicy,
  });
}
