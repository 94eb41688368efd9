import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scheduler } from './timeline';

const running = new AsyncLocalStorage<TestCode>();

/**
 * Asynchronous code of a test, which runs in this process and belongs to one instant of virtual time. Time stands still
 * while it runs, except while it waits for virtual time: for an answer that takes time, or for `waitFor`.
 */
export class TestCode {
  private release: (() => void) | undefined;
  private waiting = 0;
  private isOver = false;

  constructor(
    private readonly timeline: Pick<Scheduler, 'hold' | 'whenSettled'>,
    /** Called with each request that the code sends. */
    private readonly sent: () => void = () => {},
  ) {}

  /** The code that is calling, if it is such code. */
  static get current(): TestCode | undefined {
    return running.getStore();
  }

  /** Runs the code. If it returns a promise, time is held until that settles. */
  call(code: () => unknown): unknown {
    this.release = this.timeline.hold();
    try {
      const result = running.run(this, code);
      if (result instanceof Promise) return result.finally(() => this.end());
      this.end();
      return result;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Stops holding time for the code, because nothing waits for it any more. */
  end(): void {
    this.isOver = true;
    this.release?.();
  }

  noteRequest(): void {
    this.sent();
  }

  /** Lets time move until `virtual` settles, which due work does. */
  waitFor<T>(virtual: Promise<T>): Promise<T> {
    this.waiting += 1;
    this.release?.();
    return new Promise((resolve, reject) => {
      this.timeline.whenSettled(virtual, result => {
        this.waiting -= 1;
        if (this.waiting === 0 && !this.isOver) this.release = this.timeline.hold();
        if (result.status === 'fulfilled') resolve(result.value);
        else reject(result.reason);
      });
    });
  }
}
