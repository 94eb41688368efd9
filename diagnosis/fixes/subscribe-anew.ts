import { displayNameOf } from '../../policy/arn';
import { isKnown, knownValue } from '../../template/told';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import { queueOf } from '../inventory/look-ups';
import { addedStatement } from './added-statement';
import type { AwsCall, Fix } from './fix';
import { sendStatement, statementName } from './let-send';

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The attributes a subscription has, as `Subscribe` takes them; undefined where not all of them are known. */
function attributesOf(subscription: SubscriptionFacts): Readonly<Record<string, string>> | undefined {
  const { deadLetterTargetArn, isRaw, deliveryPolicy, filterPolicy, filterPolicyScope, otherSettings } = subscription;
  if (![deadLetterTargetArn, isRaw, deliveryPolicy, filterPolicy, filterPolicyScope].every(isKnown)) return undefined;
  // Made anew without a setting nobody here knows, it would deliver something else.
  if (knownValue(otherSettings)?.length !== 0) return undefined;
  return {
    ...(isRaw === true && { RawMessageDelivery: 'true' }),
    ...(typeof deadLetterTargetArn === 'string' && { RedrivePolicy: JSON.stringify({ deadLetterTargetArn }) }),
    ...(filterPolicy !== undefined &&
      typeof filterPolicyScope === 'string' && { FilterPolicyScope: filterPolicyScope }),
    ...(filterPolicy !== undefined && { FilterPolicy: text(filterPolicy) }),
    ...(deliveryPolicy !== undefined && { DeliveryPolicy: text(deliveryPolicy) }),
  };
}

function makeQueue(queueArn: string, topicArn: string): AwsCall {
  const who = { service: 'sns.amazonaws.com', sourceArn: topicArn };
  const { policy } = addedStatement(undefined, statementName(who), sendStatement(queueArn, who));
  const isFifo = queueArn.endsWith('.fifo');
  const Attributes = { ...(isFifo && { FifoQueue: 'true' }), Policy: policy };
  return { service: 'sqs', operation: 'CreateQueue', input: { QueueName: displayNameOf(queueArn), Attributes } };
}

/**
 * Makes a deleted queue anew where it is not there, and subscribes it anew: SNS goes on refusing what it once knew to be
 * deleted. Where the subscription is not known in whole, there are no calls.
 */
export function resubscribe(queueArn: string, subscription: SubscriptionFacts, inventory: Inventory): Fix {
  const isThere = queueOf(queueArn, inventory) !== undefined;
  const name = displayNameOf(queueArn);
  const make = isThere ? '' : `Deploy the queue ${name} anew, or make it with no settings but the policy below; then `;
  const says =
    `${make}${isThere ? 'S' : 's'}ubscribe it anew: SNS does not take the new queue for the one it knew. What is published ` +
    'between the last two calls does not reach it.';
  const { topicArn } = subscription;
  const Attributes = attributesOf(subscription);
  if (!isKnown(topicArn) || !Attributes) return { says };
  const subscribe = { TopicArn: topicArn, Protocol: subscription.protocol, Endpoint: queueArn, Attributes };
  return {
    says,
    calls: [
      ...(isThere ? [] : [makeQueue(queueArn, topicArn)]),
      { service: 'sns', operation: 'Unsubscribe', input: { SubscriptionArn: subscription.arn } },
      { service: 'sns', operation: 'Subscribe', input: subscribe },
    ],
  };
}
