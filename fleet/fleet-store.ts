import { type EndpointName, EVERY_TYPE, groupOf } from '../policy/fleet/endpoint';
import {
  type EndpointItem,
  type ItemKey,
  itemKeys,
  type MatchItem,
  type ParkedItem,
  type StateItem,
  WAKE_INDEX,
  WAKE_SHARDS,
} from '../policy/fleet/fleet-items';
import { readEndpointItem, readStateItem } from '../policy/fleet/item-readers';
import type { JsonObject } from '../policy/json-members';
import { toItem } from './attribute-values';
import { type DynamoDbTable, keyOf, type Page } from './dynamodb-table';
import { Placeholders } from './expression';
import { isConflict } from './fleet-error';

/** A page has 1 MB. */
const MOST_COUNTED_PAGES = 100;

/** What the table has about an endpoint. */
export interface EndpointEntry {
  /** @default - it was removed */
  readonly endpoint?: EndpointItem | undefined;
  /** @default - it was always healthy */
  readonly state?: StateItem | undefined;
}

/** Reads an entry: one that is wrong must not keep a function from the others. @throws Error that says which item is not one of the fleet */
export type ReadEntry = () => EndpointEntry;

/** The table of a fleet, as its functions use it. */
export class FleetStore {
  constructor(private readonly table: DynamoDbTable) {}

  /**
   * The endpoints of a type and of `*`, each once, in the order of their names.
   * @returns `after`: the endpoint after which the next page begins
   */
  async matches(tenant: string, type: string, after: string | undefined, limit: number) {
    const partitions = await Promise.all([type, EVERY_TYPE].map(one => this.matchesOf(tenant, one, after, limit)));
    // Behind the end of a partition's page, that partition may have more.
    const ends = partitions.flatMap(({ next }) => next?.sk ?? []).sort();
    const [end] = ends;
    const byName = new Map(partitions.flatMap(({ items }) => items).map(item => [item.sk, item]));
    const known = [...byName.values()].filter(({ sk }) => end === undefined || sk <= end);
    const matches = known.sort((a, b) => (a.sk < b.sk ? -1 : 1)).slice(0, limit);
    const isLast = end === undefined && matches.length === known.length;
    const last = matches.at(-1)?.sk ?? end;
    return { matches, ...(!isLast && last !== undefined && { after: last }) };
  }

  private matchesOf(tenant: string, type: string, after: string | undefined, Limit: number): Promise<Page<MatchItem>> {
    const keyOfMatch = (endpoint: string) => itemKeys.match({ tenant, endpoint }, type);
    return this.table.query({
      ...partition(keyOfMatch('').pk),
      Limit,
      after: after === undefined ? undefined : keyOfMatch(after),
    });
  }

  /**
   * Endpoints with their states, by `groupOf`. A group that is missing in the answer could not be read.
   * @param isConsistent whether it has all writes that have ended
   */
  async entries(names: readonly EndpointName[], isConsistent = false): Promise<ReadonlyMap<string, ReadEntry>> {
    const keysOf = (name: EndpointName) => ({ endpoint: itemKeys.endpoint(name), state: itemKeys.state(name) });
    const read = await this.table.getAll(
      names.flatMap(name => Object.values(keysOf(name))),
      isConsistent,
    );
    const entries = names.flatMap(name => {
      const keys = keysOf(name);
      if (Object.values(keys).some(read.isUnread)) return [];
      const entry: ReadEntry = () => ({
        endpoint: read.get(keys.endpoint, readEndpointItem),
        state: read.get(keys.state, readStateItem),
      });
      return [[groupOf(name), entry] as const];
    });
    return new Map(entries);
  }

  /** States only, by `groupOf` and not checked; undefined for an endpoint without. A group that is missing in the answer could not be read. */
  async states(names: readonly EndpointName[]): Promise<ReadonlyMap<string, StateItem | undefined>> {
    const read = await this.table.getAll(names.map(itemKeys.state));
    const readNames = names.filter(name => !read.isUnread(itemKeys.state(name)));
    return new Map(readNames.map(name => [groupOf(name), read.get(itemKeys.state(name), asStateItem)]));
  }

  /** Reads a state after all writes that have ended. */
  state(name: EndpointName): Promise<StateItem | undefined> {
    return this.table.get(itemKeys.state(name), readStateItem);
  }

