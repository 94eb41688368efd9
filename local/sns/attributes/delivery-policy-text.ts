import {
  type DeliveryPolicy,
  type DeliveryPolicySettings,
  effectivePolicy,
  type TopicPolicySettings,
} from '../../../policy/delivery-policy/delivery-policy';
import { type PolicyContext, readPolicyDocument } from '../../../policy/delivery-policy/policy-document';
import { awsText } from '../../../policy/problem';
import { parseJsonAttribute, type Refuse } from '../errors';
import type { Subscription, Topic } from '../topic';

/**
 * Reads a `DeliveryPolicy` attribute. SNS answers the first thing that is wrong with it.
 * @throws AwsError made by `refuse`
 */
export function readDeliveryPolicy(text: string, context: PolicyContext, refuse: Refuse): TopicPolicySettings {
  const document = parseJsonAttribute(text, problem => refuse(`DeliveryPolicy: ${problem}`));
  const parsed = readPolicyDocument(document, { ...context, demandMandatory: true });
  if (parsed.kind === 'policy') return parsed.settings;
  const [first] = parsed.problems;
  throw refuse(`DeliveryPolicy: ${first ? awsText(first) : 'is not a delivery policy'}`);
}

/** A topic's members in the order in which SNS shows them; members without a value are left out by `JSON.stringify`. */
function topicText(policy: Partial<DeliveryPolicySettings>, disableSubscriptionOverrides: boolean): string {
  return JSON.stringify({
    http: {
      defaultHealthyRetryPolicy: policy.healthyRetryPolicy,
      disableSubscriptionOverrides,
      defaultThrottlePolicy: policy.throttlePolicy,
      defaultRequestPolicy: policy.requestPolicy,
    },
  });
}

/** A topic's `DeliveryPolicy` as SNS shows it: what was set, normalized, nothing filled in. */
export function topicDeliveryPolicyText({ deliveryPolicy }: Topic): string | undefined {
  return deliveryPolicy && topicText(deliveryPolicy, deliveryPolicy.disableSubscriptionOverrides ?? false);
}

/** A topic's `EffectiveDeliveryPolicy`: everything filled in, whether or not anything was set. */
export function topicEffectivePolicyText({ deliveryPolicy }: Topic): string {
  const disableSubscriptionOverrides = deliveryPolicy?.disableSubscriptionOverrides ?? false;
  return topicText(effectivePolicy({ topic: deliveryPolicy }), disableSubscriptionOverrides);
}

/** A subscription's members in the order in which SNS shows them, with the two it no longer has a use for. */
function subscriptionText(policy: DeliveryPolicySettings): string {
  return JSON.stringify({
    healthyRetryPolicy: policy.healthyRetryPolicy ?? null,
    sicklyRetryPolicy: null,
    throttlePolicy: policy.throttlePolicy ?? null,
    requestPolicy: policy.requestPolicy ?? null,
    guaranteed: false,
  });
}

/** A subscription's `DeliveryPolicy` as SNS shows it: a retry policy is shown filled in. */
export function subscriptionDeliveryPolicyText({ deliveryPolicy }: Subscription): string | undefined {
  if (!deliveryPolicy) return undefined;
  const filled: DeliveryPolicy = effectivePolicy({ subscription: deliveryPolicy });
  const { healthyRetryPolicy } = filled;
  return subscriptionText({ ...deliveryPolicy, ...(deliveryPolicy.healthyRetryPolicy && { healthyRetryPolicy }) });
}

/** A subscription's `EffectiveDeliveryPolicy`: its own, its topic's and the defaults, merged member by member. */
export function subscriptionEffectivePolicyText({ effectivePolicy: effective }: Subscription): string {
  return subscriptionText(effective);
}
