import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { Refused } from '../kernel/service-api';
import type { EventInvocation } from '../kernel/service-call';
import type { AlarmStateValue } from './alarms/alarm-configuration';

/** The part of SNS that alarms use. */
interface TopicPublisher {
  /** @throws AwsError that SNS answers with */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** The part of Lambda that alarms use. */
interface FunctionInvoker {
  /** @throws AwsError that Lambda answers with (it may also reject with it) */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): unknown;
}

/** An event that CloudWatch sends to EventBridge. */
export interface AlarmEvent {
  readonly source: 'aws.cloudwatch';
  readonly detailType: 'CloudWatch Alarm State Change' | 'CloudWatch Alarm Configuration Change';
  /** The alarm's ARN. */
  readonly resources: readonly string[];
  /** A JSON object. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The part of EventBridge that CloudWatch uses. */
interface EventSink {
  /** Puts an event on the account's default bus. */
  emit(event: AlarmEvent): void;
}

/**
 * The services that alarm actions call. They are functions, because these services are constructed with CloudWatch as
 * one of theirs.
 */
export interface CloudWatchDependencies {
  readonly sns: () => TopicPublisher;
  readonly lambda: () => FunctionInvoker;
  readonly events: () => EventSink;
}

interface OfAlarm {
  readonly alarmName: string;
  readonly alarmArn: string;
}

/** The trace events of CloudWatch. */
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
  /** A log event in the embedded metric format was malformed. Its malformed metrics are lost. */
  | {
      readonly type: 'cloudwatch.embedded-metrics-refused';
      readonly logGroupName: string;
      readonly logStreamName: string;
      /** Every problem that was found. */
      readonly problems: readonly string[];
    }
  | Refused<'cloudwatch'>;
