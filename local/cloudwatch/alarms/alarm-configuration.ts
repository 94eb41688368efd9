import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { arnIn, type Place } from '../../kernel/place';
import type { MetricQuery, Query, QuerySet } from '../metrics/metric-queries';

/** What an alarm takes a period without data for. */
export const MISSING_DATA_TREATMENTS = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
export type MissingDataTreatment = (typeof MISSING_DATA_TREATMENTS)[number];

export const ALARM_STATES = ['INSUFFICIENT_DATA', 'ALARM', 'OK'] as const;
export type AlarmStateValue = (typeof ALARM_STATES)[number];

/** What every alarm has, with AWS's defaults filled in. */
export interface AlarmConfiguration {
  readonly alarmName: string;
  readonly alarmArn: string;
  readonly alarmDescription?: string | undefined;
  /** When it was last put, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  readonly actionsEnabled: boolean;
  /** The ARNs to notify when the alarm enters a state. */
  readonly actions: Readonly<Record<AlarmStateValue, readonly string[]>>;
}

/** One metric, by one statistic. */
export interface WatchedMetric {
  readonly kind: 'metric';
  /** CloudWatch's own name for it in events. */
  readonly id: string;
  readonly metric: MetricQuery;
  readonly periodSeconds: number;
}

/** One of a list of metrics and expressions. */
export interface WatchedQuery {
  readonly kind: 'query';
  readonly set: QuerySet;
  /** The one that returns data. */
  readonly returned: Query;
  /** The list as it was put. */
  readonly definitions: readonly MetricDataQuery[];
  /** The coarsest period in the list. */
  readonly periodSeconds: number;
}

/** An alarm on a metric, or on an expression. */
export interface MetricAlarmConfiguration extends AlarmConfiguration {
  readonly watched: WatchedMetric | WatchedQuery;
  /** N of "M out of N". */
  readonly evaluationPeriods: number;
  /** M of "M out of N". @default N, and AWS words its reasons differently when it was not given */
  readonly datapointsToAlarm?: number | undefined;
  readonly threshold: number;
  readonly comparisonOperator: ComparisonOperator;
  /** @default 'missing' */
  readonly treatMissingData?: MissingDataTreatment | undefined;
  /** `ignore` keeps the state while there are too few values for the percentile to mean anything. @default 'evaluate' */
  readonly evaluateLowSampleCountPercentile?: 'evaluate' | 'ignore' | undefined;
}

/** An alarm on the states of other alarms. */
export interface CompositeAlarmConfiguration extends AlarmConfiguration {
  readonly alarmRule: string;
  readonly suppressor?: ActionsSuppressor | undefined;
}

/** The alarm that keeps a composite alarm from acting. */
export interface ActionsSuppressor {
  /** As it was put: a name or an ARN. */
  readonly alarm: string;
  /** How long the composite alarm waits for the suppressor to go into ALARM before it acts. */
  readonly waitPeriodSeconds: number;
  /** How long it goes on holding back after the suppressor has left ALARM. */
  readonly extensionPeriodSeconds: number;
}

interface Comparison {
  /** Is the data point beyond the threshold? */
  readonly breaches: (value: number, threshold: number) => boolean;
  /** How CloudWatch words it: "was … the threshold". */
  readonly wording: string;
}

/**
 * How an alarm compares a data point with its threshold. The three operators of anomaly detection, which AWS has beside these, are not implemented.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
 */
export const COMPARISONS = {
  GreaterThanThreshold: { breaches: (value, threshold) => value > threshold, wording: 'greater than' },
  GreaterThanOrEqualToThreshold: {
    breaches: (value, threshold) => value >= threshold,
    wording: 'greater than or equal to',
  },
  LessThanThreshold: { breaches: (value, threshold) => value < threshold, wording: 'less than' },
  LessThanOrEqualToThreshold: { breaches: (value, threshold) => value <= threshold, wording: 'less than or equal to' },
} as const satisfies Record<string, Comparison>;

export type ComparisonOperator = keyof typeof COMPARISONS;

export const isComparisonOperator = (name: string): name is ComparisonOperator => Object.hasOwn(COMPARISONS, name);

/** The operators of anomaly detection. */
export const RANGE_COMPARISONS: readonly string[] = [
  'LessThanLowerOrGreaterThanUpperThreshold',
  'LessThanLowerThreshold',
  'GreaterThanUpperThreshold',
];

export function alarmArn(place: Place, alarmName: string): string {
  return arnIn(place, 'cloudwatch', `alarm:${alarmName}`);
}

/** `2022-06-28T01:57:35.603+0000`, the form in which CloudWatch gives an instant. */
export const cloudWatchInstant = (atMs: number): string => new Date(atMs).toISOString().replace('Z', '+0000');
