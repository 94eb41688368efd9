import type { Scheduler, Task } from '../../kernel/timeline';
import { invalidParameter } from '../errors';

/** What AWS keeps for functions without a concurrency of their own. */
const LEAST_UNRESERVED = 100;

/**
 * How many invocations run, and how many may. A function with reserved concurrency has that for itself; all others share
 * what the account has left.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */
export class Concurrency {
  private readonly runningByName = new Map<string, number>();
  private readonly reserved = new Map<string, number>();

  /** @param accountLimit invocations of the whole account at once */
  constructor(private readonly accountLimit: number) {}

  /** Sets a function's reserved concurrency, or takes it away. */
  reserve(functionName: string, limit: number | undefined): void {
    if (limit === undefined) this.reserved.delete(functionName);
    else this.reserved.set(functionName, limit);
  }

  /**
   * @throws AwsError `InvalidParameterValueException` when too little would be left for the other functions
   * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
   */
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

  /** Invocations of all functions. */
  get running(): number {
    let running = 0;
    for (const count of this.runningByName.values()) running += count;
    return running;
  }

  /** What all functions without a reserved concurrency share. */
  get unreserved(): number {
    let left = this.accountLimit;
    for (const limit of this.reserved.values()) left -= limit;
    return left;
  }

  /** Takes a place for one more invocation. Answers false when there is none: the invocation is throttled. */
  take(functionName: string): boolean {
    const own = this.reserved.get(functionName);
    const isFree = own === undefined ? this.sharedRunning() < this.unreserved : this.runningOf(functionName) < own;
    if (isFree) this.runningByName.set(functionName, this.runningOf(functionName) + 1);
    return isFree;
  }

  give(functionName: string): void {
    this.runningByName.set(functionName, this.runningOf(functionName) - 1);
  }

  private sharedRunning(): number {
    let running = 0;
    for (const [name, count] of this.runningByName) if (!this.reserved.has(name)) running += count;
    return running;
  }
}

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
