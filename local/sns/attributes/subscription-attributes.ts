import { parseArn } from '../../../policy/arn';
import { FilterPolicy } from '../../../policy/filter/filter-policy';
import {
  FILTER_POLICY_SCOPES,
  FilterPolicyError,
  type FilterPolicyScope,
  NestedPolicyError,
} from '../../../policy/filter/filter-tree';
import { parseJsonAttribute } from '../../../policy/json-text';
import { policyFor, RAW_PROTOCOLS } from '../../../policy/outcome/protocol';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { isObject } from '../../kernel/json';
import { isFifoName } from '../../kernel/messaging';
import { type Refuse, readBoolean } from '../errors';
import type { RedrivePolicy, Subscription, SubscriptionIdentity } from '../topic/topic-and-subscription';
import {
  readDeliveryPolicy,
  subscriptionDeliveryPolicyText,
  subscriptionEffectivePolicyText,
} from './delivery-policy-text';

/** One attribute of a subscription: how to read it and, if possible, how to set it. */
interface SubscriptionAttribute {
  /** Undefined when the attribute is not shown. */
  readonly get: (subscription: Subscription) => string | undefined;
  /** @throws AwsError made by `refuse` */
  readonly set?: (subscription: Subscription, value: string, refuse: Refuse) => void;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/subscription-filter-policy-constraints.html */
const MAX_FILTER_POLICIES = 200;

/** Sets one attribute. An empty value removes it. */
export function setSubscriptionAttribute(
  subscription: Subscription,
  name: string,
  value: string,
  refuse: Refuse,
): void {
  const set = SUBSCRIPTION_ATTRIBUTES.get(name)?.set;
  if (!set) throw refuse('AttributeName');
  set(subscription, value, refuse);
}

/**
 * Checks a delivery policy again after raw message delivery has changed.
 * **Assumption SNS-9:** SNS refuses the change when the existing policy no longer fits it.
 */
function checkDeliveryPolicy(
  policy: Subscription['deliveryPolicy'],
  rawMessageDelivery: boolean,
  refuse: Refuse,
): void {
  if (policy) readDeliveryPolicy(JSON.stringify(policy), { level: 'subscription', rawMessageDelivery }, refuse);
}

function setRawMessageDelivery(subscription: Subscription, value: string, refuse: Refuse): void {
  const raw = readBoolean('RawMessageDelivery', value, refuse);
  if (raw && !RAW_PROTOCOLS.includes(subscription.protocol)) {
    throw refuse(`Delivery protocol [${subscription.protocol}] does not support raw message delivery.`);
  }
  // A policy may name a content type that is valid for raw messages only.
  checkDeliveryPolicy(subscription.deliveryPolicy, raw, refuse);
  subscription.rawMessageDelivery = raw;
}

function compile(text: string, scope: FilterPolicyScope, refuse: Refuse): FilterPolicy {
  try {
    return new FilterPolicy(text, scope);
  } catch (error) {
    if (!(error instanceof FilterPolicyError)) throw error;
    throw refuse(error instanceof NestedPolicyError ? error.message : `FilterPolicy: ${error.message}`);
  }
}

/** **Assumption SNS-33:** AWS does not publish this text. */
function checkFilterPolicyLimit({ topic, filterPolicy }: Subscription): void {
  const others = topic.subscriptions.filter(other => other.filterPolicy).length;
  if (filterPolicy || others < MAX_FILTER_POLICIES) return;
  const text = `A topic can have ${MAX_FILTER_POLICIES} subscriptions with filter policies`;
  throw new AwsError('FilterPolicyLimitExceeded', text, 403);
}

function setFilterPolicy(subscription: Subscription, value: string, refuse: Refuse): void {
  if (value === '' || value === '{}') {
    subscription.filterPolicy = undefined;
    return;
  }
  const policy = compile(value, subscription.filterPolicyScope, refuse);
  checkFilterPolicyLimit(subscription);
  subscription.filterPolicy = policy;
}

function setFilterPolicyScope(subscription: Subscription, value: string, refuse: Refuse): void {
  const scope = FILTER_POLICY_SCOPES.find(known => known === value);
  if (!scope) {
    throw refuse(`FilterPolicyScope: Invalid value [${value}]. Please use either MessageBody or MessageAttributes`);
  }
  const { filterPolicy } = subscription;
  if (filterPolicy) subscription.filterPolicy = compile(filterPolicy.text, scope, refuse);
  subscription.filterPolicyScope = scope;
}

function setDeliveryPolicy(subscription: Subscription, value: string, refuse: Refuse): void {
  const { protocol, rawMessageDelivery } = subscription;
  if (policyFor(protocol) !== 'delivery-policy') {
    throw refuse(`DeliveryPolicy: only http and https subscriptions have this attribute, not ${protocol}`);
  }
  const context = { level: 'subscription' as const, rawMessageDelivery };
  subscription.deliveryPolicy = value === '' ? undefined : readDeliveryPolicy(value, context, refuse);
}

const principalOf = ({ owner, topic }: Subscription): string =>
  `${topic.arn.split(':').slice(0, 2).join(':')}:iam::${owner}:root`;

/** In the order in which several attributes are set together: an attribute comes after those it depends on. */
const ATTRIBUTES: Readonly<Record<string, SubscriptionAttribute>> = {
  SubscriptionArn: { get: ({ arn }) => arn },
  TopicArn: { get: ({ topic }) => topic.arn },
  Owner: { get: ({ owner }) => owner },
  Protocol: { get: ({ protocol }) => protocol },
  Endpoint: { get: ({ endpoint }) => endpoint },
  SubscriptionPrincipal: { get: principalOf },
  PendingConfirmation: { get: ({ pending }) => String(pending) },
  ConfirmationWasAuthenticated: { get: subscription => String(subscription.confirmationWasAuthenticated) },
  RawMessageDelivery: { get: ({ rawMessageDelivery }) => String(rawMessageDelivery), set: setRawMessageDelivery },
  FilterPolicyScope: {
    get: ({ filterPolicy, filterPolicyScope }) => filterPolicy && filterPolicyScope,
    set: setFilterPolicyScope,
  },
  FilterPolicy: { get: ({ filterPolicy }) => filterPolicy?.text, set: setFilterPolicy },
  DeliveryPolicy: { get: subscriptionDeliveryPolicyText, set: setDeliveryPolicy },
  EffectiveDeliveryPolicy: {
    get: subscription =>
      policyFor(subscription.protocol) === 'delivery-policy'
        ? subscriptionEffectivePolicyText(subscription)
        : undefined,
  },
  RedrivePolicy: {
    get: ({ redrivePolicy }) => redrivePolicy && JSON.stringify(redrivePolicy),
    set: (subscription, value, refuse) => {
      subscription.redrivePolicy = value === '' ? undefined : readRedrivePolicy(value, subscription, refuse);
    },
  },
  SubscriptionRoleArn: {
    get: ({ subscriptionRoleArn }) => subscriptionRoleArn,
    set: (subscription, value) => {
      subscription.subscriptionRoleArn = value === '' ? undefined : value;
    },
  },
  ReplayPolicy: {
    get: () => undefined,
    set: () => {
      throw notImplemented('the subscription attribute ReplayPolicy');
    },
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetSubscriptionAttributes.html */
const SUBSCRIPTION_ATTRIBUTES: ReadonlyMap<string, SubscriptionAttribute> = new Map(Object.entries(ATTRIBUTES));

/** Sets several attributes. Their order does not matter. */
export function setSubscriptionAttributes(
  subscription: Subscription,
  attributes: Readonly<Record<string, string>>,
  refuse: Refuse,
): void {
  const unknown = Object.keys(attributes).filter(name => !SUBSCRIPTION_ATTRIBUTES.has(name));
  if (unknown.length > 0) throw refuse('AttributeName');
  for (const name of SUBSCRIPTION_ATTRIBUTES.keys()) {
    const value = attributes[name];
    if (value !== undefined) setSubscriptionAttribute(subscription, name, value, refuse);
  }
}

export function subscriptionAttributes(subscription: Subscription): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [name, { get }] of SUBSCRIPTION_ATTRIBUTES) {
    const value = get(subscription);
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}

/**
 * Reads a `RedrivePolicy` attribute.
 * @throws AwsError made by `refuse`
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-configure-dead-letter-queue.html
 */
function readRedrivePolicy(
  text: string,
  { arn, topic, endpoint, owner }: SubscriptionIdentity,
  refuse: Refuse,
): RedrivePolicy {
  const document = parseJsonAttribute(text, problem => refuse(`RedrivePolicy: ${problem}`));
  const { deadLetterTargetArn, ...others } = isObject(document) ? document : {};
  // **Assumption SNS-34:** Unknown members are refused, so that a misspelled member does not go unnoticed.
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`RedrivePolicy: Unexpected JSON member: ${unknown}`);
  if (deadLetterTargetArn === undefined) throw refuse('RedrivePolicy: Missing deadLetterTargetArn attribute');
  const queue = typeof deadLetterTargetArn === 'string' ? parseArn(deadLetterTargetArn) : undefined;
  if (typeof deadLetterTargetArn !== 'string' || !queue) {
    throw refuse('RedrivePolicy: deadLetterTargetArn is an invalid arn');
  }
  if (queue.service !== 'sqs') throw refuse('RedrivePolicy: deadLetterTargetArn must be a SQS queue');
  const own = parseArn(arn);
  if (queue.region !== own?.region) {
    throw refuse('RedrivePolicy: deadLetterTargetArn must be in the same region as the subscription');
  }
  // **Assumption SNS-54:** The account of a subscription is the one that subscribed, not that of the topic.
  if (queue.account !== owner) {
    throw refuse('RedrivePolicy: deadLetterTargetArn must be in the same account as the subscription');
  }
  // Recorded: a standard queue of a FIFO topic may have a dead-letter queue of either type. **Assumption SNS-35:** A
  // subscription of a standard topic may not have a FIFO dead-letter queue, which accepts no message without a group.
  if (topic.fifo && isFifoName(endpoint) && !isFifoName(deadLetterTargetArn)) {
    throw refuse('RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic.');
  }
  if (!topic.fifo && isFifoName(deadLetterTargetArn)) {
    throw refuse('RedrivePolicy: must not use a FIFO queue as DLQ for a Subscription to a Standard Topic.');
  }
  return { deadLetterTargetArn };
}
