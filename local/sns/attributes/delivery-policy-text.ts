import {
  type DeliveryPolicy,
  type DeliveryPolicySettings,
  effectivePolicy,
  type TopicPolicySettings,
} from '../../../policy/delivery-policy/delivery-policy';
import { type PolicyContext, readPolicyDocument } from '../../../policy/delivery-policy/policy-document';
import { parseJsonAttribute } from '../../../policy/json-text';
import { awsText } from '../../../policy/problem';
import type { Refuse } from '../errors';
import type { Subscription, Topic } from '../topic/topic-and-subscription';

/** Reads a `DeliveryPolicy` attribute. */
export function readDeliveryPolicy(text: string, context: PolicyContext, refuse: Refuse): TopicPolicySettings {
  const document = parseJsonAttribute(text, problem => refuse(`DeliveryPolicy: ${problem}`));
  const parsed = readPolicyDocument(document, { ...context, demandMandatory: true });
  if (parsed.kind === 'policy') return parsed.settings;
  const [first] = parsed.problems;
  throw refuse(`DeliveryPolicy: ${first ? awsText(first) : 'is not a delivery policy'}`);
}

/**
 * Returns the policy of a topic as JSON, in the member order of SNS. `JSON.stringify` omits members without a value.
 */
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

/** Returns a topic's `DeliveryPolicy` attribute: only what was set, normalized. */
export function topicDeliveryPolicyText({ deliveryPolicy }: Topic): string | undefined {
  return deliveryPolicy && topicText(deliveryPolicy, deliveryPolicy.disableSubscriptionOverrides ?? false);
}

/** Returns a topic's `EffectiveDeliveryPolicy` attribute: the policy with all defaults. */
export function topicEffectivePolicyText({ deliveryPolicy }: Topic): string {
  const disableSubscriptionOverrides = deliveryPolicy?.disableSubscriptionOverrides ?? false;
  return topicText(effectivePolicy({ topic: deliveryPolicy }), disableSubscriptionOverrides);
}

/** Returns the policy of a subscription as JSON, in the member order of SNS. It includes two obsolete members. */
function subscriptionText(policy: DeliveryPolicySettings): string {
  return JSON.stringify({
    healthyRetryPolicy: policy.healthyRetryPolicy ?? null,
    sicklyRetryPolicy: null,
    throttlePolicy: policy.throttlePolicy ?? null,
    requestPolicy: policy.requestPolicy ?? null,
    guaranteed: false,
  });
}

/** Returns a subscription's `DeliveryPolicy` attribute. SNS shows its retry policy with all defaults. */
export function subscriptionDeliveryPolicyText({ deliveryPolicy }: Subscription): string | undefined {
  if (!deliveryPolicy) return undefined;
  const filled: DeliveryPolicy = effectivePolicy({ subscription: deliveryPolicy });
  const { healthyRetryPolicy } = filled;
  return subscriptionText({ ...deliveryPolicy, ...(deliveryPolicy.healthyRetryPolicy && { healthyRetryPolicy }) });
}

/**
 * Returns a subscription's `EffectiveDeliveryPolicy` attribute: its own policy, the topic's policy and the defaults,
 * merged member by member.
 */
export function subscriptionEffectivePolicyText({ effectivePolicy: effective }: Subscription): string {
  return subscriptionText(effective);
}
