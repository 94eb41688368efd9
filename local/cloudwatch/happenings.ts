import type { Refused } from '../kernel/doorkeeper';
import type { AlarmStateValue } from './alarms/alarm-configuration';

interface OfAlarm {
  readonly alarmName: string;
  readonly alarmArn: string;
}

/** What CloudWatch writes down. */
export type CloudWatchHappening =
  | (OfAlarm & {
      readonly type: 'cloudwatch.alarm-state-changed';
      readonly from: AlarmStateValue;
      readonly to: AlarmStateValue;
      /** In CloudWatch's words. */
      readonly reason: string;
    })
  | (OfAlarm & { readonly type: 'cloudwatch.action-executed'; readonly actionArn: string })
  /** The alarm changed its state and nobody was told: the target is gone, or refuses. */
  | (OfAlarm & { readonly type: 'cloudwatch.action-failed'; readonly actionArn: string; readonly reason: string })
  /** A composite alarm changed its state and holds back what it would do. */
  | (OfAlarm & {
      readonly type: 'cloudwatch.actions-suppressed';
      readonly by: 'Alarm' | 'WaitPeriod' | 'ExtensionPeriod';
    })
  /** A log event says that it carries metrics, and all or some of them are malformed: those are lost. */
  | {
      readonly type: 'cloudwatch.embedded-metrics-refused';
      readonly logGroupName: string;
      readonly logStreamName: string;
      /** What is wrong, all of it. */
      readonly problems: readonly string[];
    }
  | Refused<'cloudwatch'>;
