import type { MaybeKnown } from '../../template/told';
import type { Resource } from './inventory';

/** A metric an alarm watches, in its math included. */
export interface WatchedMetricFacts {
  /** Whose metric it is. @default - the alarm's own account's */
  readonly accountId?: MaybeKnown<string>;
  readonly namespace: string;
  readonly name: string;
  /** Values by the dimensions' names. */
  readonly dimensions: Readonly<Record<string, MaybeKnown<string>>>;
  /** `Sum`, `Maximum`, `p99`. */
  readonly statistic: string;
  readonly periodSeconds: MaybeKnown<number>;
}

/** An alarm, one on metrics or one on other alarms. */
export interface AlarmFacts extends Resource {
  readonly metrics: readonly WatchedMetricFacts[];
  /** Metrics Insights queries it watches, which name their metrics themselves. @default - none */
  readonly queries?: readonly MaybeKnown<string>[];
  /** Of a composite alarm. */
  readonly rule?: MaybeKnown<string>;
  /** As CloudWatch spells it: `GreaterThanThreshold`. */
  readonly comparison: MaybeKnown<string | undefined>;
  readonly threshold: MaybeKnown<number | undefined>;
  readonly evaluationPeriods: MaybeKnown<number>;
  readonly datapointsToAlarm: MaybeKnown<number>;
  /** `missing`, `notBreaching`, `breaching`, `ignore`. */
  readonly treatMissingData: MaybeKnown<string>;
  readonly actionsEnabled: MaybeKnown<boolean>;
  /** What it does when it comes to ALARM: ARNs. */
  readonly alarmActions: MaybeKnown<readonly MaybeKnown<string>[]>;
  /** Of an account: `ALARM`, `OK`, `INSUFFICIENT_DATA`. */
  readonly state?: string;
}
