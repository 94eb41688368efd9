import { displayNameOf } from '../../policy/arn';
import type { Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/told';
import { logFailures, loggedAs } from '../fixes/log-deliveries';
import { feedersOf } from '../inventory/feeders';
import type { Note } from './cause';
import type { Evidence, SeenMessage, TopicLog } from './evidence';
import { protocolOf } from './failed-delivery';
import { isLogging, subscriptionOf } from './letter-subscription';

function logOf(topicArn: string, { topicLogs }: Evidence): TopicLog | undefined {
  return topicLogs.find(it => it.topicArn === topicArn);
}

/** Why nothing is known of a letter SNS sent. */
function ofNotification(
  topicArn: string,
  protocol: Protocol | undefined,
  sentAtMs: number,
  evidence: Evidence,
): string {
  const log = logOf(topicArn, evidence);
  const topic = displayNameOf(topicArn);
  if (protocol !== undefined && loggedAs(protocol) === undefined) {
    return `came from the topic ${topic}, and SNS logs no deliveries by ${protocol}`;
  }
  if (protocol !== undefined && isLogging(topicArn, protocol, evidence.inventory) === false) {
    return `came from the topic ${topic}, which does not log ${loggedAs(protocol)} deliveries that fail`;
  }
  if (log?.unread !== undefined) return `came from the topic ${topic}, whose log ${log.logGroupName} ${log.unread}`;
  if (sentAtMs < evidence.fromMs) {
    return `came from the topic ${topic} before the logs were read from: look further back with --since`;
  }
  return `came from the topic ${topic}, without a record in its log: it was not on yet, or keeps none for so long`;
}

/** Why nothing is known of a letter: it completes a sentence that begins with the number of such letters. */
export function unexplainedText(seen: SeenMessage, evidence: Evidence): string {
  const { who, message } = seen.decoded;
  const { sentAtMs } = message;
  const subscription = subscriptionOf(seen, evidence);
  const endpoint = subscription && knownValue(subscription.endpoint);
  const protocol = endpoint === undefined ? undefined : protocolOf(endpoint, subscription);
  if (who.kind === 'notification') return ofNotification(who.envelope.TopicArn, protocol, sentAtMs, evidence);
  const topicArn = subscription && knownValue(subscription.topicArn);
  if (topicArn !== undefined)
    return `came bare, without an envelope, and if by SNS ${ofNotification(topicArn, protocol, sentAtMs, evidence)}`;
  return 'came without a word of where from: somebody sent here what says nothing, or SNS a bare message';
}

function nobodysNote(queueArn: string): Note {
  const says =
    `Nothing in this account and Region is configured to send dead letters to ${displayNameOf(queueArn)}: no subscription, queue, ` +
    'function, event source mapping, rule or schedule. What is there was sent by somebody else, or by what is gone.';
  return { says };
}

/** What keeps causes from being told, of every way SNS feeds the queue by. */
export function notesOn(evidence: Evidence): Note[] {
  const { queueArn, inventory, topicLogs } = evidence;
  const feeding = inventory.subscriptions.filter(it => knownValue(it.deadLetterTargetArn) === queueArn);
  const off = new Map<string, Note>();
  for (const subscription of feeding) {
    const [topicArn, endpoint] = [knownValue(subscription.topicArn), knownValue(subscription.endpoint)];
    const protocol = endpoint === undefined ? undefined : protocolOf(endpoint, subscription);
    if (topicArn === undefined || protocol === undefined) continue;
    if (isLogging(topicArn, protocol, inventory) !== false) continue;
    const fix = logFailures(topicArn, protocol, inventory);
    const name = displayNameOf(topicArn);
    const says = fix
      ? `The topic ${name} does not log ${loggedAs(protocol)} deliveries that fail: why they did, nobody can tell later.`
      : `SNS does not log deliveries by ${protocol}: why those of the topic ${name} fail, nobody can tell.`;
    off.set(says, { says, ...(fix && { fix }) });
  }
  const unread = topicLogs.flatMap(({ logGroupName, unread: why }): Note[] =>
    why === undefined ? [] : [{ says: `The log group ${logGroupName} ${why}.` }],
  );
  const isFed = feedersOf(queueArn, inventory).length > 0;
  return [...(isFed ? [] : [nobodysNote(queueArn)]), ...off.values(), ...unread];
}
