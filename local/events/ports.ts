import type { Functions, Queues, Topics } from '../event-delivery';
import type { RoleTrust } from '../kernel/access';
import type { LogSink } from '../kernel/telemetry';

/** Everything EventBridge sends to, and whom it asks about roles. */
export interface EventsDependencies {
  readonly sqs: Queues;
  readonly sns: Topics;
  readonly lambda: Functions;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
}

/** An event as the service that has it tells it; EventBridge adds the rest. */
export interface ServiceEvent {
  /** For example `aws.cloudwatch`. */
  readonly source: string;
  /** For example `CloudWatch Alarm State Change`. */
  readonly detailType: string;
  /** The ARNs of what it is about. @default none */
  readonly resources?: readonly string[];
  /** A JSON object. */
  readonly detail: Readonly<Record<string, unknown>>;
}
