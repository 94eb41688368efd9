import type { OnGone } from '../kernel/caller';
import type { Scheduled, Scheduler } from '../kernel/timeline';

/** A long poll that waits for something to answer. */
interface LongPoll {
  /** Answers the caller, if it can. */
  tryNow(): void;
  fail(error: unknown): void;
  readonly deadline: Scheduled;
}

/**
 * Everybody who waits for messages of one queue: long polls first, in the order in which they came, then whoever asked
 * to be told. They are told by due work, after the call that made the messages receivable has been answered.
 */
export class Receivers {
  private readonly polls = new Set<LongPoll>();
  private readonly listeners = new Set<() => void>();
  private announced = false;

  constructor(private readonly scheduler: Scheduler) {}

  /** How many long polls wait. */
  get waiting(): number {
    return this.polls.size;
  }

  /** How many have asked to be told. */
  get listening(): number {
    return this.listeners.size;
  }

  /** Calls `listener` each time messages have become receivable, once for any number of them. */
  add(listener: () => void): () => void {
    const own = (): void => listener();
    this.listeners.add(own);
    return () => {
      this.listeners.delete(own);
    };
  }

  /** Messages may be receivable. */
  announce(): void {
    if (this.announced || this.polls.size + this.listeners.size === 0) return;
    this.announced = true;
    this.scheduler.after(0, () => {
      this.announced = false;
      for (const poll of this.polls) poll.tryNow();
      for (const listener of [...this.listeners]) listener();
    });
  }

  /**
   * Waits for `attempt` to have an answer, for `waitMs` at most, and answers `empty()` then.
   *
   * @param onGone ends the wait of a caller who has gone: a message is not to be given to nobody
   */
  wait<Answer>(
    waitMs: number,
    attempt: () => Answer | undefined,
    empty: () => Answer,
    onGone?: OnGone,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        poll.deadline.cancel();
        this.polls.delete(poll);
      };
      const settle = (answer: () => Answer | undefined): void => {
        try {
          const now = answer();
          if (now === undefined) return;
          resolve(now);
        } catch (error) {
          reject(error);
        }
        leave();
      };
      const poll: LongPoll = {
        tryNow: () => settle(attempt),
        fail: error => {
          leave();
          reject(error);
        },
        deadline: this.scheduler.after(waitMs, () => settle(empty)),
      };
      this.polls.add(poll);
      onGone?.(() => {
        if (this.polls.has(poll)) settle(empty);
      });
    });
  }

  /** Answers every waiting long poll with `error`. */
  failPolls(error: unknown): void {
    for (const poll of [...this.polls]) poll.fail(error);
  }
}
