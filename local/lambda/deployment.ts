import type { PolicyDocument } from '../kernel/access';
import type { Resource } from '../kernel/doorkeeper';
import type { EventQueue } from './asynchronous/event-queue';
import type { DeployedFunction } from './deployed-function';

/** A function and its queue of events. */
export class Deployment implements Resource {
  constructor(
    readonly deployed: DeployedFunction,
    readonly events: EventQueue,
  ) {}

  get arn(): string {
    return this.deployed.arn;
  }

  get policy(): PolicyDocument | undefined {
    return this.deployed.policy;
  }
}
