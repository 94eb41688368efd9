import { FiveMinuteMemory } from '../kernel/messaging';
import type { Accepted, SentMessage } from './message';

export type DeduplicationScope = 'queue' | 'messageGroup';

/** AWS allows itself so long until a change of an attribute holds everywhere. */
const PROPAGATION_MS = 60_000;

/**
 * Which messages a FIFO queue has taken in the last five minutes, received and deleted ones too. A message sent again
 * does not begin the five minutes anew: our choice.
 *
 * Recordings made seconds after the scope was changed show the old one still at work. Our choice: the new one holds 60
 * seconds after the change, which is as long as AWS says it may take, and for what is sent from then on.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues-exactly-once-processing.html
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

  /** The message that was taken in with this deduplication id, if one was. */
  earlier(sent: SentMessage, nowMs: number): Accepted | undefined {
    return this.taken.recall(this.idOf(sent, nowMs), nowMs);
  }

  note(sent: SentMessage, { id, sequenceNumber }: Accepted, nowMs: number): void {
    this.taken.remember(this.idOf(sent, nowMs), { id, sequenceNumber }, nowMs);
  }

  /** A purge forgets what was sent (recorded). */
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
