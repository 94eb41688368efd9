import { CloudWatchClient, type MetricDataQuery, paginateGetMetricData } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { Connection } from '../../account/connection/connection';
import type { AttemptRecord } from '../../lambda/relay/attempt-record';
import { RELAY_METRICS, type RelayMetricName } from '../../policy/relay/relay-metrics';
import type { Relay } from './relay';

const MINUTE_MS = 60_000;

const HOUR_MS = 60 * MINUTE_MS;

/** CloudWatch keeps minutes for 15 days; longer than messages are kept, and there is nothing left to look at. */
const LOOK_BACK_MS = 14 * 24 * HOUR_MS;

const COUNTED = ['Attempts', 'Delivered', 'Retried', 'Dead', 'FailedAttempts'] as const satisfies RelayMetricName[];

type Counted = (typeof COUNTED)[number];

/** A failed attempt, as the relay has written it down. */
export interface LastFailure {
  readonly atMs: number;
  /** @default - no answer came */
  readonly statusCode?: number;
  readonly reason: string;
  /** What the endpoint said, or why nothing came of it. */
  readonly answer: string;
}

/** What a relay has been doing. */
export interface Activity {
  readonly lastHour: Readonly<Record<Counted, number>>;
  /** The last minute with a failed attempt; undefined where there was none in 14 days. */
  readonly failedAtMs: number | undefined;
  readonly deliveredAtMs: number | undefined;
  /** Undefined where the log has it no more. */
  readonly lastFailure: LastFailure | undefined;
}

/** Values by the start of their minute, the latest first. */
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
  const { delivery, relay } = JSON.parse(message) as AttemptRecord;
  const { statusCode, providerResponse: answer } = delivery;
  return { atMs, ...(statusCode !== undefined && { statusCode }), reason: relay.reason, answer };
}

/** The metrics say in which minute to look: nobody has to read a log of days. */
async function lastFailureOf(
  aws: Connection,
  logGroupName: string,
  minuteMs: number,
): Promise<LastFailure | undefined> {
  const logs = aws.client(CloudWatchLogsClient);
  let nextToken: string | undefined;
  do {
    // An attempt is written down before its batch is counted, and that may be in the minute before.
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

/** What a relay has been doing. It takes the permissions `cloudwatch:GetMetricData` and `logs:FilterLogEvents`. */
export async function activityOf(aws: Connection, { name, logGroupName }: Relay, nowMs: number): Promise<Activity> {
  const minutes = await countedMinutes(aws, name, nowMs);
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
    lastFailure: failedAtMs === undefined ? undefined : await lastFailureOf(aws, logGroupName, failedAtMs),
  };
}
