import type { PublishInput, PublishResponse } from '@aws-sdk/client-sns';
import type { Caller } from '../kernel/caller';
import type { EventInvocation } from '../kernel/event-invocation';

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
