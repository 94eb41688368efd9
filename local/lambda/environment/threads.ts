import type { Scheduler, Task } from '../../kernel/timeline';

/**
 * The threads this machine has for functions that run. Whoever can wait stands in line: those who came first are called
 * first, each as soon as a thread is free.
 */
export class Threads {
  private readonly waiting: Task[] = [];
  private busy = 0;
  private isCalling = false;

  constructor(
    private readonly timeline: Pick<Scheduler, 'after'>,
    private readonly limit: number,
  ) {}

  get free(): number {
    return this.limit - this.busy;
  }

  /** Whether somebody waits for a thread. */
  get isAwaited(): boolean {
    return this.waiting.length > 0;
  }

  /** Takes a thread. Answers false when none is free. */
  take(): boolean {
    if (this.free <= 0) return false;
    this.busy += 1;
    return true;
  }

  give(): void {
    this.busy -= 1;
    this.callNext();
  }

  /** Has due work do `task` once a thread is free; the task takes one, or leaves it to the next in line. */
  whenFree(task: Task): void {
    this.waiting.push(task);
    this.callNext();
  }

  private callNext(): void {
    if (this.isCalling || !this.isAwaited || this.free <= 0) return;
    this.isCalling = true;
    this.timeline.after(0, () => {
      this.isCalling = false;
      // Somebody who did not stand in line may have taken it meanwhile.
      const task = this.free > 0 ? this.waiting.shift() : undefined;
      const done = task?.();
      this.callNext();
      return done;
    });
  }
}
