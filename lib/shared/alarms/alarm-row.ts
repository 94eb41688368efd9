import type { Duration } from 'aws-cdk-lib';
import type {
  ComparisonOperator,
  IAlarmAction,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { RunbookSection } from './runbook-section';

/** What every alarm of ours says, of a metric or of other alarms. */
interface Row {
  /** Its construct's id, but for `Alarm` behind it: it becomes the logical id, and must stay. */
  readonly id: string;
  /** What stands behind the owner's name in the alarm's. @default - the id */
  readonly suffix?: string;
  /** What has happened, in a sentence; the link to the runbook is added. */
  readonly meaning: string;
  readonly runbook: RunbookSection;
  /** Whether anything is done when it fires, and not only its state kept. @default true */
  readonly tells?: boolean;
  /** What is done when it fires. @default - what the owner has done for all its alarms */
  readonly actions?: IAlarmAction[];
}

/** An alarm on a metric: all that sets it apart from the others. */
export interface AlarmRow extends Row {
  readonly metric: Metric | MathExpression;
  readonly threshold: number;
  /** @default - fires above the threshold */
  readonly comparison?: ComparisonOperator;
  /** What one datapoint is over. @default - a minute */
  readonly period?: Duration;
  /** How many datapoints are looked at, the latest ones. @default 1 */
  readonly evaluationPeriods?: number;
  /** How many of those must be beyond the threshold. @default - all */
  readonly datapointsToAlarm?: number;
  /**
   * What no datapoint means.
   *
   * @default - no news: most of what we watch is either sent only when something happens, or stops when a queue has been
   * idle for six hours
   * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
   */
  readonly missingData?: TreatMissingData;
}

/** An alarm that fires while any of some others of its owner does. */
export interface AnyAlarmRow extends Row {
  /** The ids of the others; those of them count that are there when the app is synthesized, and one must be there now. */
  readonly of: readonly string[];
}
