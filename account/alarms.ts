import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { formatInstant } from '../bin/text';
import { isoInstant } from '../local';
import type { Connection } from './connection/connection';

/** An alarm, as an operator wants to know it. */
export interface AlarmReport {
  readonly name: string;
  readonly state: string;
  readonly sinceMs: number;
  /** What it means, and where the runbook tells what to do. */
  readonly description: string;
}

interface WatchedMetric {
  readonly name: string;
  readonly namespace: string;
  /** The values of its dimensions. */
  readonly of: readonly string[];
}

/** An alarm, and what it watches. */
export interface WatchingAlarm extends AlarmReport {
  readonly watches: readonly WatchedMetric[];
}

type ReportedMetric = Pick<MetricAlarm, 'MetricName' | 'Namespace' | 'Dimensions'>;

function watchedOf({
  MetricName: name = '',
  Namespace: namespace = '',
  Dimensions = [],
}: ReportedMetric): WatchedMetric {
  return { name, namespace, of: Dimensions.map(({ Value = '' }) => Value) };
}

function alarmOf(reported: MetricAlarm): WatchingAlarm {
  const { AlarmName = '', StateValue = '', StateTransitionedTimestamp, StateUpdatedTimestamp, Metrics = [] } = reported;
  const inMath = Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
  return {
    name: AlarmName,
    state: StateValue,
    sinceMs: (StateTransitionedTimestamp ?? StateUpdatedTimestamp)?.getTime() ?? 0,
    description: reported.AlarmDescription ?? '',
    watches: [reported, ...inMath].map(watchedOf),
  };
}

/** Every alarm of the Region that watches metrics. It takes the permission `cloudwatch:DescribeAlarms`. */
export async function allAlarms(aws: Connection): Promise<WatchingAlarm[]> {
  const found: WatchingAlarm[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client: aws.client(CloudWatchClient) }, {})) {
    found.push(...MetricAlarms.map(alarmOf));
  }
  return found;
}

/** Those of the alarms that watch any of these: functions or queues, by their names. */
export function alarmsOn(names: readonly string[], alarms: readonly WatchingAlarm[]): WatchingAlarm[] {
  const own = new Set(names);
  return alarms.filter(({ watches }) => watches.some(({ of }) => of.some(value => own.has(value))));
}

/** Every alarm of ours ends with one: where its app says the runbook is. */
const RUNBOOK_LINK = /https?:\/\/\S+$/;

/** The link to the runbook's section on the alarm, where it has one. */
export function runbookLinkOf({ description }: AlarmReport): string | undefined {
  return RUNBOOK_LINK.exec(description)?.[0];
}

/** What each alarm that fires says, with its link to the runbook. */
export function firingTexts(alarms: readonly AlarmReport[]): string[] {
  return alarms
    .filter(({ state }) => state === 'ALARM')
    .map(({ name, sinceMs, description }) => `${name} fires since ${formatInstant(sinceMs)}: ${description}`);
}

/** An alarm as `--json` prints it. */
export interface AlarmDocument {
  readonly name: string;
  readonly state: string;
  readonly since: string;
  readonly description: string;
}

export function alarmDocument({ name, state, sinceMs, description }: AlarmReport): AlarmDocument {
  return { name, state, since: isoInstant(sinceMs), description };
}
