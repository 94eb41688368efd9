import type { RequestChecks } from '../kernel/service-api';
import type { Directory } from './directory';
import { MAX_ACTIVE_MOVE_TASKS } from './limits';
import { type MoveOrder, MoveTask } from './move-task';
import { alreadyRunning, tooManyTasks } from './move-task-rules';
import type { Queue } from './queue';
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

/** How many of a queue's tasks are remembered. */
const REMEMBERED = 10;

/** Every message move task of the account. A queue that is deleted takes the memory of its tasks with it. */
export class MoveTasks {
  private readonly bySource = new WeakMap<Queue, MoveTask[]>();
  private active = 0;

  constructor(private readonly internals: SqsInternals) {}

  /** The last ten tasks of a source, the newest first. */
  of(source: Queue): readonly MoveTask[] {
    return this.bySource.get(source) ?? [];
  }

  /** @throws AwsError when the source, or the account, has all the active tasks it may have */
  start(order: MoveOrder): MoveTask {
    const earlier = this.of(order.source);
    if (earlier.some(({ isActive }) => isActive)) throw alreadyRunning();
    if (this.active >= MAX_ACTIVE_MOVE_TASKS) throw tooManyTasks();
    this.active += 1;
    const task = new MoveTask(this.internals.context.random.uuid(), order, this.internals, () => {
      this.active -= 1;
    });
    this.bySource.set(order.source, [task, ...earlier].slice(0, REMEMBERED));
    return task;
  }
}
