import { displayNameOf } from '../../policy/arn';
import type { Protocol } from '../../policy/outcome/protocol';
import { knownValue } from '../../template/maybe-known';
import type { Fix } from '../fixes/fix';
import { logFailures, loggedAs } from '../fixes/log-deliveries';
import { mergedFixes } from '../fixes/merge-calls';
import { feedersOf } from '../inventory/feeders';
import { mayLack } from '../inventory/inventory';
import { protocolOf } from './answer-rule';
import type { Cause, CauseKey, Explanation, FailureRecord, Note, Replay, Unexplained } from './cause';
import { configuredFailure } from './configuration-causes';
import { CONSUMER_RULES, Consumers } from './consumer-causes';
import { Deliveries } from './delivery-causes';
import { FUNCTION_ANSWERS } from './endpoint-answers';
import type { Evidence, SampledMessage, TopicLog } from './evidence';
import { FUNCTION_RULES, functionFailure } from './function-causes';
import { QUEUE_ANSWERS } from './queue-answers';
import { quarantineFailure, relayFailure, replayOf, uniqueReplays } from './relay-causes';
import { STREAM_ANSWERS } from './stream-answers';
import { isLogging, subscriptionOf } from './suspects';
import { EVENT_RULES, undeliveredEventFailure } from './undelivered-event-causes';

/** The ids of the rules whose fix can have calls. */
export const FIXABLE_CAUSES: readonly string[] = [
  QUEUE_ANSWERS,
  FUNCTION_ANSWERS,
  STREAM_ANSWERS,
  FUNCTION_RULES,
  CONSUMER_RULES,
  EVENT_RULES,
].flatMap(rules => rules.flatMap(({ id }) => id ?? []));

type Reader = (seen: SampledMessage) => FailureRecord | undefined;

function keyText({ failed, by, code, destination }: CauseKey): string {
  return JSON.stringify([failed, by, code, destination]);
}

/**
 * Which of two failures to show as the example: preferably one with a sampled message, one that is not inferred, and
 * the later one.
 */
function isBetter(one: FailureRecord, other: FailureRecord): boolean {
  const ranks = [one, other].map(({ messages, isInferred = false, lastAtMs }) =>
    [messages > 0, !isInferred, lastAtMs].map(Number),
  );
  const [own = [], others = []] = ranks;
  const at = own.findIndex((rank, index) => rank !== others[index]);
  return at !== -1 && (own[at] ?? 0) > (others[at] ?? 0);
}

/** The sampled messages that a failure is about: SQS's id, and how the message is sent again. */
interface Sampled {
  readonly id: string;
  readonly replay: Replay | undefined;
}

type SampledMessages = ReadonlyMap<FailureRecord, readonly Sampled[]>;

function causeOf(failures: readonly [FailureRecord, ...FailureRecord[]], sampled: SampledMessages): Cause {
  const [first] = failures;
  const seen = [...new Set(failures)].flatMap(it => sampled.get(it) ?? []);
  const best = failures.reduce((found, failure) => (isBetter(failure, found) ? failure : found), first);
  const { says, rule, oneOf = [], details = [], fix } = best.diagnose();
  const sum = (count: (failure: FailureRecord) => number) =>
    failures.reduce((total, failure) => total + count(failure), 0);
  return {
    key: best.key,
    ...(rule !== undefined && { rule }),
    says,
    isInferred: failures.every(({ isInferred = false }) => isInferred),
    messages: sum(({ messages }) => messages),
    messageIds: seen.map(({ id }) => id),
    deliveries: sum(({ deliveries }) => deliveries),
    firstAtMs: failures.reduce((earliest, { firstAtMs }) => Math.min(earliest, firstAtMs), first.firstAtMs),
    lastAtMs: failures.reduce((latest, { lastAtMs }) => Math.max(latest, lastAtMs), first.lastAtMs),
    example: best.example,
    oneOf,
    details,
    ...(fix && { fix }),
    replays: uniqueReplays(seen.map(({ replay }) => replay)),
  };
}

function causesOf(failures: readonly FailureRecord[], sampled: SampledMessages): Cause[] {
  const byKey = new Map<string, [FailureRecord, ...FailureRecord[]]>();
  for (const failure of failures) {
    const text = keyText(failure.key);
    const known = byKey.get(text);
    if (known) known.push(failure);
    else byKey.set(text, [failure]);
  }
  return [...byKey.values()]
    .map(it => causeOf(it, sampled))
    .sort(
      (one, other) =>
        other.messages - one.messages || other.deliveries - one.deliveries || other.lastAtMs - one.lastAtMs,
    );
}

function unexplainedOf(messages: readonly SampledMessage[], evidence: Evidence): Unexplained[] {
  const byKey = new Map<string, Unexplained>();
  for (const seen of messages) {
    const { messageId, sentAtMs } = seen.decoded.message;
    const says = unexplainedText(seen, evidence);
    const known = byKey.get(says) ?? { says, messages: 0, firstAtMs: sentAtMs, lastAtMs: sentAtMs, example: messageId };
    byKey.set(says, {
      ...known,
      messages: known.messages + 1,
      firstAtMs: Math.min(known.firstAtMs, sentAtMs),
      lastAtMs: Math.max(known.lastAtMs, sentAtMs),
    });
  }
  return [...byKey.values()].sort((one, other) => other.messages - one.messages);
}

