import { FiveMinuteMemory } from '../kernel/messaging';
import type { Accepted, SentMessage } from './message';

export type DeduplicationScope = 'queue' | 'messageGroup';

/** AWS allows 60 seconds for an attribute change to take effect everywhere. */
const PROPAGATION_MS = 60_000;

/**
 * The messages that a FIFO queue has accepted in the last five minutes, including received and deleted ones.
 * **Assumption:** AWS does not publish this. A duplicate does not restart the five minutes.
 * **Assumption:** AWS does not publish this. A changed scope applies to messages sent 60 seconds after the change or
 * later. Recordings show the old scope still at work seconds after the change, and AWS allows 60 seconds for it.
 * @see
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
 */
export class Deduplication {
  private readonly taken = new FiveMinuteMemory<Accepted>();
  private wanted: DeduplicationScope;
  private holdsFromMs = Number.NEGATIVE_INFINITY;

  constructor(private scope: DeduplicationScope) {
    this.wanted = scope;
  }

  changeScope(scope: DeduplicationScope, nowMs: number): void {
    if (scope === this.wanted) return;
    this.scope = this.scopeAt(nowMs);
    this.wanted = scope;
    this.holdsFromMs = nowMs + PROPAGATION_MS;
  }

  /** Returns the earlier message with this deduplication id, if there is one. */
  earlier(sent: SentMessage, nowMs: number): Accepted | undefined {
    return this.taken.recall(this.idOf(sent, nowMs), nowMs);
  }

  note(sent: SentMessage, { id, sequenceNumber }: Accepted, nowMs: number): void {
    this.taken.remember(this.idOf(sent, nowMs), { id, sequenceNumber }, nowMs);
  }

  /** Forgets everything, as a purge does (recorded). */
  clear(): void {
    this.taken.clear();
  }

  private idOf({ deduplicationId = '', groupId = '' }: SentMessage, nowMs: number): string {
    return this.scopeAt(nowMs) === 'queue' ? deduplicationId : `${groupId} ${deduplicationId}`;
  }

  private scopeAt(nowMs: number): DeduplicationScope {
    return nowMs >= this.holdsFromMs ? this.wanted : this.scope;
  }
}
