import type { Task } from '../../kernel/timeline';
import type { Threads } from '../environment/threads';

/**
 * Sees to it that a mapping receives no more than this machine has threads for, and that several mappings get their turns:
 * where there are fewer threads than batches, messages wait in their queues.
 */
export class ThreadShare {
  private starting = 0;
  private isWaiting = false;
  private isCalled = false;

  /**
   * @param onTurn called when there is a thread for another batch
   * @param onShortage called when there is none
   */
  constructor(
    private readonly threads: Threads,
    private readonly onTurn: () => void,
    private readonly onShortage: () => void,
  ) {}

  /** Whether another batch may be received; if not, it gets in line. */
  mayReceive(): boolean {
    const isShort = this.starting >= this.threads.free;
    const isNext = this.isCalled || !this.threads.isAwaited;
    if (isNext && !isShort) return true;
    if (isShort) this.onShortage();
    this.waitForTurn();
    return false;
  }

  /** A batch is about to need a thread. */
  expect(): void {
    this.isCalled = false;
    this.starting += 1;
  }

  /** Has due work do `start`, which takes a thread, at once or as soon as there is one. */
  start(start: Task): void | Promise<void> {
    if (this.threads.free <= 0) {
      this.threads.whenFree(() => this.start(start));
      return undefined;
    }
    this.starting -= 1;
    return start();
  }

  private waitForTurn(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.threads.whenFree(() => {
      this.isWaiting = false;
      this.isCalled = true;
      this.onTurn();
      this.isCalled = false;
    });
  }
}
