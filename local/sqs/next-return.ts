import type { Scheduled, Scheduler, Task } from '../kernel/timeline';

/** Keeps exactly one piece of due work, at the next instant at which a message becomes visible. */
export class NextReturn {
  private atMs: number | undefined;
  private work: Scheduled | undefined;
  private readonly task: Task;

  constructor(
    private readonly scheduler: Scheduler,
    look: () => void,
  ) {
    this.task = () => {
      this.atMs = undefined;
      look();
    };
  }

  /** @param atMs undefined when no message is hidden */
  plan(atMs: number | undefined): void {
    if (this.atMs === atMs) return;
    if (this.atMs !== undefined) this.work?.cancel();
    this.atMs = atMs;
    if (atMs !== undefined) this.work = this.scheduler.at(atMs, this.task);
  }
}
