import type { OnGone } from '../../kernel/caller';
import type { Scheduled, Scheduler } from '../../kernel/timeline';

interface LongPoll {
  /** Answers the caller if there is an answer. */
  tryNow(): void;
  fail(error: unknown): void;
  readonly deadline: Scheduled;
}

/**
 * The receivers that wait for messages of one queue: first the long polls in the order of arrival, then the listeners.
 * A call that makes messages receivable does not notify them itself. It schedules work that does, at the same instant.
 */
export class Receivers {
  private readonly polls = new Set<LongPoll>();
  private readonly listeners = new Set<() => void>();
  private announced = false;

  constructor(private readonly scheduler: Scheduler) {}

  get waiting(): number {
    return this.polls.size;
  }

  get listening(): number {
    return this.listeners.size;
  }

  /** Calls `listener` when messages become receivable, once for any number of messages. */
  add(listener: () => void): () => void {
    const own = (): void => listener();
    this.listeners.add(own);
    return () => {
      this.listeners.delete(own);
    };
  }

  /** Notifies the receivers that messages may be receivable. */
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
   * Waits until `attempt` has an answer, at most `waitMs`. Then answers `empty()`.
   * @param onGone ends the wait when the caller disconnects, so that no message is received for it
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

  /** Fails every waiting long poll with `error`. */
  failPolls(error: unknown): void {
    for (const poll of [...this.polls]) poll.fail(error);
  }
}
