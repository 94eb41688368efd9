import type { NowMs, Wait } from '../../lambda/shared/clock';

interface Waiter {
  readonly dueAtMs: number;
  readonly resolve: () => void;
}

/** Time that passes when everybody waits. */
export class VirtualTime {
  private ms: number;
  private waiters: Waiter[] = [];

  constructor(startMs = 0) {
    this.ms = startMs;
  }

  readonly nowMs: NowMs = () => this.ms;

  readonly wait: Wait = milliseconds =>
    new Promise(resolve => {
      this.waiters.push({ dueAtMs: this.ms + Math.max(0, milliseconds), resolve });
    });

  /** Lets time pass until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const watched = work.finally(() => {
      isOver = true;
    });
    // Whoever awaits it is told of an error below.
    watched.catch(() => {});
    for (;;) {
      await new Promise<void>(resolve => setImmediate(resolve));
      if (isOver) return watched;
      const next = this.waiters.reduce<Waiter | undefined>(
        (soonest, waiter) => (soonest && soonest.dueAtMs <= waiter.dueAtMs ? soonest : waiter),
        undefined,
      );
      if (!next) throw new Error('the work waits for nothing that comes with time');
      this.waiters = this.waiters.filter(waiter => waiter !== next);
      this.ms = Math.max(this.ms, next.dueAtMs);
      next.resolve();
    }
  }
}
