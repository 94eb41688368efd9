import type { ItemKey } from '../policy/fleet/fleet-items';
import type { ItemReader } from '../policy/fleet/item-readers';
import { fromItem, type ReadItem, toItem } from './attribute-values';
import type {
  BatchWrite,
  DeleteInput,
  DynamoDbCalls,
  ItemPage,
  PutInput,
  QueryInput,
  ScanInput,
  TransactWrite,
  UpdateInput,
} from './aws-calls';

/** Resolves after a time. */
export type Wait = (milliseconds: number) => Promise<void>;

/** DynamoDB's limits of a batch. */
const MOST_READS = 100;
const MOST_WRITES = 25;

/** How often a batch is sent whose items are unprocessed, and how long the first wait is; it doubles. */
const TRIES = 3;
const FIRST_WAIT_MS = 50;

const textOf = ({ pk, sk }: ItemKey): string => `${pk}\n${sk}`;

/** The key alone, also of a whole item. */
export function keyOf({ pk, sk }: ItemKey) {
  return toItem({ pk, sk });
}

function readKey(item: ReadItem | undefined): string {
  return textOf({ pk: item?.['pk']?.S ?? '', sk: item?.['sk']?.S ?? '' });
}

/** A page of items, and where the next one begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** @default - this is the last page */
  readonly next?: ItemKey;
}

type RangeOf<Input> = Omit<Input, 'TableName' | 'ExclusiveStartKey'> & { readonly after?: ItemKey | undefined };

type QueryRange = RangeOf<QueryInput>;

function pageOf<Read extends ItemKey>({ Items = [], LastEvaluatedKey }: ItemPage): Page<Read> {
  const items = Items.map(item => fromItem(item) as unknown as Read);
  return { items, ...(LastEvaluatedKey && { next: fromItem(LastEvaluatedKey) as unknown as ItemKey }) };
}

/** The table of a fleet: items as objects, batches of any size, and names of the table filled in. */
export class DynamoDbTable {
  constructor(
    private readonly calls: DynamoDbCalls,
    readonly name: string,
    private readonly wait: Wait,
  ) {}

  /** Reads an item with everything that was written before. */
  async get<Read>(key: ItemKey, read: ItemReader<Read>): Promise<Read | undefined> {
    const { Item } = await this.calls.getItem({ TableName: this.name, Key: keyOf(key), ConsistentRead: true });
    return Item && read(fromItem(Item));
  }

  /** Reads items in batches. */
  async getAll(keys: readonly ItemKey[], ConsistentRead = false): Promise<BatchRead> {
    const found = new Map<string, ReadItem>();
    const unread = await inBatches(uniqueOf(keys), MOST_READS, batch =>
      this.untilProcessed(batch, async left => {
        const { Responses, UnprocessedKeys } = await this.calls.batchGetItem({
          RequestItems: { [this.name]: { Keys: left.map(keyOf), ConsistentRead } },
        });
        for (const item of Responses?.[this.name] ?? []) found.set(readKey(item), item);
        return new Set((UnprocessedKeys?.[this.name]?.Keys ?? []).map(readKey));
      }),
    );
    const notRead = new Set(unread.map(textOf));
    return {
      get: (key, read) => {
        const item = found.get(textOf(key));
        return item && read(fromItem(item));
      },
      isUnread: key => notRead.has(textOf(key)),
    };
  }

  /** Puts items in batches, without conditions. Returns those that were not written. */
  putAll<Written extends ItemKey>(items: readonly Written[]): Promise<readonly Written[]> {
    return this.writeAll(items, item => ({ PutRequest: { Item: toItem(item) } }));
  }

  /** Deletes items in batches. Returns the keys of those that were not deleted. */
  deleteAll(keys: readonly ItemKey[]): Promise<readonly ItemKey[]> {
    return this.writeAll(keys, key => ({ DeleteRequest: { Key: keyOf(key) } }));
  }

