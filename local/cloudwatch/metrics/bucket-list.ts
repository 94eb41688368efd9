import { addValues, type StatisticSet, ValueCounts } from './statistic-set';

interface Bucket {
  /** The first millisecond of the bucket. */
  readonly startMs: number;
  readonly set: StatisticSet;
}

/** The positions of a bucket's numbers in the array. */
const START = 0;
const SAMPLE_COUNT = 1;
const SUM = 2;
const MINIMUM = 3;
const MAXIMUM = 4;
const WIDTH = 5;

const FIRST_CAPACITY = 8;

/**
 * Buckets of equal length, sorted by time. New data almost always belongs to the last bucket, so it is tried first. All
 * numbers are in one array, 40 bytes per bucket, because a busy metric has tens of thousands of buckets. Single values
 * are stored only for buckets whose values differ.
 */
export class BucketList {
  private numbers = new Float64Array(FIRST_CAPACITY * WIDTH);
  private first = 0;
  private end = 0;
  private readonly values = new Map<number, ValueCounts | 'unknown'>();
  /** The start of the bucket that last received a value, which most likely receives the next one, too. */
  private recentMs = Number.NaN;
  private recent: ValueCounts | 'unknown' | undefined;

  constructor(readonly lengthMs: number) {}

  /** Adds to the bucket that contains `atMs`. @returns true when the bucket is new */
  add(atMs: number, set: StatisticSet): boolean {
    const startMs = Math.floor(atMs / this.lengthMs) * this.lengthMs;
    const index = this.firstFrom(startMs);
    if (index === this.end || this.at(index, START) !== startMs) {
      this.insert(index, startMs, set);
      return true;
    }
    this.storeValues(startMs, index, set);
    const { numbers } = this;
    const at = index * WIDTH;
    numbers[at + SAMPLE_COUNT] = this.at(index, SAMPLE_COUNT) + set.sampleCount;
    numbers[at + SUM] = this.at(index, SUM) + set.sum;
    numbers[at + MINIMUM] = Math.min(this.at(index, MINIMUM), set.minimum);
    numbers[at + MAXIMUM] = Math.max(this.at(index, MAXIMUM), set.maximum);
    return false;
  }

  /**
   * Merges the data from `fromMs` up to, but not including, `toMs` into one set.
   *
   * @param withValues whether to include the single values, which costs more; otherwise they are `unknown`
   */
  between(fromMs: number, toMs: number, withValues = false): StatisticSet | undefined {
    const from = this.firstFrom(fromMs);
    const to = this.firstFrom(toMs);
    if (to <= from) return undefined;
    let sampleCount = 0;
    let sum = 0;
    let minimum = Number.POSITIVE_INFINITY;
    let maximum = Number.NEGATIVE_INFINITY;
    const { numbers } = this;
    // Alarms read every bucket of all their periods each minute, so this loop makes no object per bucket.
    for (let at = from * WIDTH; at < to * WIDTH; at += WIDTH) {
      sampleCount += numbers[at + SAMPLE_COUNT] ?? Number.NaN;
      sum += numbers[at + SUM] ?? Number.NaN;
      const least = numbers[at + MINIMUM] ?? Number.NaN;
      const most = numbers[at + MAXIMUM] ?? Number.NaN;
      if (least < minimum) minimum = least;
      if (most > maximum) maximum = most;
    }
    if (minimum === maximum) return { sampleCount, sum, minimum, maximum };
    return { sampleCount, sum, minimum, maximum, values: withValues ? this.valuesOf(from, to) : 'unknown' };
  }

  get size(): number {
    return this.end - this.first;
  }

  /** Whether there is data from `fromMs` on. */
  hasFrom(fromMs: number): boolean {
    return this.end > this.first && this.at(this.end - 1, START) >= fromMs;
  }

  /** Removes and returns the buckets that start before `beforeMs`, oldest first. */
  takeBefore(beforeMs: number): readonly Bucket[] {
    if (this.end === this.first || this.at(this.first, START) >= beforeMs) return [];
    const taken: Bucket[] = [];
    for (; this.first < this.end && this.at(this.first, START) < beforeMs; this.first += 1) {
      const startMs = this.at(this.first, START);
      taken.push({ startMs, set: this.setAt(this.first) });
      this.values.delete(startMs);
    }
    this.recentMs = Number.NaN;
    return taken;
  }

  private at(index: number, column: number): number {
    return this.numbers[index * WIDTH + column] ?? Number.NaN;
  }

  private setAt(index: number): StatisticSet {
    const values = this.values.get(this.at(index, START));
    return {
      sampleCount: this.at(index, SAMPLE_COUNT),
      sum: this.at(index, SUM),
      minimum: this.at(index, MINIMUM),
      maximum: this.at(index, MAXIMUM),
      ...(values === undefined ? {} : { values }),
    };
  }

  private valuesOf(from: number, to: number): ValueCounts | 'unknown' {
    const values = new ValueCounts();
    for (let index = from; index < to; index += 1) {
      const set = this.setAt(index);
      if (set.values === 'unknown') return 'unknown';
      addValues(values, set);
    }
    return values;
  }

  /** Stores the single values of the bucket to which `set` will be added, if they differ. */
  private storeValues(startMs: number, index: number, set: StatisticSet): void {
    if (set.values === undefined && this.isUniform(index, set.minimum)) return;
    let values = startMs === this.recentMs ? this.recent : this.values.get(startMs);
    if (values === 'unknown') return;
    if (set.values === 'unknown') {
      this.keepValues(startMs, 'unknown');
      return;
    }
    if (!values) {
      values = new ValueCounts();
      values.add(this.at(index, MINIMUM), this.at(index, SAMPLE_COUNT));
    }
    if (values !== this.recent) this.keepValues(startMs, values);
    addValues(values, set);
  }

  private isUniform(index: number, value: number): boolean {
    return this.at(index, MINIMUM) === value && this.at(index, MAXIMUM) === value;
  }

  private keepValues(startMs: number, values: ValueCounts | 'unknown'): void {
    this.values.set(startMs, values);
    this.recentMs = startMs;
    this.recent = values;
  }

  private insert(index: number, startMs: number, set: StatisticSet): void {
    const place = this.end * WIDTH < this.numbers.length ? index : this.makeRoom(index);
    const at = place * WIDTH;
    if (place < this.end) this.numbers.copyWithin(at + WIDTH, at, this.end * WIDTH);
    this.numbers.set([startMs, set.sampleCount, set.sum, set.minimum, set.maximum], at);
    this.end += 1;
    if (set.values === undefined) return;
    this.keepValues(startMs, set.values === 'unknown' ? 'unknown' : copyOf(set.values));
  }

  /** Moves the numbers to the front, of an array of twice the length if this one is more than half full. */
  private makeRoom(index: number): number {
    const { first, size } = this;
    const kept = this.numbers.subarray(first * WIDTH, this.end * WIDTH);
    const numbers = new Float64Array(
      size * 2 > this.numbers.length / WIDTH ? this.numbers.length * 2 : this.numbers.length,
    );
    numbers.set(kept);
    this.numbers = numbers;
    this.first = 0;
    this.end = size;
    return index - first;
  }

  /** Returns the index of the first bucket that starts at or after `startMs`. */
  private firstFrom(startMs: number): number {
    let low = this.first;
    let high = this.end;
    if (high > low) {
      const newestMs = this.at(high - 1, START);
      if (newestMs <= startMs) return newestMs === startMs ? high - 1 : high;
    }
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle, START) < startMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function copyOf(values: ValueCounts): ValueCounts {
  const copy = new ValueCounts();
  copy.addAll(values);
  return copy;
}
