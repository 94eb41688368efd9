/**
 * How many invocations run, and how many may. A function with reserved concurrency has that for itself; all others share
 * what the account has left.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */
export class Concurrency {
  private readonly running = new Map<string, number>();
  private readonly reserved = new Map<string, number>();

  /** @param accountLimit invocations of the whole account at once */
  constructor(private readonly accountLimit: number) {}

  /** Sets a function's reserved concurrency, or takes it away. */
  reserve(functionName: string, limit: number | undefined): void {
    if (limit === undefined) this.reserved.delete(functionName);
    else this.reserved.set(functionName, limit);
  }

  runningOf(functionName: string): number {
    return this.running.get(functionName) ?? 0;
  }

  /** Takes a place for one more invocation. Answers false when there is none: the invocation is throttled. */
  take(functionName: string): boolean {
    const own = this.reserved.get(functionName);
    const isFree = own === undefined ? this.sharedRunning() < this.sharedLimit() : this.runningOf(functionName) < own;
    if (isFree) this.running.set(functionName, this.runningOf(functionName) + 1);
    return isFree;
  }

  give(functionName: string): void {
    this.running.set(functionName, this.runningOf(functionName) - 1);
  }

  private sharedLimit(): number {
    let left = this.accountLimit;
    for (const limit of this.reserved.values()) left -= limit;
    return left;
  }

  private sharedRunning(): number {
    let running = 0;
    for (const [name, count] of this.running) if (!this.reserved.has(name)) running += count;
    return running;
  }
}
