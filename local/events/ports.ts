import type { Functions, Queues, Topics } from '../event-delivery';
import type { RoleTrust } from '../kernel/access';
import type { LogSink } from '../kernel/telemetry';

/** The services that EventBridge calls. */
export interface EventsDependencies {
  readonly sqs: Queues;
  readonly sns: Topics;
  readonly lambda: Functions;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
}

/** An event as an AWS service emits it. EventBridge adds the other members. */
export interface ServiceEvent {
  /** For example `aws.cloudwatch`. */
  readonly source: string;
  /** For example `CloudWatch Alarm State Change`. */
  readonly detailType: string;
  /** ARNs of the resources that the event is about. @default none */
  readonly resources?: readonly string[];
  /** A JSON object. */
  readonly detail: Readonly<Record<string, unknown>>;
}
