import { nameInArn, parseArn } from '../../policy/arn';
import { knownValue } from '../../template/maybe-known';
import { matchesOnceDeployed } from '../../template/stand-in';
import { sendStatement } from '../fixes/grant-access';
import { streamRefusal } from '../fixes/stream-refusals';
import { deadLetterQueues } from '../inventory/feeders';
import {
  type Inventory,
  type InventoryPart,
  mayLack,
  type QueueFacts,
  type SubscriptionFacts,
  type TemplatePlace,
} from '../inventory/inventory';
import { functionOf, queueOf, streamOf } from '../inventory/look-ups';
import type { Check, CheckResult } from './finding';

const PARTS: Readonly<Record<string, InventoryPart>> = { lambda: 'functions', firehose: 'streams' };

/** Whether the inventory would list the resource of an ARN if it existed. */
function wouldList(arn: string, inventory: Inventory): boolean {
  const { isComplete, region, account } = inventory;
  const parsed = parseArn(arn);
  const part = PARTS[parsed?.service ?? ''] ?? 'queues';
  return isComplete && !mayLack(inventory, part) && parsed?.region === region && parsed?.account === account;
}

function deadLetterQueueGone(inventory: Inventory): CheckResult[] {
  return deadLetterQueues(inventory).flatMap(({ arn, queue, feeders }): CheckResult[] => {
    if (queue !== undefined || !wouldList(arn, inventory)) return [];
    return feeders.map(({ resource, via }) => ({
      severity: 'at-risk',
      resource,
      others: [arn],
      says: `The ${via} of ${resource.name} names ${arn}, which does not exist: its dead letters are lost.`,
      fix: { says: 'Name an existing queue. A queue created again under the same name must be named again.' },
    }));
  });
}

function isThere({ protocol }: SubscriptionFacts, arn: string, inventory: Inventory): boolean {
  if (protocol === 'sqs') return queueOf(arn, inventory) !== undefined;
  if (protocol === 'firehose') return streamOf(arn, inventory) !== undefined;
  return protocol !== 'lambda' || functionOf(arn, inventory) !== undefined;
}

function recipientGone(inventory: Inventory): CheckResult[] {
  return inventory.subscriptions.flatMap((resource): CheckResult[] => {
    const arn = knownValue(resource.endpoint);
    if (arn === undefined || !wouldList(arn, inventory) || isThere(resource, arn, inventory)) return [];
    return [
      {
        severity: 'loses',
        resource,
        others: [arn],
        says: `The subscription ${resource.name} delivers to ${arn}, which does not exist: every message is a dead letter, or lost.`,
        fix: { says: 'Delete the subscription, or create its endpoint again and subscribe that.' },
      },
    ];
  });
}

/** The state of a Firehose stream that keeps out SNS. A stream that is being created takes records soon. */
function streamRefuses(inventory: Inventory): CheckResult[] {
  return inventory.subscriptions.flatMap((subscription): CheckResult[] => {
    const stream =
      subscription.protocol === 'firehose'
        ? streamOf(knownValue(subscription.endpoint), inventory, subscription)
        : undefined;
    const refusal = stream && streamRefusal(stream, inventory);
    if (!stream || !refusal) return [];
    return [
      {
        severity: refusal.isBriefly ? 'on-change' : 'loses',
        resource: stream,
        others: [subscription.arn],
        says: `The stream ${stream.name} ${refusal.says}: every message of ${subscription.name} is a dead letter, or lost.`,
        fix: refusal.fix,
      },
    ];
  });
}

/**
 * The policy of a queue that no template creates cannot be read. Senders with a role need no queue policy within the
 * account.
 */
const COME_AS_THEMSELVES: ReadonlySet<string> = new Set(['subscription', 'rule']);

/** Whether the templates may create this queue: one has its name, and they do not state another Region or account. */
function mayBeMadeHere(arn: string, { queues }: Inventory): boolean {
  return queues.some(it => nameInArn(it.arn) === nameInArn(arn) && matchesOnceDeployed(arn, it.arn) !== false);
}

function policyNotWritable(inventory: Inventory): CheckResult[] {
  if (inventory.isComplete) return [];
  return deadLetterQueues(inventory).flatMap(({ arn, feeders }): CheckResult[] => {
    if (mayBeMadeHere(arn, inventory)) return [];
    return feeders
      .filter(({ kind }) => COME_AS_THEMSELVES.has(kind))
      .map(feeder => {
        const { resource, via } = feeder;
        const service = feeder.kind === 'rule' ? 'events.amazonaws.com' : 'sns.amazonaws.com';
        const sourceArn = feeder.kind === 'subscription' ? knownValue(feeder.resource.topicArn) : resource.arn;
        return {
          severity: 'unwatched',
          resource,
          others: [arn],
          location: `Properties/${via}`,
          says: `The dead-letter queue of ${resource.name} is ${arn}, which these templates do not create, so its policy is not checked: unless it lets ${service} send, dead letters are lost without a trace.`,
          fix: {
            says: 'Check that the policy of the queue contains this statement, and acknowledge the finding.',
            statement: sendStatement(arn, { service, sourceArn }),
          },
        };
      });
  });
}

/**
 * Whether CloudFormation may create a subscription before the policy of its queue: the policy is in the same stack, and
 * the subscription does not wait for it.
 */
function comesBefore(place: TemplatePlace, { policyPlaces = [] }: QueueFacts): boolean {
  const here = policyPlaces.filter(({ stack }) => stack === place.stack);
  return here.length > 0 && !here.some(({ logicalId }) => place.waitsFor.includes(logicalId));
}

function doesNotWait(inventory: Inventory): CheckResult[] {
  return inventory.subscriptions.flatMap((resource): CheckResult[] => {
    const { place } = resource;
    if (place === undefined) return [];
    const dead = queueOf(knownValue(resource.deadLetterTargetArn), inventory, resource);
    const to = resource.protocol === 'sqs' ? queueOf(knownValue(resource.endpoint), inventory, resource) : undefined;
    const before = [to, dead].filter((it): it is QueueFacts => it !== undefined && comesBefore(place, it));
    return before.map(queue => ({
      severity: 'on-change',
      resource,
      others: [queue.arn],
      location: 'DependsOn',
      says: `The subscription ${resource.name} does not wait for the policy of ${queue.name}: until the policy exists, as in a first deployment, SNS may not send to the queue, and messages are lost.`,
      fix: { says: 'Make the subscription depend on the queue’s policy: subscription.node.addDependency(…).' },
    }));
  });
}

export const MISSING_RESOURCE_CHECKS: readonly Check[] = [
  { id: 'dead-letter-queue-gone', severities: ['at-risk'], find: deadLetterQueueGone },
  { id: 'recipient-gone', severities: ['loses'], find: recipientGone },
  { id: 'stream-refuses-topic', severities: ['loses', 'on-change'], find: streamRefuses },
  {
    id: 'queue-policy-not-writable',
    severities: ['unwatched'],
    reportsMissing: 'configuration',
    find: policyNotWritable,
  },
  { id: 'subscription-does-not-wait', severities: ['on-change'], find: doesNotWait },
];
