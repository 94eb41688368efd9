import type { RequestChecks } from '../kernel/service-api';
import type { Directory } from './directory';
import { MoveTasks } from './move-task';
import type { SqsContext } from './trace-events';

export type { ApiCall as Call } from '../kernel/service-api';

/** What every action of SQS works with. */
export class SqsInternals {
  readonly moveTasks = new MoveTasks(this);

  constructor(
    readonly context: SqsContext,
    readonly directory: Directory,
    /** Who also writes down what is refused after the call: a long poll, when messages have come at last. */
    readonly checks: RequestChecks,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }
}
