import { subscriptionArnOf } from '../../policy/messages/envelope';
import type { Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/told';
import { loggingOf } from '../fixes/log-deliveries';
import type { Inventory, SubscriptionFacts } from '../inventory/inventory';
import { topicOf } from '../inventory/look-ups';
import type { Evidence, SeenMessage } from './evidence';

/** The subscription a letter was for: the envelope names it; of a bare message it is known where there is but one. */
export function subscriptionOf({ decoded: { who } }: SeenMessage, evidence: Evidence): SubscriptionFacts | undefined {
  const { queueArn, inventory } = evidence;
  const feeding = inventory.subscriptions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
  if (who.kind === 'notification') {
    const arn = subscriptionArnOf(who.envelope);
    const ofTopic = feeding.filter(it => knownValue(it.topicArn) === who.envelope.TopicArn);
    return feeding.find(it => it.arn === arn) ?? (arn === undefined && ofTopic.length === 1 ? ofTopic[0] : undefined);
  }
  const bare = feeding.filter(({ isRaw }) => knownValue(isRaw) === true);
  return bare.length === 1 ? bare[0] : undefined;
}

/** Whether a topic logs what fails of a protocol; undefined where that is not known. */
export function isLogging(topicArn: string, protocol: Protocol, inventory: Inventory): boolean | undefined {
  const topic = topicOf(topicArn, inventory);
  const logging = topic && loggingOf(topic, protocol);
  return logging && logging.failureRoleArn !== undefined;
}
