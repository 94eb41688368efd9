import type { Functions, Queues, Topics } from '../event-delivery/targets';
import type { RoleTrust } from '../kernel/access';
import type { Caller } from '../kernel/caller';
import type { LogSink } from '../kernel/telemetry';
import type { BusEvent } from './bus-event';

export interface EventsDependencies {
  readonly sqs: Queues;
  readonly sns: Topics;
  readonly lambda: Functions;
  readonly logs: LogSink;
  readonly roles: RoleTrust;
  /** EventBridge in the account and Region of a bus. @default - only buses of this account and Region exist */
  readonly busesAt?: (busArn: string) => BusReceiver;
}

export interface BusReceiver {
  /**
   * Puts an event on the bus `busArn`, if its policy allows the caller.
   *
   * @throws AwsError when the bus does not exist, or its policy or a fault refuses the event
   */
  receive(busArn: string, caller: Caller, event: BusEvent): void;
  /** @throws AwsError when a policy does not allow the caller to put events on the bus, which need not exist */
  checkMayPut(busArn: string, caller: Caller): void;
  /** Puts an event on the bus without a check. A missing bus loses the event. */
  put(busArn: string, event: BusEvent): void;
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
