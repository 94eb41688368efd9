import { GetQueueAttributesCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { type AlarmReport, alarmsOn, allAlarms, type WatchingAlarm } from '../../account/connection/alarms';
import type { Connection } from '../../account/connection/connection';
import { queueNameOf } from '../../account/connection/queue-name';
import { RELAY_METRICS, type RelayMetricName } from '../../policy/relay/relay-metrics';
import type { Relay } from './relay';

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
  readonly failureAlarm: AlarmReport | undefined;
  /** Those that watch it, its queue or its dead-letter queue. */
  readonly alarms: readonly AlarmReport[];
}

/** What tells an alarm on the rate of failed attempts from the others. */
const RATE: readonly RelayMetricName[] = ['FailedAttempts', 'Attempts'];

function isOfFailedAttempts({ watches }: WatchingAlarm): boolean {
  return RATE.every(of => watches.some(({ name, namespace }) => namespace === RELAY_METRICS.namespace && name === of));
}

function alarmsOf({ name, settings }: Relay, alarms: readonly WatchingAlarm[]): WatchingAlarm[] {
  const urls = settings ? [settings.queueUrl, settings.deadLetterQueueUrl] : [];
  return alarmsOn([name, ...urls.map(queueNameOf)], alarms);
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
  const [queue, messages] = await Promise.all([
    countsOf(sqs, settings?.queueUrl),
    countsOf(sqs, settings?.deadLetterQueueUrl),
  ]);
  return { visible: queue?.[0], inFlight: queue?.[1], dead: messages && messages[0] + messages[1] };
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
