import { CloudWatchClient, type MetricDataQuery, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetQueueAttributesCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { formatInstant } from '../../policy/instants';
import type { RelayAttemptRecord } from '../../policy/messages/delivery-status';
import { RELAY_METRICS, type RelayMetricName } from '../../policy/metric-names';
import { BREAKER_ALARM_PREFIX } from '../../policy/relay/breaker-event';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../policy/time-units';
import { isKnown, knownValue } from '../../template/maybe-known';
import {
  type AlarmReport,
  alarmsOn,
  allAlarms,
  firingTexts,
  runbookLinkOf,
  type WatchingAlarm,
} from '../alarm-reports';
import type { Connection } from '../connection/connection';
import type { Question } from '../connection/unread-calls';
import { LOG } from '../evidence/logs';
import { queueNameOf } from '../names';
import { dloCommand, type Site } from '../printed-commands';
import { configuredConcurrency, destinationOf, type Relay, relayState } from './find-relays';

/** The number of messages by state. Undefined when the queue does not exist, or its counts are unknown. */
export interface MessageCounts {
  /** Whether counts could not be read. */
  readonly areUnknown: boolean;
  /** Due for delivery. */
  readonly visible: number | undefined;
  /** Being delivered, or waiting for their next attempt. */
  readonly inFlight: number | undefined;
  /** Waiting with a delay of their own. */
  readonly delayed?: number | undefined;
  readonly dead: number | undefined;
}

export interface RelayFacts {
  readonly relay: Relay;
  readonly messages: MessageCounts;
  /** The alarm on failed attempts that notifies operators. Undefined when there is none. */
  readonly failureAlarm: AlarmReport | undefined;
  /** The alarms on its function, its queue and its dead-letter queue. */
  readonly alarms: readonly AlarmReport[];
  readonly areAlarmsUnknown: boolean;
}

/**
 * What an alarm on failed attempts watches: their rate, or with `AlarmSet.ESSENTIAL` everything that shows a failing
 * endpoint.
 */
const OF_FAILED_ATTEMPTS: readonly (readonly RelayMetricName[])[] = [
  ['FailedAttempts', 'Attempts'],
  ['FailedAttempts', 'Lateness'],
];

function isOfFailedAttempts({ watches }: WatchingAlarm): boolean {
  const isWatched = (metric: RelayMetricName) =>
    watches.some(({ name, namespace }) => namespace === RELAY_METRICS.namespace && name === metric);
  return OF_FAILED_ATTEMPTS.some(metrics => metrics.every(isWatched));
}

function alarmsOf({ name, settings }: Relay, alarms: readonly WatchingAlarm[]): WatchingAlarm[] {
  const urls = settings ? [settings.queueUrl, settings.deadLetterQueueUrl] : [];
  return alarmsOn([name, ...urls.map(queueNameOf)], alarms);
}

const COUNTS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** The visible, the in-flight and the delayed messages. Undefined when the queue does not exist. */
async function countsOf(sqs: SQSClient, queueUrl: string | undefined): Promise<readonly number[] | undefined> {
  if (queueUrl === undefined) return undefined;
  try {
    const asked = new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: [...COUNTS] });
    const { Attributes = {} } = await sqs.send(asked);
    return COUNTS.map(name => Number(Attributes[name] ?? 0));
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}

const COUNTS_OF: Question = {
  action: 'sqs:GetQueueAttributes',
  of: ['queue', 'queues'],
  tells: 'the number of messages',
};

/** Counts the messages of a queue and of its dead-letter queue. It needs the permission `sqs:GetQueueAttributes`. */
export async function messagesIn(
  { unread, client }: Connection,
  queues: Readonly<Record<'queueUrl' | 'deadLetterQueueUrl', string>> | undefined,
): Promise<MessageCounts> {
  const read = (url: string | undefined) =>
    unread.read(COUNTS_OF, queueNameOf(url ?? ''), () => countsOf(client(SQSClient), url));
  const [queue, dead] = await Promise.all([read(queues?.queueUrl), read(queues?.deadLetterQueueUrl)]);
  const [visible, inFlight, delayed] = knownValue(queue) ?? [];
  const messages = knownValue(dead)?.reduce((sum, count) => sum + count, 0);
  const areUnknown = !isKnown(queue) || !isKnown(dead);
  return { areUnknown, visible, inFlight, delayed, dead: messages };
}

