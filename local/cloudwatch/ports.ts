import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { EventInvocation } from '../kernel/service-call';

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
