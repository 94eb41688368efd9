import type { StatisticName } from '../metrics/statistics';
import type { ComparisonOperator } from './comparison';

/** What an alarm takes a period without data for. */
export const MISSING_DATA_TREATMENTS = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
export type MissingDataTreatment = (typeof MISSING_DATA_TREATMENTS)[number];

export type AlarmStateValue = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/** An alarm on one metric as it was put, with AWS's defaults filled in. */
export interface AlarmConfiguration {
  readonly alarmName: string;
  readonly alarmArn: string;
  readonly alarmDescription?: string;
  /** When it was last put, in milliseconds since the Unix epoch. */
  readonly updatedAtMs: number;
  readonly actionsEnabled: boolean;
  /** The ARNs to notify when the alarm enters a state. */
  readonly actions: Readonly<Record<AlarmStateValue, readonly string[]>>;

  readonly namespace: string;
  readonly metricName: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: StatisticName;
  /** Only data reported in this unit. @default any unit */
  readonly unit?: string;
  readonly periodSeconds: number;
  /** N of "M out of N". */
  readonly evaluationPeriods: number;
  /** M of "M out of N". @default N, and AWS words its reasons differently when it was not given */
  readonly datapointsToAlarm?: number;
  readonly threshold: number;
  readonly comparisonOperator: ComparisonOperator;
  readonly treatMissingData: MissingDataTreatment;
}
