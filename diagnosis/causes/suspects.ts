import { subscriptionArnOf } from '../../policy/messages/envelope';
import type { Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/maybe-known';
import { loggingOf } from '../fixes/log-deliveries';
import { feedersOf } from '../inventory/feeders';
import { type Inventory, mayLack, type SubscriptionFacts } from '../inventory/inventory';
import { topicOf, unqualified } from '../inventory/look-ups';
import type { Evidence, MappingEvidence, SampledMessage } from './evidence';

/**
 * The queues from which SQS moves messages here.
 * @param movedFrom the ARNs that messages name
 */
export function sourceQueues(
  queueArn: string,
  inventory: Inventory,
  movedFrom: ReadonlySet<string>,
): readonly string[] {
  const feeding = feedersOf(queueArn, inventory).filter(({ kind }) => kind === 'queue');
  return [...new Set([...movedFrom, ...feeding.map(({ resource }) => resource.arn)])];
}

/** Functions that may have failed: those that read the source queues, and those that send their own failures here. */
export function suspectsOf(
  queueArn: string,
  inventory: Inventory,
  mappings: readonly MappingEvidence[],
): readonly string[] {
  const feeders = feedersOf(queueArn, inventory);
  const own = feeders
    .filter(({ kind }) => kind === 'function' || kind === 'destination')
    .map(({ resource }) => resource.arn);
  const streams = inventory.mappings.filter(({ onFailureArn }) => knownValue(onFailureArn) === queueArn);
  const reading = [...mappings.map(it => it.functionArn), ...streams.flatMap(it => knownValue(it.functionArn) ?? [])];
  return [...new Set([...own, ...reading.map(unqualified)])];
}

export function feedingTopics(queueArn: string, { subscriptions }: Inventory): readonly string[] {
  const feeding = subscriptions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
  return [...new Set(feeding.flatMap(({ topicArn }) => knownValue(topicArn) ?? []))];
}

/** Whether the topic logs any failures. Unknown counts as yes. */
export function mayLog(topicArn: string, { topics }: Inventory): boolean {
  const topic = topics.find(it => it.arn === topicArn);
  const logging = topic && knownValue(topic.logging);
  return logging?.some(({ failureRoleArn }) => failureRoleArn !== undefined) ?? true;
}

/** The ARN of the subscription that a message's envelope names; undefined if it has none. */
export function subscriptionNamed({ decoded: { who } }: SampledMessage): string | undefined {
  return who.kind === 'notification' ? subscriptionArnOf(who.envelope) : undefined;
}

/** The subscription of a message: named by its envelope; for a raw message, the only one that feeds the queue. */
export function subscriptionOf(
  { decoded: { who } }: SampledMessage,
  evidence: Evidence,
): SubscriptionFacts | undefined {
  const { queueArn, inventory } = evidence;
  const feeding = inventory.subscriptions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
  if (who.kind === 'notification') {
    const arn = subscriptionArnOf(who.envelope);
    const ofTopic = feeding.filter(it => knownValue(it.topicArn) === who.envelope.TopicArn);
    const isOnly = arn === undefined && ofTopic.length === 1 && !mayLack(inventory, 'feeders');
    return feeding.find(it => it.arn === arn) ?? (isOnly ? ofTopic[0] : undefined);
  }
  if (mayLack(inventory, 'feeders')) return undefined;
  const bare = feeding.filter(({ isRaw }) => knownValue(isRaw) === true);
  return bare.length === 1 ? bare[0] : undefined;
}

/** Whether a topic logs failures of a protocol. Unknown logging counts as logging. */
export function isLogging(topicArn: string, protocol: Protocol, inventory: Inventory): boolean | undefined {
  const topic = topicOf(topicArn, inventory);
  const logging = topic && loggingOf(topic, protocol);
  return logging && logging.failureRoleArn !== undefined;
}
