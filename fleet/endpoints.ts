import type { EndpointName } from '../policy/fleet/endpoint';
import { type EndpointItem, itemKeys, type MatchItem } from '../policy/fleet/fleet-items';
import { readEndpointItem } from '../policy/fleet/item-readers';
import { newState, wokenAt } from '../policy/fleet/state-item';
import { toItem } from './attribute-values';
import type { TransactWrite, UpdateInput } from './aws-calls';
import { type DynamoDbTable, keyOf, type Page } from './dynamodb-table';
import { Placeholders } from './expression';

/** A transaction of DynamoDB has at most this many writes. */
const MOST_WRITES = 100;

/** The endpoints of a fleet, and for which types of events they are. */
export class Endpoints {
  constructor(private readonly table: DynamoDbTable) {}

  get(name: EndpointName): Promise<EndpointItem | undefined> {
    return this.table.get(itemKeys.endpoint(name), readEndpointItem);
  }

  /** Returns the endpoints of a tenant by name, in pages. */
  ofTenant(tenant: string, limit: number, after?: string): Promise<Page<EndpointItem>> {
    const placeholders = new Placeholders();
    const keyOfEndpoint = (endpoint: string) => itemKeys.endpoint({ tenant, endpoint });
    return this.table.query({
      KeyConditionExpression: placeholders.is('pk', keyOfEndpoint('').pk),
      ...placeholders.members,
      Limit: limit,
      after: after === undefined ? undefined : keyOfEndpoint(after),
    });
  }

  /**
   * Writes an endpoint and its matches, or nothing: it fails with a conflict if the endpoint is no longer as `before`.
   *
   * @param before undefined if the endpoint must not exist
   */
  async write(before: EndpointItem | undefined, after: EndpointItem): Promise<void> {
    const written = { Put: { TableName: this.table.name, Item: toItem(after), ...isStill(before) } };
    await this.table.transact([written, ...this.matchWrites(before, after)]);
  }

  /** Whether a change is too large for one transaction. */
  isTooLarge(before: EndpointItem | undefined, after: EndpointItem): boolean {
    return this.matchWrites(before, after).length >= MOST_WRITES;
  }

  /**
   * Removes an endpoint and its matches, or nothing: it fails with a conflict if the endpoint is no longer as `before`. The prober then
   * finds its parked messages, which become dead letters.
   */
  async remove(before: EndpointItem, nowMs: number): Promise<void> {
    const TableName = this.table.name;
    await this.table.transact([
      { Delete: { TableName, Key: keyOf(before), ...isStill(before) } },
      ...this.matchWrites(before, undefined),
      { Update: { TableName, ...wokenNow(before, nowMs) } },
    ]);
  }

  /** Only what changes is written: types that are new or have another filter, and types that are gone. */
  private matchWrites(before: EndpointItem | undefined, after: EndpointItem | undefined): TransactWrite[] {
    const TableName = this.table.name;
    const [old, types] = [before?.types ?? [], after?.types ?? []];
    const isSame = filterOf(before) === filterOf(after);
    const written = types.filter(type => !isSame || !old.includes(type));
    const gone = old.filter(type => !types.includes(type));
    return [
      ...(after ? written.map(type => ({ Put: { TableName, Item: toItem(matchOf(after, type)) } })) : []),
      ...(before ? gone.map(type => ({ Delete: { TableName, Key: keyOf(itemKeys.match(before, type)) } })) : []),
    ];
  }
}

/** Members of maps are in no order in DynamoDB. */
function filterOf({ filter, filterScope }: Partial<EndpointItem> = {}): string {
  return JSON.stringify([filterScope, ordered(filter)]);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, ordered(member)]);
}

function matchOf(item: EndpointItem, type: string): MatchItem {
  const { createdAtMs, filter, filterScope } = item;
  return { ...itemKeys.match(item, type), createdAtMs, ...(filter && { filter }), ...(filterScope && { filterScope }) };
}

function isStill(before: EndpointItem | undefined) {
  const placeholders = new Placeholders();
  const isVersion = placeholders.is('version', before?.version);
  // Another endpoint of the name may have the same version.
  const isSame = before ? ` AND ${placeholders.is('createdAtMs', before.createdAtMs)}` : '';
  return { ConditionExpression: `${isVersion}${isSame}`, ...placeholders.members };
}

/** Lets the prober look at an endpoint. Another one of that name begins healthy. */
function wokenNow(removed: EndpointItem, nowMs: number): Omit<UpdateInput, 'TableName'> {
  const { pk, sk, version: _, ...woken } = wokenAt(newState(removed), nowMs);
  const state = { ...woken, removedCreatedAtMs: removed.createdAtMs };
  const gone = { failingSinceMs: undefined, probeAtMs: undefined, maxAttempts: undefined, disabledReason: undefined };
  const placeholders = new Placeholders();
  const version = `${placeholders.name('version')} ${placeholders.value(1)}`;
  return {
    Key: keyOf({ pk, sk }),
    UpdateExpression: `${placeholders.assign({ ...state, ...gone })} ADD ${version}`,
    ...placeholders.members,
  };
}
