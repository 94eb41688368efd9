import type { Refused } from '../kernel/service-api';
import type { AlarmStateValue } from './alarms/alarm-configuration';

interface OfAlarm {
  readonly alarmName: string;
  readonly alarmArn: string;
}

export type CloudWatchTraceEvent =
  | (OfAlarm & {
      readonly type: 'cloudwatch.alarm-state-changed';
      readonly from: AlarmStateValue;
      readonly to: AlarmStateValue;
      /** The alarm's state reason, in CloudWatch's words. */
      readonly reason: string;
    })
  | (OfAlarm & { readonly type: 'cloudwatch.action-executed'; readonly actionArn: string })
  /** An alarm changed its state, but its action failed: the target does not exist or denies the call. */
  | (OfAlarm & { readonly type: 'cloudwatch.action-failed'; readonly actionArn: string; readonly reason: string })
  /** A composite alarm changed its state, but its actions are suppressed. */
  | (OfAlarm & {
      readonly type: 'cloudwatch.actions-suppressed';
      readonly by: 'Alarm' | 'WaitPeriod' | 'ExtensionPeriod';
    })
  /** An alarm changed its state, but a mute rule mutes its actions. */
  | (OfAlarm & { readonly type: 'cloudwatch.actions-muted' /** The name of the rule. */; readonly by: string })
  /** A log event in the embedded metric format was malformed. Its malformed metrics are lost. */
  | {
      readonly type: 'cloudwatch.embedded-metrics-refused';
      readonly logGroupName: string;
      readonly logStreamName: string;
      readonly problems: readonly string[];
    }
  | Refused<'cloudwatch'>;
