import type { RequestChecks } from '../kernel/service-api';
import { MoveTasks } from './move-task/move-task';
import type { Directory } from './queue/directory';
import type { SqsContext } from './trace-events';

export type { ApiCall as Call } from '../kernel/service-api';

export class SqsState {
  readonly moveTasks = new MoveTasks(this);

  constructor(
    readonly context: SqsContext,
    readonly directory: Directory,
    /** Also records refusals that happen after the call, when a long poll gets its messages. */
    readonly checks: RequestChecks,
  ) {}

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }
}
