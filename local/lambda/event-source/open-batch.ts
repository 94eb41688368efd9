import type { Message } from '@aws-sdk/client-sqs';
import { messageBytes } from './sqs-event';

/** An event may have 6 MB, the members around the messages included. */
const MOST_BYTES = 6 * 1024 * 1024 - 1024;

/** Messages on their way into the function, in their order: those that fit into one event, and those of the next. */
export class OpenBatch {
  private batches: Message[][] = [];
  private bytes = 0;
  private count = 0;

  /** How many messages there are. */
  get size(): number {
    return this.count;
  }

  /** Whether there are more than fit into one event. */
  get overflows(): boolean {
    return this.batches.length > 1;
  }

  add(messages: readonly Message[]): void {
    for (const message of messages) {
      const more = messageBytes(message);
      const last = this.batches.at(-1);
      if (last && this.bytes + more <= MOST_BYTES) {
        last.push(message);
        this.bytes += more;
      } else {
        this.batches.push([message]);
        this.bytes = more;
      }
      this.count += 1;
    }
  }

  /** Takes everything out, in batches that fit into an event each. */
  take(): readonly (readonly Message[])[] {
    const { batches } = this;
    this.batches = [];
    this.bytes = 0;
    this.count = 0;
    return batches;
  }
}