/** Reads the state of relays. It needs the permissions `sqs:GetQueueAttributes` and `cloudwatch:DescribeAlarms`. */
export async function relayFacts(aws: Connection, relays: readonly Relay[]): Promise<RelayFacts[]> {
  if (relays.length === 0) return [];
  const [reported, counts] = await Promise.all([
    allAlarms(aws),
    Promise.all(relays.map(relay => messagesIn(aws, relay.settings))),
  ]);
  const all = knownValue(reported) ?? [];
  return relays.map((relay, index) => {
    const alarms = alarmsOf(relay, all);
    const onFailures = alarms.filter(isOfFailedAttempts);
    // The breaker has its own alarm, which notifies no operator.
    const telling = onFailures.find(({ name }) => !name.startsWith(BREAKER_ALARM_PREFIX));
    const messages = counts[index] ?? { areUnknown: true, visible: undefined, inFlight: undefined, dead: undefined };
    const areAlarmsUnknown = !isKnown(reported);
    return { relay, messages, failureAlarm: telling ?? onFailures[0], alarms, areAlarmsUnknown };
  });
}

/** CloudWatch keeps minutes for 15 days. SQS keeps messages for 14 days at most. */
const LOOK_BACK_MS = 14 * DAY_MS;

const COUNTED = ['Attempts', 'Delivered', 'Retried', 'Dead', 'FailedAttempts'] as const satisfies RelayMetricName[];

type Counted = (typeof COUNTED)[number];

/** A failed attempt, from the log of the relay. */
export interface LastFailure {
  readonly atMs: number;
  /** @default - there was no response */
  readonly statusCode?: number;
  readonly reason: string;
  /** The response of the endpoint, or why there was none. */
  readonly answer: string;
}

/** What a relay has done recently. */
export interface Activity {
  /** Undefined when the metrics could not be read. */
  readonly lastHour: Readonly<Record<Counted, number>> | undefined;
  /** The last minute with a failed attempt. Undefined when there was none in 14 days. */
  readonly failedAtMs: number | undefined;
  readonly deliveredAtMs: number | undefined;
  /** Undefined when the log does not have it any more. */
  readonly lastFailure: LastFailure | undefined;
}

/** Values by the start of their minute, newest first. */
type Minutes = readonly (readonly [atMs: number, value: number])[];

async function countedMinutes(aws: Connection, name: string, nowMs: number): Promise<Map<Counted, Minutes>> {
  const { namespace: Namespace, dimension } = RELAY_METRICS;
  const Dimensions = [{ Name: dimension, Value: name }];
  const queries: MetricDataQuery[] = COUNTED.map(MetricName => ({
    Id: MetricName.toLowerCase(),
    MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: MINUTE_MS / 1_000, Stat: 'Sum' },
  }));
  const pages = paginateGetMetricData(
    { client: aws.client(CloudWatchClient) },
    {
      MetricDataQueries: queries,
      StartTime: new Date(nowMs - LOOK_BACK_MS),
      EndTime: new Date(nowMs + MINUTE_MS),
      ScanBy: 'TimestampDescending',
    },
  );
  const found = new Map<Counted, Minutes>();
  for await (const { MetricDataResults = [] } of pages) {
    for (const { Id, Timestamps = [], Values = [] } of MetricDataResults) {
      const metric = COUNTED.find(counted => counted.toLowerCase() === Id);
      const minutes = Timestamps.map((at, index) => [at.getTime(), Values[index] ?? 0] as const);
      if (metric) found.set(metric, [...(found.get(metric) ?? []), ...minutes]);
    }
  }
  return found;
}

const latest = (minutes: Minutes = []) => minutes.find(([, value]) => value > 0)?.[0];

function sumSince(minutes: Minutes = [], fromMs: number): number {
  return minutes.filter(([atMs]) => atMs >= fromMs).reduce((sum, [, value]) => sum + value, 0);
}

function failureOf(message: string, atMs: number): LastFailure {
  const { delivery, relay } = JSON.parse(message) as RelayAttemptRecord;
  const { statusCode, providerResponse: answer } = delivery;
  return { atMs, ...(statusCode !== undefined && { statusCode }), reason: relay.reason, answer };
}

