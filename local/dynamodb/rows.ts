import type { Item } from './item';

/** Where a row is: in a partition, by its sort key. Both sort as text as DynamoDB sorts their values. */
export interface RowKey {
  /** Begins with the hash of the partition key, so that a scan returns partitions in an order that nobody can rely on. */
  readonly partition: string;
  readonly sort: string;
}

export interface Row extends RowKey {
  readonly item: Item;
}

interface Partition {
  readonly id: string;
  /** The sort keys in order. */
  readonly sorts: string[];
  readonly items: Map<string, Item>;
}

/** The position of the first text that is not less. */
function positionOf(texts: readonly string[], text: string): number {
  let low = 0;
  let high = texts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((texts[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** After every sort key. */
export const LAST_SORT = '~';

/** The rows of a table or an index, in the order of queries and scans. */
export class Rows {
  private readonly partitions = new Map<string, Partition>();
  private ordered: readonly string[] | undefined;
  private rows = 0;

  get count(): number {
    return this.rows;
  }

  get({ partition, sort }: RowKey): Item | undefined {
    return this.partitions.get(partition)?.items.get(sort);
  }

  put({ partition, sort }: RowKey, item: Item): void {
    let found = this.partitions.get(partition);
    if (!found) {
      found = { id: partition, sorts: [], items: new Map() };
      this.partitions.set(partition, found);
      this.ordered = undefined;
    }
    if (!found.items.has(sort)) {
      found.sorts.splice(positionOf(found.sorts, sort), 0, sort);
      this.rows += 1;
    }
    found.items.set(sort, item);
  }

  delete({ partition, sort }: RowKey): void {
    const found = this.partitions.get(partition);
    if (!found?.items.delete(sort)) return;
    found.sorts.splice(positionOf(found.sorts, sort), 1);
    this.rows -= 1;
    if (found.items.size > 0) return;
    this.partitions.delete(partition);
    this.ordered = undefined;
  }

  /** The rows of a partition from `from` up to, but not including, `to`. */
  *between(partition: string, from: string, to: string, isReversed = false): Generator<Row> {
    const found = this.partitions.get(partition);
    if (!found) return;
    const { sorts, items } = found;
    const first = positionOf(sorts, from);
    const last = positionOf(sorts, to) - 1;
    for (let i = isReversed ? last : first; i >= first && i <= last; i += isReversed ? -1 : 1) {
      const sort = sorts[i] ?? '';
      const item = items.get(sort);
      if (item) yield { partition, sort, item };
    }
  }

  *after(key?: RowKey): Generator<Row> {
    this.ordered ??= [...this.partitions.keys()].sort();
    const { ordered } = this;
    for (let i = key ? positionOf(ordered, key.partition) : 0; i < ordered.length; i += 1) {
      const partition = ordered[i] ?? '';
      // The text after a sort key is the first that is greater.
      const from = partition === key?.partition ? `${key.sort}\0` : '';
      yield* this.between(partition, from, LAST_SORT);
    }
  }
}
