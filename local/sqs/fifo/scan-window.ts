import type { Message } from '../message';

/** A FIFO queue looks for message groups among so many of its oldest messages. */
const SCANNED_MESSAGES = 120_000;

/**
 * The oldest 120,000 messages of a FIFO queue. A group whose next message stands behind them waits, however free it is:
 * a backlog in one group holds up all that came later.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html
 */
export class ScanWindow {
  private last: Message | undefined;
  private size = 0;

  constructor(private readonly capacity = SCANNED_MESSAGES) {}

  covers(message: Message): boolean {
    return this.last !== undefined && message.arrival <= this.last.arrival;
  }

  /** A message has come into the queue, behind all others. */
  arrived(message: Message): void {
    if (this.size >= this.capacity) return;
    this.size += 1;
    this.last = message;
  }

  /** A message is about to leave the queue. Answers the message that has come into view instead, if one has. */
  left(message: Message): Message | undefined {
    if (!this.last || !this.covers(message)) return undefined;
    const next = this.last.later;
    if (next) {
      this.last = next;
      return next;
    }
    this.size -= 1;
    if (message === this.last) this.last = message.earlier;
    return undefined;
  }
}
