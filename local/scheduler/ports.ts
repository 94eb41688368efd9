import type { EventBuses, Functions, Queues, Topics } from '../event-delivery/targets';
import type { RoleTrust } from '../kernel/access';
import type { Caller } from '../kernel/caller';

/** A service whose actions a universal target may call, by name and with a parsed JSON document. */
interface AnyService {
  implements(action: string): boolean;
  /** @throws AwsError the error of the service, thrown or as a rejection */
  call(action: string, caller: Caller, document: unknown): unknown;
}

/** The services that EventBridge Scheduler calls. */
export interface SchedulerDependencies {
  readonly sqs: Queues;
  readonly sns: Topics;
  readonly lambda: Functions;
  readonly events: EventBuses;
  readonly roles: RoleTrust;
  /**
   * For universal targets: services by their names in `arn:aws:scheduler:::aws-sdk:SERVICE:action`, such as `sqs`,
   * `lambda` and `eventbridge`.
   */
  readonly services: ReadonlyMap<string, AnyService>;
}
