import TinyQueue from 'tinyqueue';
import { ownMember } from '../../policy/json-members';
import { DAY_MS } from '../../policy/time-units';
import type { Random } from '../kernel/random';
import type { Scheduled, Scheduler } from '../kernel/timeline';
import type { Item } from './item';
import type { Table } from './table';

/**
 * "DynamoDB typically deletes expired items within two days of expiration." **Assumption DYNAMODB-3:** The delay of each item is
 * random, so that no code can rely on it.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
 */
const LATEST_DELETION_MS = 2 * DAY_MS;

/** "Items with … a timestamp … more than five years in the past" are not deleted. */
const OLDEST_EXPIRY_MS = 5 * 365 * DAY_MS;

interface Expiry {
  readonly dueAtMs: number;
  readonly table: Table;
  readonly key: Item;
}

/** Deletes items some time after the second in their TTL attribute. */
export class TimeToLive {
  private readonly expiries = new TinyQueue<Expiry>([], (a, b) => a.dueAtMs - b.dueAtMs);
  private next: { readonly dueAtMs: number; readonly work: Scheduled } | undefined;

  constructor(
    private readonly timeline: Scheduler,
    private readonly random: Random,
    private readonly expire: (table: Table, item: Item) => void,
  ) {}

  /** Plans the deletion of an item that was written. */
  follow(table: Table, item: Item): void {
    const expiresAtMs = expiryOf(table, item);
    if (expiresAtMs === undefined) return;
    const dueAtMs = Math.max(expiresAtMs, this.timeline.nowMs) + this.random.integer(1, LATEST_DELETION_MS);
    this.expiries.push({ dueAtMs, table, key: table.keyAttributes(item) });
    this.plan();
  }

  /** Deletion is background work: `runUntilIdle` does not wait for it. */
  private plan(): void {
    const dueAtMs = this.expiries.peek()?.dueAtMs;
    if (dueAtMs === undefined || (this.next && this.next.dueAtMs <= dueAtMs)) return;
    this.next?.work.cancel();
    this.next = {
      dueAtMs,
      work: this.timeline.inBackground(dueAtMs, () => {
        this.next = undefined;
        this.deleteDue();
        this.plan();
      }),
    };
  }

  private deleteDue(): void {
    const { nowMs } = this.timeline;
    for (let due = this.expiries.peek(); due && due.dueAtMs <= nowMs; due = this.expiries.peek()) {
      this.expiries.pop();
      const item = due.table.get(due.key);
      const expiresAtMs = item && expiryOf(due.table, item);
      // A later write has changed the time, and planned another deletion.
      if (!item || expiresAtMs === undefined || expiresAtMs > nowMs) continue;
      if (expiresAtMs > nowMs - OLDEST_EXPIRY_MS) this.expire(due.table, item);
    }
  }
}

function expiryOf({ ttlAttribute }: Table, item: Item): number | undefined {
  const seconds = ttlAttribute === undefined ? undefined : ownMember(item, ttlAttribute)?.N;
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