/** Reads the last failure from the log. The metrics give the minute, so that not the whole log has to be searched. */
async function lastFailureOf(
  aws: Connection,
  logGroupName: string,
  minuteMs: number,
): Promise<LastFailure | undefined> {
  const logs = aws.client(CloudWatchLogsClient);
  let nextToken: string | undefined;
  do {
    // An attempt is logged before its batch is counted, possibly in the minute before.
    const page = await logs.send(
      new FilterLogEventsCommand({
        logGroupName,
        filterPattern: '{ $.status = "FAILURE" }',
        startTime: minuteMs - MINUTE_MS,
        endTime: minuteMs + MINUTE_MS,
        startFromHead: false,
        limit: 1,
        nextToken,
      }),
    );
    const [event] = page.events ?? [];
    if (event?.message !== undefined) return failureOf(event.message, event.timestamp ?? minuteMs);
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return undefined;
}

const FIGURES: Question = { action: 'cloudwatch:GetMetricData', tells: 'the deliveries' };

/** Reads what a relay has done recently. It needs the permissions `cloudwatch:GetMetricData` and `logs:FilterLogEvents`. */
export async function activityOf(aws: Connection, { name, logGroupName }: Relay, nowMs: number): Promise<Activity> {
  const read = await aws.unread.read(FIGURES, undefined, () => countedMinutes(aws, name, nowMs));
  if (!isKnown(read))
    return { lastHour: undefined, failedAtMs: undefined, deliveredAtMs: undefined, lastFailure: undefined };
  const minutes = read;
  const failedAtMs = latest(minutes.get('FailedAttempts'));
  const lastHour = (metric: Counted) => sumSince(minutes.get(metric), nowMs - HOUR_MS);
  return {
    lastHour: {
      Attempts: lastHour('Attempts'),
      Delivered: lastHour('Delivered'),
      Retried: lastHour('Retried'),
      Dead: lastHour('Dead'),
      FailedAttempts: lastHour('FailedAttempts'),
    },
    failedAtMs,
    deliveredAtMs: latest(minutes.get('Delivered')),
    lastFailure:
      failedAtMs === undefined
        ? undefined
        : knownValue(await aws.unread.read(LOG, logGroupName, () => lastFailureOf(aws, logGroupName, failedAtMs))),
  };
}

export function stateText(relay: Relay): string {
  const { mapping } = relay;
  const since = ` since ${formatInstant(mapping?.lastModifiedAtMs ?? 0)}`;
  const texts = {
    closed: 'closed',
    'half-open': `half-open ${mapping?.maximumConcurrency}/${configuredConcurrency(relay)}`,
    open: `open${since}`,
    'stopped-by-hand': `stopped by hand${since}`,
    running: 'no breaker',
    'no-mapping': 'no event source mapping',
    unknown: '?',
  };
  return texts[relayState(relay)];
}

/** The destination, without credentials. */
export function destinationText({ settings }: Relay): string {
  return settings ? destinationOf(settings.endpoint) : 'settings of another version';
}

/** The earliest time of the next probe of an open breaker. Undefined for other states. */
export function nextProbeMs({ relay }: RelayFacts, nowMs: number): number | undefined {
  const { mapping, breaker } = relay;
  if (!mapping || breaker?.probeIntervalMs === undefined || relayState(relay) !== 'open') return undefined;
  const { probeIntervalMs } = breaker;
  const intervals = Math.ceil((nowMs - mapping.lastModifiedAtMs) / probeIntervalMs);
  return mapping.lastModifiedAtMs + Math.max(1, intervals) * probeIntervalMs;
}

function ofState({ relay, failureAlarm }: RelayFacts, site: Site): string[] {
  const start = (...words: string[]) => dloCommand(['relay', 'start', relay.name, ...words], site);
  const restored = 'npx cdk deploy --revert-drift creates it again.';
  const runbook = failureAlarm && runbookLinkOf(failureAlarm);
  const advice = {
    closed: [],
    running: [],
    unknown: [],
    'half-open': [
      'The endpoint answers again. The breaker doubles the concurrency by itself after each successful probe.',
    ],
    open: [
      'Have the endpoint repaired. The breaker then starts the relay by itself. ' +
        `To start it at once${runbook === undefined ? '' : ` (see ${runbook} before)`}:\n${start()}`,
    ],
    'stopped-by-hand': [`Waiting uses up no delivery attempt. This starts it:\n${start('--execute')}`],
    'no-mapping': [`Its event source mapping was deleted, so that nothing reads its queue: ${restored}`],
  };
  return advice[relayState(relay)];
}

/** What the operator can do, by the state and the alarms of the relay. */
export function adviceOf(facts: RelayFacts, site: Site): string[] {
  const { relay, messages, alarms } = facts;
  // The breaker's own alarm says no more than the state does.
  const firing = firingTexts(alarms.filter(({ name }) => !name.startsWith(BREAKER_ALARM_PREFIX)));
  const isLost = relay.settings !== undefined && messages.dead === undefined && !messages.areUnknown;
  const lost = isLost
    ? ['Its dead-letter queue does not exist: messages without attempts left return to its queue again and again.']
    : [];
  return [...ofState(facts, site), ...lost, ...firing];
}
