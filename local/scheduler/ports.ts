import type { EventBuses, Functions, Queues, Topics } from '../event-delivery';
import type { RoleTrust } from '../kernel/access';
import type { Caller } from '../kernel/caller';

/** A service any of whose actions a universal target may call, by name and with a parsed JSON document. */
export interface AnyService {
  implements(action: string): boolean;
  /** @throws AwsError as the service would answer, or rejects with it */
  call(action: string, caller: Caller, document: unknown): unknown;
}

/** Everything EventBridge Scheduler invokes, and whom it asks about roles. */
export interface SchedulerDependencies {
  readonly sqs: Queues;
  readonly sns: Topics;
  readonly lambda: Functions;
  readonly events: EventBuses;
  readonly roles: RoleTrust;
  /** For universal targets: `sqs`, `lambda`, `eventbridge`, … as `arn:aws:scheduler:::aws-sdk:SERVICE:action` names them. */
  readonly services: ReadonlyMap<string, AnyService>;
}
