import { mergeSets, type StatisticSet } from './statistics';

export interface Bucket {
  /** The first millisecond that belongs to the bucket. */
  readonly startMs: number;
  set: StatisticSet;
}

/** Buckets of one length in the order of time. Data arrives almost always at the end, so that is where it looks first. */
export class BucketList {
  private readonly buckets: Bucket[] = [];

  constructor(readonly lengthMs: number) {}

  /** Adds to the bucket that `atMs` falls in. Answers true when the bucket is new. */
  add(atMs: number, set: StatisticSet): boolean {
    const startMs = Math.floor(atMs / this.lengthMs) * this.lengthMs;
    const index = this.firstFrom(startMs);
    const bucket = this.buckets[index];
    if (bucket?.startMs === startMs) {
      bucket.set = mergeSets(bucket.set, set);
      return false;
    }
    this.buckets.splice(index, 0, { startMs, set });
    return true;
  }

  /** Everything from `fromMs` up to, but not including, `toMs`, as one set. */
  between(fromMs: number, toMs: number): StatisticSet | undefined {
    let merged: StatisticSet | undefined;
    for (let index = this.firstFrom(fromMs); index < this.buckets.length; index += 1) {
      const bucket = this.buckets[index];
      if (!bucket || bucket.startMs >= toMs) break;
      merged = merged ? mergeSets(merged, bucket.set) : bucket.set;
    }
    return merged;
  }

  get size(): number {
    return this.buckets.length;
  }

  /** Is there anything from `fromMs` on? */
  hasFrom(fromMs: number): boolean {
    return (this.buckets.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY) >= fromMs;
  }

  /** Removes the buckets that start before `beforeMs` and answers them, oldest first. */
  takeBefore(beforeMs: number): readonly Bucket[] {
    const oldest = this.buckets[0];
    return oldest && oldest.startMs < beforeMs ? this.buckets.splice(0, this.firstFrom(beforeMs)) : [];
  }

  /** The index of the first bucket that starts at or after `startMs`. */
  private firstFrom(startMs: number): number {
    let low = 0;
    let high = this.buckets.length;
    const newest = this.buckets[high - 1];
    if (newest && newest.startMs <= startMs) return newest.startMs === startMs ? high - 1 : high;
    while (low < high) {
      const middle = (low + high) >> 1;
      const bucket = this.buckets[middle];
      if (bucket && bucket.startMs < startMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
