import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';

import { formatInstant } from '../policy/instants';
import type { MaybeKnown } from '../template/maybe-known';
import type { Connection } from './connection/connection';
import type { Question } from './connection/unread-calls';

/** The facts about an alarm that an operator needs. */
export interface AlarmReport {
  readonly name: string;
  readonly state: string;
  readonly sinceMs: number;
  /** What the alarm means. Alarms of this package end with a link to the runbook. */
  readonly description: string;
}

interface WatchedMetric {
  readonly name: string;
  readonly namespace: string;
  /** The values of the metric's dimensions. */
  readonly of: readonly string[];
}

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

const ALARMS: Question = { action: 'cloudwatch:DescribeAlarms', tells: 'the alarms' };

/** Reads every metric alarm of the Region. It needs the permission `cloudwatch:DescribeAlarms`. */
export function allAlarms(aws: Connection): Promise<MaybeKnown<readonly WatchingAlarm[]>> {
  return aws.unread.read(ALARMS, undefined, async () => {
    const found: WatchingAlarm[] = [];
    for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client: aws.client(CloudWatchClient) }, {})) {
      found.push(...MetricAlarms.map(alarmOf));
    }
    return found;
  });
}

export function alarmsOn(names: readonly string[], alarms: readonly WatchingAlarm[]): WatchingAlarm[] {
  const own = new Set(names);
  return alarms.filter(({ watches }) => watches.some(({ of }) => of.some(value => own.has(value))));
}

/** The description of every alarm of this package ends with a link. */
const RUNBOOK_LINK = /https?:\/\/\S+$/;

/** The link to the runbook section about an alarm, if its description has one. */
export function runbookLinkOf({ description }: AlarmReport): string | undefined {
  return RUNBOOK_LINK.exec(description)?.[0];
}

export function firingTexts(alarms: readonly AlarmReport[]): string[] {
  return alarms
    .filter(({ state }) => state === 'ALARM')
    .map(
      ({ name, sinceMs, description }) => `${name} has been in ALARM since ${formatInstant(sinceMs)}: ${description}`,
    );
}
