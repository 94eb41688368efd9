import type { Scheduled, Scheduler, Task } from '../../kernel/timeline';
import type { InterruptedRun } from './interruptions';

/** Tells when an invocation is to end before it is done, from when its handler is called. */
export class Interrupter {
  private readonly waiting: Scheduled | undefined;
  private requests = 0;

  /** @param interrupt called by due work, once the time has come */
  constructor(
    private readonly interrupted: InterruptedRun,
    timeline: Pick<Scheduler, 'after'>,
    interrupt: Task,
  ) {
    const { afterMs = 0, afterRequests } = interrupted;
    this.waiting = afterRequests === undefined ? timeline.after(afterMs, interrupt) : undefined;
  }

  /** Notes a request that was sent. Answers whether it was the last. */
  sent(): boolean {
    this.requests += 1;
    return this.requests === this.interrupted.afterRequests;
  }

  /** The invocation is over. */
  cancel(): void {
    this.waiting?.cancel();
  }
}