  /**
   * Writes a state, unless it has changed since it was read.
   * @param readVersion the version that was read; 0 if there was no item
   * @returns whether it was written
   */
  putState(state: StateItem, readVersion: number): Promise<boolean> {
    const condition = versionIs(readVersion);
    return isDone(() => this.table.put({ Item: toItem(state), ...condition }));
  }

  /** Deletes a state, unless it has changed since it was read. */
  deleteState(state: StateItem): Promise<boolean> {
    return isDone(() => this.table.delete({ Key: keyOf(state), ...versionIs(state.version) }));
  }

  /**
   * The states of all endpoints with a `wakeAtMs`, eventually consistent. One call reads a page of 1 MB, some thousands of them. If there
   * are more, as many calls as the index has shards read all of them at the same time.
   */
  async awake(): Promise<readonly StateItem[]> {
    const first: Page<StateItem> = await this.table.scan({ IndexName: WAKE_INDEX });
    if (!first.next) return first.items;
    const segments = Array.from({ length: WAKE_SHARDS }, (_, segment) => this.awakeIn(segment));
    return (await Promise.all(segments)).flat();
  }

  private async awakeIn(Segment: number): Promise<readonly StateItem[]> {
    const found: StateItem[] = [];
    let after: ItemKey | undefined;
    do {
      const range = { IndexName: WAKE_INDEX, Segment, TotalSegments: WAKE_SHARDS, after };
      const page: Page<StateItem> = await this.table.scan(range);
      found.push(...page.items);
      after = page.next;
    } while (after);
    return found;
  }

  /** Parks a message. It replaces itself if it is parked already with the same due time. */
  async park(item: ParkedItem): Promise<void> {
    await this.table.put({ Item: toItem(item) });
  }

  /** The first parked messages of an endpoint in the order of `dueAtMs`, after all writes that have ended. */
  async parked(name: EndpointName, limit: number): Promise<readonly ParkedItem[]> {
    const found: ParkedItem[] = [];
    let after: ItemKey | undefined;
    do {
      const page = await this.parkedPage(name, limit - found.length, after);
      found.push(...page.items);
      after = page.next;
    } while (after && found.length < limit);
    return found;
  }

  /** As `parked`, but at most 1 MB: a few large messages. It is empty only if nothing is parked. */
  parkedPage(name: EndpointName, limit: number, after?: ItemKey): Promise<Page<ParkedItem>> {
    const { pk } = itemKeys.parked(name, 0, '');
    return this.table.query({ ...partition(pk), ConsistentRead: true, Limit: limit, after });
  }

  /**
   * A page of the parked messages that are due later than they were sent, in the order of `dueAtMs`. It may be empty although there is a
   * next one: DynamoDB reads all parked messages for it.
   */
  parkedRetries(name: EndpointName, after?: ItemKey): Promise<Page<ParkedItem>> {
    const placeholders = new Placeholders();
    const KeyConditionExpression = placeholders.is('pk', itemKeys.parked(name, 0, '').pk);
    const FilterExpression = `${placeholders.name('dueAtMs')} > ${placeholders.name('sentAtMs')}`;
    const range = { KeyConditionExpression, FilterExpression, ...placeholders.members };
    return this.table.query({ ...range, ConsistentRead: true, after });
  }

  /** Counts the parked messages of an endpoint, of more than 100 MB only those. @returns also the read units that this took */
  countParked(name: EndpointName) {
    return this.table.count(partition(itemKeys.parked(name, 0, '').pk), MOST_COUNTED_PAGES);
  }

  /** Deletes parked messages. Rejects if DynamoDB leaves some of them: they are delivered again. */
  async unpark(keys: readonly ItemKey[]): Promise<void> {
    const left = await this.table.deleteAll(keys);
    if (left.length > 0) throw new Error(`DynamoDB did not delete ${left.length} of ${keys.length} parked messages`);
  }
}

/** Not checked, like the items of pages: a wrong one must not keep its reader from the others. */
const asStateItem = (item: JsonObject) => item as unknown as StateItem;

function partition(pk: string) {
  const placeholders = new Placeholders();
  return { KeyConditionExpression: placeholders.is('pk', pk), ...placeholders.members };
}

function versionIs(version: number) {
  const placeholders = new Placeholders();
  return { ConditionExpression: placeholders.is('version', version || undefined), ...placeholders.members };
}

async function isDone(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