/** Merges the fixes, so that all of them can be applied: no fix undoes another. */
function withMergedFixes({ causes, unexplained, notes }: Explanation): Explanation {
  const fixes = [...new Set([...causes, ...notes].flatMap(({ fix }) => fix ?? []))];
  const merged = mergedFixes(fixes);
  const mergedOf = (fix: Fix | undefined) => (fix ? merged[fixes.indexOf(fix)] : undefined);
  const whole = <T extends { readonly fix?: Fix }>(reported: T): T => {
    const fix = mergedOf(reported.fix);
    return fix ? { ...reported, fix } : reported;
  };
  return { causes: causes.map(whole), unexplained, notes: notes.map(whole) };
}

/**
 * Explains the messages of a dead-letter queue by the evidence. For each message, these are asked in turn: the queue
 * from which SQS moved it; its writer; the topic's log; and last, the configuration.
 */
export function explain(evidence: Evidence): Explanation {
  const consumers = new Consumers(evidence);
  const deliveries = new Deliveries(evidence);
  const readers: readonly Reader[] = [
    seen => consumers.failureOf(seen),
    relayFailure,
    quarantineFailure,
    seen => functionFailure(seen, evidence),
    seen => undeliveredEventFailure(seen, evidence),
    seen => deliveries.failureOf(seen),
    seen => configuredFailure(seen, evidence),
  ];
  const failures: FailureRecord[] = [];
  const sampled = new Map<FailureRecord, readonly Sampled[]>();
  const silent: SampledMessage[] = [];
  for (const seen of evidence.messages) {
    const failure = readers.reduce<FailureRecord | undefined>((found, read) => found ?? read(seen), undefined);
    if (failure) {
      failures.push(failure);
      const message = { id: seen.decoded.message.messageId, replay: replayOf(seen, evidence) };
      sampled.set(failure, [...(sampled.get(failure) ?? []), message]);
    } else silent.push(seen);
  }
  return withMergedFixes({
    causes: causesOf([...failures, ...consumers.logged(), ...deliveries.unclaimed()], sampled),
    unexplained: unexplainedOf(silent, evidence),
    notes: notesOn(evidence),
  });
}

function logOf(topicArn: string, { topicLogs }: Evidence): TopicLog | undefined {
  return topicLogs.find(it => it.topicArn === topicArn);
}

/** Why nothing is known about a message that SNS sent. */
function ofNotification(
  topicArn: string,
  protocol: Protocol | undefined,
  sentAtMs: number,
  evidence: Evidence,
): string {
  const log = logOf(topicArn, evidence);
  const topic = displayNameOf(topicArn);
  if (protocol !== undefined && loggedAs(protocol) === undefined) {
    return `came from the topic ${topic}, and SNS does not log deliveries by ${protocol}`;
  }
  if (protocol !== undefined && isLogging(topicArn, protocol, evidence.inventory) === false) {
    return `came from the topic ${topic}, which does not log failed ${loggedAs(protocol)} deliveries`;
  }
  if (log?.unread !== undefined) return `came from the topic ${topic}, whose log ${log.logGroupName} ${log.unread}`;
  if (log === undefined && mayLack(evidence.inventory, 'feeders')) {
    return `came from the topic ${topic}, whose log was not read`;
  }
  if (sentAtMs < evidence.fromMs) {
    return `came from the topic ${topic} before the period of the logs: look further back with --since`;
  }
  return `came from the topic ${topic}, without a record in its log: logging was off, or the record has expired`;
}

/** Why nothing is known about a message. It completes a sentence that begins with the number of such messages. */
function unexplainedText(seen: SampledMessage, evidence: Evidence): string {
  const { who, message } = seen.decoded;
  const { sentAtMs } = message;
  const subscription = subscriptionOf(seen, evidence);
  const endpoint = subscription && knownValue(subscription.endpoint);
  const protocol = endpoint === undefined ? undefined : protocolOf(endpoint, subscription);
  if (who.kind === 'notification') return ofNotification(who.envelope.TopicArn, protocol, sentAtMs, evidence);
  const topicArn = subscription && knownValue(subscription.topicArn);
  if (topicArn !== undefined)
    return `came raw, without an envelope, and if they are from SNS, they ${ofNotification(topicArn, protocol, sentAtMs, evidence)}`;
  return 'do not show where they came from: they were sent here directly, or are raw messages from SNS';
}

function unfedNote(queueArn: string): Note {
  const says =
    `Nothing in this account and Region is configured to send dead letters to ${displayNameOf(queueArn)}: no subscription, queue, ` +
    'function, event source mapping, rule or schedule. Its messages were sent directly, or by a resource that no longer exists.';
  return { says };
}

/** What prevents causes from being found, for each way in which SNS feeds the queue. */
function notesOn(evidence: Evidence): Note[] {
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
      ? `The topic ${name} does not log failed ${loggedAs(protocol)} deliveries: their cause cannot be determined later.`
      : `SNS does not log deliveries by ${protocol}: the cause of failures of the topic ${name} cannot be determined.`;
    off.set(says, { says, ...(fix && { fix }) });
  }
  const unread = topicLogs.flatMap(({ logGroupName, unread: why }): Note[] =>
    why === undefined ? [] : [{ says: `The log group ${logGroupName} ${why}.` }],
  );
  const isFed = feedersOf(queueArn, inventory).length > 0;
  const isUnfed = !isFed && !mayLack(inventory, 'feeders');
  return [...(isUnfed ? [unfedNote(queueArn)] : []), ...off.values(), ...unread];
}
