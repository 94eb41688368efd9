import type { ConsumedCapacity, CreateTableInput, ReturnConsumedCapacity } from '@aws-sdk/client-dynamodb';
import TinyQueue from 'tinyqueue';
import { ownMember } from '../../policy/json-members';
import { DAY_MS } from '../../policy/time-units';
import { KEY_ACCESS_DENIED, keyRefusal } from '../kernel/access';
import { AccessRefused, AwsError, notImplemented } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { arnIn } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { RequestChecks } from '../kernel/service-api';
import type { Scheduled, Scheduler } from '../kernel/timeline';
import { namedTableNotFound } from './errors';
import { ExpressionParser } from './expressions';
import { type Item, itemBytes } from './item';
import type { DynamoDbDependencies } from './ports';
import { type ItemChange, streamRecord } from './stream-record';
import { Table, TableIndex, type TableSettings, writeUnits } from './table';
import { type TableStream, TableStreams } from './table-streams';
import type { DynamoDbContext } from './trace-events';

const READ_UNIT_BYTES = 4_096;
const TABLE = 'table/';

/** A transaction that was carried out, by its token. */
interface KnownTransaction {
  readonly text: string;
  readonly untilMs: number;
}

/** The tables of an account in a Region. */
export class DynamoDbState {
  readonly expressions = new ExpressionParser();
  readonly transactions = new Map<string, KnownTransaction>();
  readonly tableStreams = new TableStreams();
  private readonly tables = new Map<string, Table>();
  private readonly ttl: TimeToLive;

  constructor(
    readonly context: DynamoDbContext,
    readonly checks: RequestChecks<'dynamodb'>,
    readonly dependencies: DynamoDbDependencies,
  ) {
    this.ttl = new TimeToLive(context.timeline, context.random.stream('time-to-live'), (table, item) =>
      this.change(table, item, undefined, true),
    );
  }

  get nowMs(): number {
    return this.context.timeline.nowMs;
  }

