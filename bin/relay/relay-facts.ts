import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { GetQueueAttributesCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { RELAY_METRICS, type RelayMetricName } from '../../lib/policy/relay/relay-metrics';
import type { Connection } from '../aws/connection';
import { queueNameOf, type Relay } from './relay';

/** An alarm that watches a relay, its queue or its dead-letter queue. */
export interface RelayAlarm {
  readonly name: string;
  readonly state: string;
  readonly sinceMs: number;
  /** What it means, and where the runbook tells what to do. */
  readonly description: string;
}

/** How many messages are where; undefined of a queue that is not there. */
export interface MessageCounts {
  /** Due. */
  readonly visible: number | undefined;
  /** With the function, or waiting for their next attempt. */
  readonly inFlight: number | undefined;
  readonly dead: number | undefined;
}

/** How a relay stands at this moment. */
export interface RelayFacts {
  readonly relay: Relay;
  readonly messages: MessageCounts;
  /** The one on failed attempts that tells people; undefined where there is none. */
  readonly failureAlarm: RelayAlarm | undefined;
  readonly alarms: readonly RelayAlarm[];
}

interface WatchedMetric {
  readonly name: string;
  readonly namespace: string;
  /** The values of its dimensions. */
  readonly of: readonly string[];
}

interface WatchingAlarm extends RelayAlarm {
  readonly watches: readonly WatchedMetric[];
}

type ToldMetric = Pick<MetricAlarm, 'MetricName' | 'Namespace' | 'Dimensions'>;

function watchedOf({ MetricName: name = '', Namespace: namespace = '', Dimensions = [] }: ToldMetric): WatchedMetric {
  return { name, namespace, of: Dimensions.map(({ Value = '' }) => Value) };
}

function alarmOf(told: MetricAlarm): WatchingAlarm {
  const { AlarmName = '', StateValue = '', StateTransitionedTimestamp, StateUpdatedTimestamp, Metrics = [] } = told;
  const inMath = Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
  return {
    name: AlarmName,
    state: StateValue,
    sinceMs: (StateTransitionedTimestamp ?? StateUpdatedTimestamp)?.getTime() ?? 0,
    description: told.AlarmDescription ?? '',
    watches: [told, ...inMath].map(watchedOf),
  };
}

async function allAlarms(aws: Connection): Promise<WatchingAlarm[]> {
  const found: WatchingAlarm[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client: aws.client(CloudWatchClient) }, {})) {
    found.push(...MetricAlarms.map(alarmOf));
  }
  return found;
}

/** What tells an alarm on the rate of failed attempts from the others. */
const RATE: readonly RelayMetricName[] = ['FailedAttempts', 'Attempts'];

function isOfFailedAttempts({ watches }: WatchingAlarm): boolean {
  return RATE.every(of => watches.some(({ name, namespace }) => namespace === RELAY_METRICS.namespace && name === of));
}

function alarmsOf({ name, settings }: Relay, alarms: readonly WatchingAlarm[]): WatchingAlarm[] {
  const urls = settings ? [settings.queueUrl, settings.deadLetterQueueUrl] : [];
  const own = new Set([name, ...urls.map(queueNameOf)]);
  return alarms.filter(({ watches }) => watches.some(({ of }) => of.some(value => own.has(value))));
}

const COUNTS = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;

/** Visible and in flight; undefined where the queue is not there. */
async function countsOf(sqs: SQSClient, queueUrl: string | undefined): Promise<readonly [number, number] | undefined> {
  if (queueUrl === undefined) return undefined;
  try {
    const asked = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...COUNTS] });
    const { Attributes = {} } = await sqs.send(asked);
    const [visible, inFlight] = COUNTS.map(name => Number(Attributes[name] ?? 0));
    return [visible ?? 0, inFlight ?? 0];
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}

async function messagesOf(sqs: SQSClient, { settings }: Relay): Promise<MessageCounts> {
  const [queue, letters] = await Promise.all([
    countsOf(sqs, settings?.queueUrl),
    countsOf(sqs, settings?.deadLetterQueueUrl),
  ]);
  return { visible: queue?.[0], inFlight: queue?.[1], dead: letters && letters[0] + letters[1] };
}

/** How each of these relays stands. It takes the permissions `sqs:GetQueueAttributes` and `cloudwatch:DescribeAlarms`. */
export async function relayFacts(aws: Connection, relays: readonly Relay[]): Promise<RelayFacts[]> {
  if (relays.length === 0) return [];
  const sqs = aws.client(SQSClient);
  const [all, counts] = await Promise.all([allAlarms(aws), Promise.all(relays.map(relay => messagesOf(sqs, relay)))]);
  return relays.map((relay, index) => {
    const alarms = alarmsOf(relay, all);
    const onFailures = alarms.filter(isOfFailedAttempts);
    // The breaker has an alarm of its own, which tells nobody.
    const telling = onFailures.find(({ name }) => name !== relay.breaker?.alarmName);
    const messages = counts[index] ?? { visible: undefined, inFlight: undefined, dead: undefined };
    return { relay, messages, failureAlarm: telling ?? onFailures[0], alarms };
  });
}
