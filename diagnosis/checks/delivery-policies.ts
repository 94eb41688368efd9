import { BACKOFF_FUNCTIONS } from '../../policy/delivery-policy/delivery-policy';
import { documentProblems, type PolicyContext } from '../../policy/delivery-policy/policy-document';
import { isObject } from '../../policy/json-members';
import { formatProblem } from '../../policy/problem';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import { topicOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

const LOCATION = 'Properties/DeliveryPolicy';
const OVER_HTTP: ReadonlySet<string> = new Set(['http', 'https']);

/** The known parts of a policy. Adds the names of the unknown ones to `unresolved`. */
function reportedParts(document: unknown, unresolved: Set<string>): unknown {
  if (!isObject(document)) return document;
  const members = Object.entries(document).flatMap(([name, value]) => {
    if (isKnown(value)) return [[name, reportedParts(value, unresolved)] as const];
    unresolved.add(name);
    return [];
  });
  return Object.fromEntries(members);
}

/**
 * The policy with its backoff function in the documented case. aws-cdk-lib's `BackoffFunction` uses upper case.
 * **Assumption SNS-8:** Whether SNS refuses that is unknown, so it is only noted.
 */
function inDocumentedCase(policy: unknown): unknown {
  if (!isObject(policy) || !isObject(policy['healthyRetryPolicy'])) return policy;
  const { healthyRetryPolicy } = policy;
  const name = String(healthyRetryPolicy['backoffFunction']).toLowerCase();
  const backoffFunction = BACKOFF_FUNCTIONS.find(it => it === name);
  return backoffFunction === undefined
    ? policy
    : { ...policy, healthyRetryPolicy: { ...healthyRetryPolicy, backoffFunction } };
}

function problemsOf(document: unknown, isRaw: MaybeKnown<boolean>) {
  const unresolvedMembers = new Set<string>(isKnown(isRaw) ? [] : ['rawMessageDelivery']);
  const policy = inDocumentedCase(reportedParts(document, unresolvedMembers));
  const context: PolicyContext = { level: 'subscription', rawMessageDelivery: isRaw === true, unresolvedMembers };
  return documentProblems(policy, context);
}

/** In an account, SNS has already validated every policy. */
function written({ subscriptions }: Inventory): SubscriptionFacts[] {
  return subscriptions.filter(
    ({ place, deliveryPolicy: it }) => place !== undefined && isKnown(it) && it !== undefined,
  );
}

function rejected(inventory: Inventory): CheckResult[] {
  return written(inventory)
    .filter(({ protocol }) => OVER_HTTP.has(protocol))
    .flatMap((resource): CheckResult[] => {
      const problems = problemsOf(resource.deliveryPolicy, resource.isRaw);
      if (problems.length === 0) return [];
      return [
        {
          severity: 'rejected',
          resource,
          location: LOCATION,
          says: `SNS rejects the delivery policy of ${resource.name}: ${problems.map(formatProblem).join('; ')}.`,
          fix: { says: 'Correct the policy: dlo policy explain validates it and shows its schedule.' },
        },
      ];
    });
}

function withoutEffect(inventory: Inventory): CheckResult[] {
  return written(inventory)
    .filter(({ protocol }) => !OVER_HTTP.has(protocol) && protocol !== 'unknown')
    .map(resource => ({
      severity: 'note',
      resource,
      location: LOCATION,
      says: `The delivery policy of ${resource.name} has no effect: it applies only to HTTP/S, and the retries of ${resource.protocol} cannot be changed.`,
      fix: { says: 'Remove the delivery policy.' },
    }));
}

function overrides(document: unknown): boolean {
  const http = isObject(document) ? document['http'] : undefined;
  const value = isObject(http) ? http['disableSubscriptionOverrides'] : undefined;
  return value === true || value === 'true';
}

function overridden(inventory: Inventory): CheckResult[] {
  return inventory.subscriptions.flatMap((resource): CheckResult[] => {
    const topic = topicOf(knownValue(resource.topicArn), inventory, resource);
    const { deliveryPolicy: own, protocol } = resource;
    if (!isKnown(own) || own === undefined || !OVER_HTTP.has(protocol)) return [];
    if (topic === undefined || !isKnown(topic.deliveryPolicy) || !overrides(topic.deliveryPolicy)) return [];
    return [
      {
        severity: 'note',
        resource,
        location: LOCATION,
        says: `The delivery policy of ${resource.name} has no effect, because ${topic.name} has disableSubscriptionOverrides.`,
        fix: { says: 'Remove one of the two.' },
      },
    ];
  });
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-topic.html */
function ofTopicInTemplate({ topics }: Inventory): CheckResult[] {
  return topics
    .filter(({ unknownProperties = [] }) => unknownProperties.includes('DeliveryPolicy'))
    .map(resource => ({
      severity: 'rejected',
      resource,
      location: LOCATION,
      says: `The topic ${resource.name} has a DeliveryPolicy, a property that CloudFormation does not support: the deployment fails.`,
      fix: {
        says: 'Use a TopicDeliveryPolicy, or the deliveryPolicy of a DurableTopic, or a policy on each subscription.',
      },
    }));
}

export const DELIVERY_POLICY_CHECKS: readonly Check[] = [
  { id: 'delivery-policy-rejected', severities: ['rejected'], find: rejected },
  { id: 'delivery-policy-without-effect', severities: ['note'], find: withoutEffect },
  { id: 'delivery-policy-overridden', severities: ['note'], find: overridden },
  { id: 'topic-delivery-policy-in-template', severities: ['rejected'], find: ofTopicInTemplate },
];
