import type { Scheduler, Task } from '../../kernel/timeline';
import { invalidParameter } from '../errors';

/** AWS keeps this much concurrency for functions without reserved concurrency. */
const LEAST_UNRESERVED = 100;

/**
 * Counts running invocations against their limits. A function with reserved concurrency has its own limit. All other
 * functions share the rest of the account's concurrency.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */
export class Concurrency {
  private readonly runningByName = new Map<string, number>();
  private readonly reserved = new Map<string, number>();

  /** @param accountLimit the concurrent invocations of the whole account */
  constructor(private readonly accountLimit: number) {}

  /** Sets or removes a function's reserved concurrency. */
  reserve(functionName: string, limit: number | undefined): void {
    if (limit === undefined) this.reserved.delete(functionName);
    else this.reserved.set(functionName, limit);
  }

  /** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html */
  checkReservable(functionName: string, limit: number): void {
    const least = Math.min(LEAST_UNRESERVED, this.accountLimit);
    const left = this.unreserved + (this.reserved.get(functionName) ?? 0) - limit;
    if (left >= least) return;
    throw invalidParameter(
      "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its " +
        `minimum value of [${least}].`,
    );
  }

  runningOf(functionName: string): number {
    return this.runningByName.get(functionName) ?? 0;
  }

  get running(): number {
    let running = 0;
    for (const count of this.runningByName.values()) running += count;
    return running;
  }

  /** The concurrency that all functions without reserved concurrency share. */
  get unreserved(): number {
    let left = this.accountLimit;
    for (const limit of this.reserved.values()) left -= limit;
    return left;
  }

  /** Reserves concurrency for one invocation. @returns false when there is none, so that the invocation is throttled */
  take(functionName: string): boolean {
    const own = this.reserved.get(functionName);
    const isFree = own === undefined ? this.sharedRunning() < this.unreserved : this.runningOf(functionName) < own;
    if (isFree) this.runningByName.set(functionName, this.runningOf(functionName) + 1);
    return isFree;
  }

  release(functionName: string): void {
    this.runningByName.set(functionName, this.runningOf(functionName) - 1);
  }

  private sharedRunning(): number {
    let running = 0;
    for (const [name, count] of this.runningByName) if (!this.reserved.has(name)) running += count;
    return running;
  }
}

/**
 * The threads that this machine provides for running functions. A caller can wait for a thread: callers are called in
 * the order in which they began to wait, each as soon as a thread is free.
 */
export class Threads {
  private readonly waiting: Task[] = [];
  private busy = 0;
  private isCalling = false;

  constructor(
    private readonly timeline: Pick<Scheduler, 'after'>,
    private limit: number,
  ) {}

  /** Refuses every thread from now on. */
  close(): void {
    this.limit = 0;
  }

  get free(): number {
    return this.limit - this.busy;
  }

  /** Whether a caller waits for a thread. */
  get isAwaited(): boolean {
    return this.waiting.length > 0;
  }

  /** Takes a thread. @returns false when none is free */
  take(): boolean {
    if (this.free <= 0) return false;
    this.busy += 1;
    return true;
  }

  release(): void {
    this.busy -= 1;
    this.callNext();
  }

  /** Schedules `task` for when a thread is free. The task takes the thread, or leaves it to the next waiting task. */
  whenFree(task: Task): void {
    this.waiting.push(task);
    this.callNext();
  }

  private callNext(): void {
    if (this.isCalling || !this.isAwaited || this.free <= 0) return;
    this.isCalling = true;
    this.timeline.after(0, () => {
      this.isCalling = false;
      // A caller that did not wait may have taken the thread in the meantime.
      const task = this.free > 0 ? this.waiting.shift() : undefined;
      const done = task?.();
      this.callNext();
      return done;
    });
  }
}
