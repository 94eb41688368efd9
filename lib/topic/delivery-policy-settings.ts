import { Token } from 'aws-cdk-lib';
import type { DeliveryPolicy, HealthyRetryPolicy } from 'aws-cdk-lib/aws-sns';
import type {
  BackoffFunction,
  DeliveryPolicySettings,
  RetryPolicy,
  TopicPolicySettings,
} from '../../policy/delivery-policy/delivery-policy';
import { policyProblems, WHOLE_POLICY } from '../../policy/delivery-policy/policy-document';
import { OVERRIDES_SWITCH } from '../../policy/delivery-policy/policy-rules';
import type { Problem } from '../../policy/problem';
import { knownSeconds } from '../shared/checks';

/** The settings of a CDK retry policy. Tokens stay tokens. */
export function retrySettings(retry: HealthyRetryPolicy): Partial<RetryPolicy> {
  const { minDelayTarget, maxDelayTarget, backoffFunction, ...counts } = retry;
  return {
    minDelayTarget: knownSeconds(minDelayTarget) ?? minDelayTarget?.toSeconds(),
    maxDelayTarget: knownSeconds(maxDelayTarget) ?? maxDelayTarget?.toSeconds(),
    ...counts,
    // The enum is in upper case, and SNS expects lower case.
    backoffFunction: backoffFunction?.toLowerCase() as BackoffFunction | undefined,
  };
}

/** The settings of a CDK delivery policy. Tokens stay tokens. */
export function deliverySettings(policy: DeliveryPolicy): DeliveryPolicySettings {
  const { healthyRetryPolicy, throttlePolicy, requestPolicy } = policy;
  return {
    ...(healthyRetryPolicy && { healthyRetryPolicy: retrySettings(healthyRetryPolicy) }),
    ...(throttlePolicy && { throttlePolicy }),
    ...(requestPolicy && { requestPolicy }),
  };
}

function unresolvedMembers(settings: DeliveryPolicySettings, rawMessageDelivery: unknown): Set<string> {
  const members = Object.values(settings).flatMap(group => Object.entries(group ?? {}));
  return new Set(
    [...members, ['rawMessageDelivery', rawMessageDelivery] as const]
      .filter(([, value]) => Token.isUnresolved(value))
      .map(([name]) => name),
  );
}

/**
 * Returns everything SNS would reject about a subscription's delivery policy, with the names of the user's properties.
 */
export function deliveryProblems(settings: DeliveryPolicySettings, rawMessageDelivery: boolean | undefined): Problem[] {
  const context = {
    rawMessageDelivery: rawMessageDelivery ?? false,
    unresolvedMembers: unresolvedMembers(settings, rawMessageDelivery),
  };
  return policyProblems(settings, context).map(ofProps);
}

/** Returns everything SNS would reject about a topic's delivery policy, with the names of the user's properties. */
export function topicPolicyProblems(settings: TopicPolicySettings): Problem[] {
  return policyProblems(settings, { level: 'topic', unresolvedMembers: unresolvedMembers(settings, undefined) }).map(
    ofProps,
  );
}

/** A problem with the names of our properties. */
function ofProps(problem: Problem): Problem {
  const { property } = problem;
  if (property === OVERRIDES_SWITCH) return problem;
  return { ...problem, property: property === WHOLE_POLICY ? 'deliveryPolicy' : `deliveryPolicy.${property}` };
}
