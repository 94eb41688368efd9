import { lastPart, parseArn } from '../../policy/arn';
import { type Answer, allOf, answer, anyOf, isEqual } from '../../template/access/text-matching';
import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import { hasStandIn } from '../../template/stand-in';
import type { QueueFeeder } from './feeders';
import type { AlarmFacts, Inventory, Resource, WatchedMetricFacts } from './inventory';

interface MetricOf {
  readonly region: string | undefined;
  /** Undefined if it is unknown which account has the metric. */
  readonly account: string | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly dimension: string;
  readonly value: string;
}

const SEEN_WHEREVER_FROM = ['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'];
const SEEN_WHERE_SENT = ['NumberOfMessagesSent', 'SentMessageSize'];

function nameOf({ arn }: Pick<Resource, 'arn'>): string {
  return parseArn(arn)?.resource ?? arn;
}

function homeOf(arn: string): Pick<MetricOf, 'region' | 'account'> {
  const { region, account } = parseArn(arn) ?? {};
  return { region, account };
}

function ofQueue(queueArn: string, names: readonly string[]): MetricOf[] {
  const value = nameOf({ arn: queueArn });
  return names.map(name => ({ ...homeOf(queueArn), namespace: 'AWS/SQS', name, dimension: 'QueueName', value }));
}

/** The metrics of messages sent to a queue. They do not count messages that SQS moves there. */
export function sentMetrics(queueArn: string): MetricOf[] {
  return ofQueue(queueArn, SEEN_WHERE_SENT);
}

/** **Assumption CW-16:** Which account has this metric is unknown when another account than the topic's has subscribed. */
function redriven(topicArn: string, owner: string | undefined): MetricOf {
  const { region, account } = homeOf(topicArn);
  return {
    region,
    account: account === owner ? account : undefined,
    namespace: 'AWS/SNS',
    name: 'NumberOfNotificationsRedrivenToDlq',
    dimension: 'TopicName',
    value: nameOf({ arn: topicArn }),
  };
}

/** A topic's metric of messages that SNS could put into no dead-letter queue. */
export function lossesOf({ arn }: Pick<Resource, 'arn'>, name: string): MetricOf {
  return { ...homeOf(arn), namespace: 'AWS/SNS', name, dimension: 'TopicName', value: nameOf({ arn }) };
}

export function metricsOf(feeder: QueueFeeder): MetricOf[] {
  const visible = ofQueue(feeder.queueArn, SEEN_WHEREVER_FROM);
  if (feeder.kind === 'queue') return visible;
  const sent = [...visible, ...sentMetrics(feeder.queueArn)];
  if (feeder.kind === 'subscription') {
    const arn = knownValue(feeder.resource.topicArn);
    return arn === undefined ? sent : [...sent, redriven(arn, knownValue(feeder.resource.owner))];
  }
  if (feeder.kind !== 'rule') return sent;
  const value = lastPart(feeder.resource.arn);
  const home = homeOf(feeder.resource.arn);
  return [...sent, { ...home, namespace: 'AWS/Events', name: 'InvocationsSentToDlq', dimension: 'RuleName', value }];
}

function isOne(one: MaybeKnown<string | undefined>, other: string | undefined): Answer {
  const reported = knownValue(one);
  return reported === undefined || other === undefined ? 'unknown' : isEqual(reported, other);
}

/**
 * An alarm watches metrics of its own Region, and of its own account unless it names another.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Unified-Cross-Account.html
 */
function isWatched(watched: WatchedMetricFacts, metric: MetricOf, alarm: AlarmFacts): Answer {
  if (watched.namespace === 'unknown' || watched.name === 'unknown') return 'unknown';
  if (watched.namespace !== metric.namespace || watched.name !== metric.name) return 'no';
  const value = watched.dimensions[metric.dimension];
  if (value === undefined) return 'no';
  const { region, account } = homeOf(alarm.arn);
  return allOf([
    isOne(value, metric.value),
    isOne(region, metric.region),
    isOne(watched.accountId ?? account, metric.account),
  ]);
}

/** A query names its metrics in text. One over all queues includes every queue. */
function mayQuery({ queries = [] }: AlarmFacts, { namespace, name }: MetricOf): Answer {
  const mayBe = queries.some(it => !isKnown(it) || (it.includes(namespace) && it.includes(name)));
  return mayBe ? 'unknown' : 'no';
}

/** Whether an alarm watches any of these metrics itself, including by metric math, but not as a composite alarm. */
function watches(alarm: AlarmFacts, metrics: readonly MetricOf[]): Answer {
  if (isUnreadable(alarm)) return 'unknown';
  return anyOf(
    metrics.flatMap(metric => [...alarm.metrics.map(it => isWatched(it, metric, alarm)), mayQuery(alarm, metric)]),
  );
}

/** Whether an alarm has neither metrics, nor a query, nor a rule, so that it is unknown what it watches. */
function isUnreadable({ metrics, rule, queries = [] }: AlarmFacts): boolean {
  return metrics.length === 0 && rule === undefined && queries.length === 0;
}

