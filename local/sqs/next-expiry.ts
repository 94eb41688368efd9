import type { Scheduled, Scheduler, Task } from '../kernel/timeline';

/**
 * Plans a look at the instant at which the first message expires. Expiry is housekeeping: an early look finds nothing due
 * and plans the next, so deletes need not touch the plan.
 */
export class NextExpiry {
  private atMs = Number.POSITIVE_INFINITY;
  private work: Scheduled | undefined;
  private readonly task: Task;

  constructor(
    private readonly scheduler: Scheduler,
    look: () => void,
  ) {
    this.task = () => {
      this.atMs = Number.POSITIVE_INFINITY;
      look();
    };
  }

  plan(atMs: number): void {
    if (this.atMs <= atMs) return;
    this.work?.cancel();
    this.atMs = atMs;
    this.work = this.scheduler.inBackground(atMs, this.task);
  }

  stop(): void {
    this.work?.cancel();
  }
}