  private writeAll<Written extends ItemKey>(items: readonly Written[], write: (item: Written) => BatchWrite) {
    return inBatches(uniqueOf(items), MOST_WRITES, batch =>
      this.untilProcessed(batch, async left => {
        const { UnprocessedItems } = await this.calls.batchWriteItem({
          RequestItems: { [this.name]: left.map(write) },
        });
        const unprocessed = UnprocessedItems?.[this.name] ?? [];
        return new Set(
          unprocessed.map(({ PutRequest, DeleteRequest }) => readKey(PutRequest?.Item ?? DeleteRequest?.Key)),
        );
      }),
    );
  }

  /** Sends what DynamoDB leaves unprocessed again, with a bound. Returns what is unprocessed in the end. */
  private async untilProcessed<Key extends ItemKey>(
    batch: readonly Key[],
    send: (left: readonly Key[]) => Promise<ReadonlySet<string>>,
  ): Promise<readonly Key[]> {
    let left = batch;
    for (let tries = 1; tries <= TRIES && left.length > 0; tries += 1) {
      if (tries > 1) await this.wait(FIRST_WAIT_MS * 2 ** (tries - 2));
      const unprocessed = await send(left);
      left = left.filter(key => unprocessed.has(textOf(key)));
    }
    return left;
  }

  /** Reads one page of a query. Its items are not checked: a wrong one must not keep the function from the others. */
  async query<Read extends ItemKey>(range: QueryRange): Promise<Page<Read>> {
    return pageOf(await this.calls.query(this.read(range)));
  }

  /** Reads one page of an index, or of a segment of it. Its items are not checked. */
  async scan<Read extends ItemKey>(range: RangeOf<ScanInput>): Promise<Page<Read>> {
    return pageOf(await this.calls.scan(this.read(range)));
  }

  private read<Range>({ after, ...range }: Range & { readonly after?: ItemKey | undefined }) {
    return { ...range, TableName: this.name, ...(after && { ExclusiveStartKey: toItem(after) }) };
  }

  /** Counts the items of a range, in at most so many pages of 1 MB. @returns also the read units that this took */
  async count(
    range: Omit<QueryRange, 'after'>,
    mostPages: number,
  ): Promise<{ readonly count: number; readonly units: number }> {
    let [count, units] = [0, 0];
    let after: ReadItem | undefined;
    for (let pages = 0; pages < mostPages && (pages === 0 || after); pages += 1) {
      const page = await this.calls.query({
        ...range,
        TableName: this.name,
        Select: 'COUNT',
        ReturnConsumedCapacity: 'TOTAL',
        ...(after && { ExclusiveStartKey: toItem(fromItem(after)) }),
      });
      count += page.Count ?? 0;
      units += page.ConsumedCapacity?.CapacityUnits ?? 0;
      after = page.LastEvaluatedKey;
    }
    return { count, units };
  }

  async put(input: Omit<PutInput, 'TableName'>): Promise<void> {
    await this.calls.putItem({ TableName: this.name, ...input });
  }

  async update(input: Omit<UpdateInput, 'TableName'>): Promise<void> {
    await this.calls.updateItem({ TableName: this.name, ...input });
  }

  async delete(input: Omit<DeleteInput, 'TableName'>): Promise<void> {
    await this.calls.deleteItem({ TableName: this.name, ...input });
  }

  /** Carries out all writes or none. */
  async transact(writes: readonly TransactWrite[]): Promise<void> {
    await this.calls.transactWriteItems({ TransactItems: [...writes] });
  }
}

/** What a batch read. */
export interface BatchRead {
  get<Read>(key: ItemKey, read: ItemReader<Read>): Read | undefined;
  /** Whether DynamoDB did not read it: it is unknown whether it exists. */
  isUnread(key: ItemKey): boolean;
}

/** DynamoDB refuses a batch that names an item twice. The last one counts. */
function uniqueOf<Key extends ItemKey>(keys: readonly Key[]): readonly Key[] {
  return [...new Map(keys.map(key => [textOf(key), key])).values()];
}

/** Runs batches at once and joins what they return. */
async function inBatches<Item>(
  items: readonly Item[],
  size: number,
  run: (batch: readonly Item[]) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, batch) => batch * size);
  return (await Promise.all(starts.map(start => run(items.slice(start, start + size))))).flat();
}
