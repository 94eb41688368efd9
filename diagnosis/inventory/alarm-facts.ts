import type { Told } from '../../template/told';
import type { Resource } from './inventory';

/** A metric an alarm watches, in its math included. */
export interface WatchedMetricFacts {
  /** Whose metric it is. @default - the alarm's own account's */
  readonly accountId?: Told<string>;
  readonly namespace: string;
  readonly name: string;
  /** Values by the dimensions' names. */
  readonly dimensions: Readonly<Record<string, Told<string>>>;
  /** `Sum`, `Maximum`, `p99`. */
  readonly statistic: string;
  readonly periodSeconds: Told<number>;
}

/** An alarm, one on metrics or one on other alarms. */
export interface AlarmFacts extends Resource {
  readonly metrics: readonly WatchedMetricFacts[];
  /** Metrics Insights queries it watches, which name their metrics themselves. @default - none */
  readonly queries?: readonly Told<string>[];
  /** Of a composite alarm. */
  readonly rule?: Told<string>;
  /** As CloudWatch spells it: `GreaterThanThreshold`. */
  readonly comparison: Told<string | undefined>;
  readonly threshold: Told<number | undefined>;
  readonly evaluationPeriods: Told<number>;
  readonly datapointsToAlarm: Told<number>;
  /** `missing`, `notBreaching`, `breaching`, `ignore`. */
  readonly treatMissingData: Told<string>;
  readonly actionsEnabled: Told<boolean>;
  /** What it does when it comes to ALARM: ARNs. */
  readonly alarmActions: Told<readonly Told<string>[]>;
  /** Of an account: `ALARM`, `OK`, `INSUFFICIENT_DATA`. */
  readonly state?: string;
}
