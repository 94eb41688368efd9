import { knownValue } from '../../template/told';
import { feedersOf } from '../inventory/feeders';
import type { Inventory } from '../inventory/inventory';
import { unqualified } from '../inventory/look-ups';
import type { MappingEvidence } from './evidence';

/**
 * The queues SQS moves letters from.
 * @param movedFrom the ARNs of those that letters name
 */
export function sourceQueues(
  queueArn: string,
  inventory: Inventory,
  movedFrom: ReadonlySet<string>,
): readonly string[] {
  const feeding = feedersOf(queueArn, inventory).filter(({ kind }) => kind === 'queue');
  return [...new Set([...movedFrom, ...feeding.map(({ resource }) => resource.arn)])];
}

/** Who may have failed: those that read the source queues, and those that send their own failures here. */
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

/** The topics that send what they could not deliver to the queue. */
export function feedingTopics(queueArn: string, { subscriptions }: Inventory): readonly string[] {
  const feeding = subscriptions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
  return [...new Set(feeding.flatMap(({ topicArn }) => knownValue(topicArn) ?? []))];
}

/** Whether the topic logs any failures; where that is not known, it may. */
export function mayLog(topicArn: string, { topics }: Inventory): boolean {
  const topic = topics.find(it => it.arn === topicArn);
  const logging = topic && knownValue(topic.logging);
  return logging?.some(({ failureRoleArn }) => failureRoleArn !== undefined) ?? true;
}
