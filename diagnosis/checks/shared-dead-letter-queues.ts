import { isEqual } from '../../template/access/text-matching';
import { isKnown, knownValue } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import { deadLetterQueues, type FedQueue } from '../inventory/feeders';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import { topicOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

function subscriptionsOf({ feeders }: FedQueue): SubscriptionFacts[] {
  return feeders.flatMap(it => (it.kind === 'subscription' ? [it.resource] : []));
}

function isFifo({ arn, queue }: FedQueue): boolean {
  return knownValue(queue?.isFifo) ?? (!hasStandIn(arn) && arn.endsWith('.fifo'));
}

/** Groups of two or more subscriptions of one FIFO topic. */
function byFifoTopic(subscriptions: readonly SubscriptionFacts[], inventory: Inventory): SubscriptionFacts[][] {
  const groups = new Map<string, SubscriptionFacts[]>();
  for (const subscription of subscriptions) {
    const arn = knownValue(subscription.topicArn);
    if (arn === undefined || knownValue(topicOf(arn, inventory, subscription)?.isFifo) === false) continue;
    groups.set(arn, [...(groups.get(arn) ?? []), subscription]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/**
 * SNS sends a dead letter of a FIFO topic with the deduplication id of its message, and SQS drops a second message with
 * that id within five minutes.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
 */
function fifoShared(inventory: Inventory): CheckResult[] {
  return deadLetterQueues(inventory)
    .filter(isFifo)
    .flatMap(fed =>
      byFifoTopic(subscriptionsOf(fed), inventory).flatMap(([first, ...others]): CheckResult[] => {
        if (!first) return [];
        const names = others.map(({ name }) => name).join(', ');
        return [
          {
            severity: 'at-risk',
            resource: first,
            others: [fed.arn, ...others.map(({ arn }) => arn)],
            location: 'Properties/RedrivePolicy',
            says: `The subscriptions ${first.name} and ${names} of one FIFO topic share the dead-letter queue ${fed.arn}: if one message fails at both, SQS drops the second dead letter as a duplicate.`,
            fix: { says: 'Give each subscription of a FIFO topic a dead-letter queue of its own.' },
          },
        ];
      }),
    );
}

function isRaw({ protocol, isRaw: raw }: SubscriptionFacts): boolean {
  return protocol !== 'lambda' && knownValue(raw) === true;
}

/** Whether two subscriptions certainly have other endpoints. */
function isForOther({ endpoint: one }: SubscriptionFacts, { endpoint: other }: SubscriptionFacts): boolean {
  return isKnown(one) && isKnown(other) && isEqual(one, other) === 'no';
}

function rawShared(inventory: Inventory): CheckResult[] {
  return deadLetterQueues(inventory).flatMap(fed => {
    const subscriptions = subscriptionsOf(fed);
    return subscriptions.filter(isRaw).flatMap((resource): CheckResult[] => {
      const others = subscriptions.filter(it => isForOther(it, resource));
      if (others.length === 0) return [];
      const names = others.map(({ name }) => name).join(', ');
      return [
        {
          severity: 'note',
          resource,
          others: [fed.arn],
          location: 'Properties/RedrivePolicy',
          says: `The raw subscription ${resource.name} shares its dead-letter queue with ${names}: nothing in a raw dead letter names its subscription, so dlo cannot tell where to return it.`,
          fix: { says: 'Give the raw subscription a dead-letter queue of its own, or deliver with the envelope.' },
        },
      ];
    });
  });
}

export const SHARED_DEAD_LETTER_QUEUE_CHECKS: readonly Check[] = [
  { id: 'fifo-dead-letter-queue-shared', severities: ['at-risk'], find: fifoShared },
  { id: 'raw-dead-letters-shared', severities: ['note'], find: rawShared },
];