/** The alarms of an inventory by what they watch: a large account has thousands of alarms and of queues. */
interface AlarmIndex {
  /** By metric and value, for known values. */
  readonly exact: ReadonlyMap<string, readonly AlarmFacts[]>;
  /** By metric, for literal values: each may equal a stand-in that is being looked for. */
  readonly writtenOut: ReadonlyMap<string, readonly AlarmFacts[]>;
  /**
   * By metric, for values with stand-ins: each may equal a literal value that is being looked for. Two different
   * stand-ins never become equal.
   */
  readonly stoodIn: ReadonlyMap<string, readonly AlarmFacts[]>;
  readonly open: readonly AlarmFacts[];
}

const indices = new WeakMap<readonly AlarmFacts[], AlarmIndex>();

function keyOf(namespace: string, name: string, dimension = '', value = ''): string {
  return [namespace, name, dimension, value].join('\0');
}

function isOpen(alarm: AlarmFacts): boolean {
  if (isUnreadable(alarm) || (alarm.queries ?? []).length > 0) return true;
  return alarm.metrics.some(({ namespace, name, dimensions }) => {
    return !Object.values(dimensions).every(isKnown) || namespace === 'unknown' || name === 'unknown';
  });
}

function indexOf(alarms: readonly AlarmFacts[]): AlarmIndex {
  const exact = new Map<string, AlarmFacts[]>();
  const writtenOut = new Map<string, AlarmFacts[]>();
  const stoodIn = new Map<string, AlarmFacts[]>();
  const add = (map: Map<string, AlarmFacts[]>, key: string, alarm: AlarmFacts) => {
    const there = map.get(key);
    if (there) there.push(alarm);
    else map.set(key, [alarm]);
  };
  for (const alarm of alarms) {
    for (const { namespace, name, dimensions } of alarm.metrics) {
      for (const [dimension, value] of Object.entries(dimensions)) {
        if (!isKnown(value)) continue;
        add(exact, keyOf(namespace, name, dimension, value), alarm);
        add(hasStandIn(value) ? stoodIn : writtenOut, keyOf(namespace, name, dimension), alarm);
      }
    }
  }
  return { exact, writtenOut, stoodIn, open: alarms.filter(isOpen) };
}

interface Watcher {
  readonly alarm: AlarmFacts;
  readonly isSure: boolean;
}

export function watchersOf(metrics: readonly MetricOf[], { alarms }: Inventory): Watcher[] {
  const index = indices.get(alarms) ?? indexOf(alarms);
  indices.set(alarms, index);
  const near = metrics.flatMap(({ namespace, name, dimension, value }) => [
    ...(index.exact.get(keyOf(namespace, name, dimension, value)) ?? []),
    ...((hasStandIn(value) ? index.writtenOut : index.stoodIn).get(keyOf(namespace, name, dimension)) ?? []),
  ]);
  return [...new Set([...near, ...index.open])].flatMap(alarm => {
    const answer = watches(alarm, metrics);
    return answer === 'no' ? [] : [{ alarm, isSure: answer === 'yes' }];
  });
}

/** A composite alarm names alarms of its own Region and account. */
function isNamedIn({ arn, rule }: AlarmFacts, alarm: AlarmFacts): Answer {
  const [own, other] = [homeOf(arn), homeOf(alarm.arn)];
  const isBeside = [isOne(own.region, other.region), isOne(own.account, other.account)];
  if (rule === undefined || isBeside.includes('no')) return 'no';
  if (!isKnown(rule)) return 'unknown';
  const name = nameOf(alarm).replace(/^alarm:/, '');
  return answer(rule.includes(alarm.arn) || rule.includes(name));
}

function hasActions({ actionsEnabled, alarmActions }: AlarmFacts): Answer {
  const enabled = answer(knownValue(actionsEnabled));
  return allOf([enabled, answer(isKnown(alarmActions) ? alarmActions.length > 0 : undefined)]);
}

/** Whether an alarm has an effect when it fires: by its own actions, or as part of a composite alarm with actions. */
export function hasEffect(
  alarm: AlarmFacts,
  alarms: readonly AlarmFacts[],
  seen: ReadonlySet<string> = new Set(),
): Answer {
  if (seen.has(alarm.arn)) return 'no';
  const further = new Set([...seen, alarm.arn]);
  const composites = alarms.filter(it => it.rule !== undefined && it.arn !== alarm.arn);
  return anyOf([
    hasActions(alarm),
    ...composites.map(it => allOf([isNamedIn(it, alarm), hasEffect(it, alarms, further)])),
  ]);
}

/** The topic that most alarms publish to, as the action for a new alarm. Empty if no alarm publishes to one. */
export function usualAction({ alarms }: Inventory): string[] {
  const counts = new Map<string, number>();
  for (const action of alarms.flatMap(it => knownValue(it.alarmActions) ?? [])) {
    const arn = knownValue(action);
    if (arn !== undefined && parseArn(arn)?.service === 'sns') counts.set(arn, (counts.get(arn) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
  return first ? [first[0]] : [];
}
