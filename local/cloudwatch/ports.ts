import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { Refused } from '../kernel/service-api';
import type { EventInvocation } from '../kernel/service-call';
import type { AlarmStateValue } from './alarms/alarm-configuration';

/** What alarms ask of SNS; SNS itself is one of these. */
export interface TopicPublisher {
  /** @throws AwsError as SNS would answer */
  call(action: 'Publish', caller: Caller, input: PublishInput): PublishResponse;
}

/** What alarms ask of Lambda; Lambda itself is one of these. */
export interface FunctionInvoker {
  /** @throws AwsError as Lambda would answer, or rejects with it */
  call(action: 'Invoke', caller: Caller, input: EventInvocation): unknown;
}

/** What CloudWatch tells EventBridge. */
export interface AlarmEvent {
  readonly source: 'aws.cloudwatch';
  readonly detailType: 'CloudWatch Alarm State Change' | 'CloudWatch Alarm Configuration Change';
  /** The alarm's ARN. */
  readonly resources: readonly string[];
  /** Plain JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What CloudWatch asks of EventBridge; EventBridge itself is one of these. */
export interface EventSink {
  /** Puts an event on the account's default bus, now. */
  emit(event: AlarmEvent): void;
}

/** Everything that alarms act upon. Getters, because these services are built with CloudWatch as their neighbour. */
export interface CloudWatchNeighbours {
  readonly sns: () => TopicPublisher;
  readonly lambda: () => FunctionInvoker;
  readonly events: () => EventSink;
}

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
