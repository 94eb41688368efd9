import type { MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { arnIn, type Place } from '../../kernel/place';
import type { MetricQuery, Query, QuerySet } from '../metrics/metric-queries';

/** How an alarm treats a period without data. */
export const MISSING_DATA_TREATMENTS = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
export type MissingDataTreatment = (typeof MISSING_DATA_TREATMENTS)[number];

export const ALARM_STATES = ['INSUFFICIENT_DATA', 'ALARM', 'OK'] as const;
export type AlarmStateValue = (typeof ALARM_STATES)[number];

/** The configuration that every kind of alarm has, with AWS's defaults filled in. */
export interface AlarmConfiguration {
  readonly alarmName: string;
  readonly alarmArn: string;
  readonly alarmDescription?: string | undefined;
  /** When the alarm was last put, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  readonly actionsEnabled: boolean;
  /** The ARNs to notify when the alarm enters a state. */
  readonly actions: Readonly<Record<AlarmStateValue, readonly string[]>>;
}

export interface WatchedMetric {
  readonly kind: 'metric';
  /** The id of the metric in CloudWatch's events. */
  readonly id: string;
  readonly metric: MetricQuery;
  readonly periodSeconds: number;
}

/** A list of metrics and expressions, one of which returns data. */
export interface WatchedQuery {
  readonly kind: 'query';
  readonly set: QuerySet;
  readonly returned: Query;
  /** The list as the request gave it. */
  readonly definitions: readonly MetricDataQuery[];
  readonly periodSeconds: number;
}

export interface MetricAlarmConfiguration extends AlarmConfiguration {
  readonly watched: WatchedMetric | WatchedQuery;
  /** N of "M out of N". */
  readonly evaluationPeriods: number;
  /** M of "M out of N". @default N; AWS then words its reasons differently */
  readonly datapointsToAlarm?: number | undefined;
  readonly threshold: number;
  readonly comparisonOperator: ComparisonOperator;
  /** @default 'missing' */
  readonly treatMissingData?: MissingDataTreatment | undefined;
  /** `ignore` keeps the state while a percentile has too few values to be significant. @default 'evaluate' */
  readonly evaluateLowSampleCountPercentile?: 'evaluate' | 'ignore' | undefined;
}

export interface CompositeAlarmConfiguration extends AlarmConfiguration {
  readonly alarmRule: string;
  readonly suppressor?: ActionsSuppressor | undefined;
}

export interface ActionsSuppressor {
  /** The name or the ARN, as the request gave it. */
  readonly alarm: string;
  /** How long the composite alarm waits for the suppressor to enter ALARM before it acts. */
  readonly waitPeriodSeconds: number;
  /** How long actions stay suppressed after the suppressor has left ALARM. */
  readonly extensionPeriodSeconds: number;
}

interface Comparison {
  readonly breaches: (value: number, threshold: number) => boolean;
  /** CloudWatch's wording between "was" and "the threshold". */
  readonly wording: string;
}

/**
 * How an alarm compares a data point with its threshold. AWS's three operators for anomaly detection are not
 * implemented.
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

/** Formats an instant as CloudWatch does: `2022-06-28T01:57:35.603+0000`. */
export const cloudWatchInstant = (atMs: number): string => new Date(atMs).toISOString().replace('Z', '+0000');