  get all(): readonly Table[] {
    return [...this.tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** @param text a name or an ARN */
  nameIn(text: string): string {
    if (!text.startsWith('arn:')) return text;
    const prefix = this.arnOf('');
    if (text.startsWith(prefix)) return text.slice(prefix.length);
    throw notImplemented(`tables of another Region, or of another account in batches and transactions (${text})`);
  }

  arnOf(name: string): string {
    return arnIn(this.context.place, 'dynamodb', `${TABLE}${name}`);
  }

  find(text: string | undefined): Table | undefined {
    return text === undefined ? undefined : this.tables.get(this.nameIn(text));
  }

  named(text: string | undefined): Table {
    const table = this.find(text);
    if (table) return table;
    throw namedTableNotFound(this.nameIn(text ?? ''));
  }

  create(input: CreateTableInput, settings: TableSettings): Table {
    const { TableName = '', KeySchema = [], GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [] } = input;
    const name = this.nameIn(TableName);
    const table = new Table(name, this.arnOf(name), this.context.random.uuid(), KeySchema, settings, this.nowMs);
    for (const index of GlobalSecondaryIndexes) this.addIndex(table, new TableIndex(index, true));
    for (const index of LocalSecondaryIndexes) this.addIndex(table, new TableIndex(index, false));
    this.startStream(table);
    this.tables.set(name, table);
    this.context.trace.record({ type: 'dynamodb.table-created', tableArn: table.arn });
    return table;
  }

  /** Adds an index, with the items that the table has. */
  addIndex(table: Table, index: TableIndex): void {
    table.setIndexes([...table.indexes.values(), index]);
    for (const { item } of table.rows.after()) index.follow(table, undefined, item, this.nowMs);
  }

  update(table: Table, settings: Partial<TableSettings>): void {
    table.settings = { ...table.settings, ...settings };
    if (settings.streamView !== undefined || 'streamView' in settings) this.startStream(table);
    this.context.trace.record({ type: 'dynamodb.table-updated', tableArn: table.arn });
  }

  private startStream(table: Table): void {
    const { name: tableName, arn, KeySchema: keySchema, stream, settings } = table;
    const { streamView: view } = settings;
    if (stream) this.tableStreams.close(stream, this.nowMs);
    table.stream = view && this.tableStreams.open({ arn, tableName, keySchema, view }, this.nowMs);
  }

  delete(table: Table): void {
    this.tables.delete(table.name);
    if (table.stream) this.tableStreams.close(table.stream, this.nowMs);
    for (const { item } of [...table.rows.after()]) table.rows.delete(table.keyOf(item));
    this.context.trace.record({ type: 'dynamodb.table-deleted', tableArn: table.arn });
  }

  /** Turns deletion by a TTL attribute on or off. */
  expireBy(table: Table, attribute: string | undefined): void {
    table.ttlAttribute = attribute;
    if (attribute !== undefined) for (const { item } of table.rows.after()) this.ttl.follow(table, item);
  }

  /**
   * Writes an item, or deletes it.
   *
   * @returns the write request units, those of indexes included
   */
  change(table: Table, before: Item | undefined, after: Item | undefined, isExpiry = false): number {
    const item = after ?? before;
    if (!item) return this.consumed(table, 'Write', 1);
    const key = table.keyOf(item);
    table.bytes += (after ? itemBytes(after) : 0) - (before ? itemBytes(before) : 0);
    if (after) table.rows.put(key, after);
    else table.rows.delete(key);
    let units = writeUnits(before, after);
    for (const index of table.indexes.values()) units += index.follow(table, before, after, this.nowMs);
    if (after) this.ttl.follow(table, after);
    const keys = table.keyAttributes(item);
    const type = after ? 'dynamodb.item-put' : isExpiry ? 'dynamodb.item-expired' : 'dynamodb.item-deleted';
    this.context.trace.record({ type, tableArn: table.arn, key: keys });
    if (table.stream && (!before || !after || JSON.stringify(before) !== JSON.stringify(after))) {
      const event = before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT';
      this.report(table.stream, { event, keys, newImage: after, oldImage: before, isExpiry });
    }
    // AWS charges nothing for what TTL deletes.
    return isExpiry ? 0 : this.consumed(table, 'Write', units);
  }

  private report({ arn, shardId, view }: TableStream, change: ItemChange): void {
    const { streams } = this.dependencies;
    const { newImage, oldImage, ...others } = change;
    const images = {
      ...(/^NEW_/.test(view) && newImage && { newImage }),
      ...(/(^|_)OLD_/.test(view) && oldImage && { oldImage }),
    };
    const sequenceNumber = streams.nextSequenceNumber();
    const eventId = this.context.random.hex(32);
    const facts = { sequenceNumber, shardId, arrivedAtMs: this.nowMs, eventId, view };
    streams.append(arn, [streamRecord({ ...others, ...images }, facts)]);
  }

  /** @returns the read request units of items with these bytes in all */
  read(table: Table, bytes: number, isConsistent: boolean): number {
    return this.consumed(table, 'Read', Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5));
  }

  private consumed({ name: TableName }: Table, kind: 'Read' | 'Write', value: number): number {
    const name = `Consumed${kind}CapacityUnits`;
    this.context.metrics.put({ namespace: 'AWS/DynamoDB', name, dimensions: { TableName }, value });
    return value;
  }

  failed(operation: string, TableName: string, { code, httpStatus }: AwsError): void {
    const namespace = 'AWS/DynamoDB';
    const [name, dimensions] =
      code === 'ConditionalCheckFailedException'
        ? ['ConditionalCheckFailedRequests', { TableName }]
        : httpStatus >= 500
          ? ['SystemErrors', { TableName, Operation: operation }]
          : ['ThrottledRequests', { TableName, Operation: operation }];
    const isThrottled = /Throttling|Exceeded/.test(code);
    if (name !== 'ThrottledRequests' || isThrottled)
      this.context.metrics.put({ namespace, name, dimensions, value: 1 });
  }

  /**
   * Checks that the caller may use the customer managed key of a table: DynamoDB calls KMS on behalf of its callers. It
   * reuses the table's key for five minutes, and would not ask again in that time. Here every call is checked.
   *
   * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
   */
  checkKey(table: Table, caller: Caller): void {
    const { encryption } = table.settings;
    if (!encryption?.Enabled || encryption.KMSMasterKeyId === undefined) return;
    const encryptionContext = {
      'aws:dynamodb:tableName': table.name,
      'aws:dynamodb:subscriberId': this.context.place.account,
    };
    const use = { keyId: encryption.KMSMasterKeyId, caller, via: 'dynamodb', encryptionContext };
    const refusal = keyRefusal(this.context, use, 'kms:Decrypt');
    if (!refusal) return;
    const { code, reason, httpStatus } = refusal;
    if (httpStatus >= 500) throw new AwsError('InternalServerError', reason, httpStatus);
    // **Assumption DYNAMODB-4:** The texts are ours.
    if (code !== KEY_ACCESS_DENIED) throw new AwsError('ValidationException', `KMS key is inaccessible: ${reason}`);
    throw new AccessRefused('AccessDeniedException', 'The caller may not use the KMS key of the table', 400, reason);
  }
}

/** What a call reports of its consumption, if it asks for that. */
export function reported(
  wanted: ReturnConsumedCapacity | undefined,
  table: Table,
  units: number,
): { ConsumedCapacity?: ConsumedCapacity } {
  if (wanted === undefined || wanted === 'NONE') return {};
  const whole = { TableName: table.name, CapacityUnits: units };
  return { ConsumedCapacity: wanted === 'INDEXES' ? { ...whole, Table: { CapacityUnits: units } } : whole };
}

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
class TimeToLive {
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
